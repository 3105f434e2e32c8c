/** Maximum number of highlighted matches in a message. */
const maxMatches = 2_000;

/** The parts of a message that are searched: its text, but not its buttons or anything collapsed. */
const searched = ".plain-text, .markdown:not(.reasoning-text)";

/** The positions of the words in a message as displayed, even if markup splits them. */
export function findRanges(message: Element, words: string): readonly Range[] {
  return [...message.querySelectorAll(searched)].flatMap((part) => rangesIn(part, words));
}

function rangesIn(part: Element, words: string): readonly Range[] {
  const nodes: Text[] = [];
  const starts: number[] = [];
  const texts: string[] = [];
  let length = 0;
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!(node instanceof Text)) continue;
    nodes.push(node);
    starts.push(length);
    texts.push(sameLength(node.data));
    length += node.data.length;
  }
  const text = texts.join("");
  const ranges: Range[] = [];
  let number = 0;
  const locate = (offset: number): readonly [Text, number] | undefined => {
    while ((starts[number + 1] ?? Infinity) <= offset) number += 1;
    const node = nodes[number];
    return node === undefined ? undefined : [node, offset - (starts[number] ?? 0)];
  };
  for (let at = text.indexOf(words); at !== -1 && ranges.length < maxMatches;) {
    const start = locate(at);
    const end = locate(at + words.length - 1);
    if (start === undefined || end === undefined) break;
    const range = document.createRange();
    range.setStart(start[0], start[1]);
    range.setEnd(end[0], end[1] + 1);
    ranges.push(range);
    at = text.indexOf(words, at + words.length);
  }
  return ranges;
}

/** In lowercase for searching. The few letters whose length changes with their case stay as they are. */
export function sameLength(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return [...text]
    .map((letter) => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter))
    .join("");
}
