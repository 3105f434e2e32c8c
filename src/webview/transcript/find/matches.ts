/** The parts of a message that are searched: its texts, but not its buttons. */
const searched = ".plain-text, .markdown, .tool-part > pre";
/** Number of text nodes between two checks of the clock. */
const nodesPerLook = 256;

/**
 * The positions of the words in a message as displayed, even if markup splits them. A message can have hundreds of
 * thousands of nodes, so `pause` is awaited every now and then; when it returns false, the search is given up.
 */
export async function findRanges(
  message: Element,
  words: string,
  pause: () => Promise<boolean> | true,
): Promise<readonly StaticRange[] | undefined> {
  const ranges: StaticRange[] = [];
  for (const part of message.querySelectorAll(searched)) {
    if (part.closest("details:not([open])") !== null) continue;
    const texts = await readTexts(part, pause);
    if (texts === undefined) return undefined;
    const text = texts.map(({ lower }) => lower).join("");
    const locate = createLocator(texts);
    let count = 0;
    for (let at = text.indexOf(words); at !== -1; at = text.indexOf(words, at + words.length)) {
      const start = locate(at);
      const end = locate(at + words.length - 1);
      if (start === undefined || end === undefined) break;
      ranges.push(
        new StaticRange({
          startContainer: start.node,
          startOffset: start.offset,
          endContainer: end.node,
          endOffset: end.offset + 1,
        }),
      );
      if (++count % nodesPerLook === 0 && !(await pause())) return undefined;
    }
  }
  return ranges;
}

interface SearchedText {
  readonly node: Text;
  /** UTF-16 code units of the part before it. */
  readonly start: number;
  readonly lower: string;
}

async function readTexts(
  part: Element,
  pause: () => Promise<boolean> | true,
): Promise<readonly SearchedText[] | undefined> {
  const texts: SearchedText[] = [];
  let start = 0;
  const walker = document.createTreeWalker(part, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    if (!(node instanceof Text)) continue;
    texts.push({ node, start, lower: sameLength(node.data) });
    start += node.data.length;
    if (texts.length % nodesPerLook === 0 && !(await pause())) return undefined;
  }
  return texts;
}

/** Returns a function that finds the node of an offset. The offsets must be in ascending order. */
function createLocator(
  texts: readonly SearchedText[],
): (offset: number) => { readonly node: Text; readonly offset: number } | undefined {
  let number = 0;
  return (offset) => {
    while ((texts[number + 1]?.start ?? Infinity) <= offset) number += 1;
    const text = texts[number];
    return text === undefined ? undefined : { node: text.node, offset: offset - text.start };
  };
}

/** In lowercase for searching. The few letters whose length changes with their case stay as they are. */
export function sameLength(text: string): string {
  const lower = text.toLowerCase();
  if (lower.length === text.length) return lower;
  return [...text]
    .map((letter) => (letter.toLowerCase().length === letter.length ? letter.toLowerCase() : letter))
    .join("");
}
