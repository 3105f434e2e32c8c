/** Frames that a message gets to be built in before the search for its words is given up. */
const patience = 90;

/**
 * Scrolls to the message once it has been laid out, and on to the first of the words in it, which is then selected:
 * visible in every theme, and where a screen reader goes on.
 * @param find The message's element, which may still be replaced by its finished form.
 * @param words In lower case.
 * @param onLeave Called before each step: the end is not what is looked at any more.
 */
export function revealWords(
  find: () => HTMLElement | undefined,
  words: readonly string[],
  onLeave: () => void,
): void {
  let frames = 0;
  const look = (): void => {
    const element = find();
    if (element === undefined) return;
    onLeave();
    // The second frame: what was just shown has scrolled to its end by then.
    if (++frames === 2) showStart(element);
    const range = frames < 2 ? undefined : findWords(element, words);
    if (range !== undefined) return showRange(range);
    if (frames < patience && (words.length > 0 || frames < 2)) requestAnimationFrame(look);
  };
  requestAnimationFrame(look);
}

function showStart(element: HTMLElement): void {
  element.scrollIntoView({ block: "start" });
  element.tabIndex = -1;
  element.focus({ preventScroll: true });
}

function showRange(range: Range): void {
  range.startContainer.parentElement?.scrollIntoView({ block: "center" });
  const selection = getSelection();
  selection?.removeAllRanges();
  selection?.addRange(range);
}

/** The first of the words that stands in the text as it is shown, within one node. */
function findWords(element: HTMLElement, words: readonly string[]): Range | undefined {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = (node.nodeValue ?? "").toLowerCase();
    const word = words.find((each) => text.includes(each));
    if (word === undefined || node.parentElement?.checkVisibility() !== true) continue;
    const start = text.indexOf(word);
    const length = node.nodeValue?.length ?? 0;
    const range = document.createRange();
    range.setStart(node, Math.min(start, length));
    range.setEnd(node, Math.min(start + word.length, length));
    return range;
  }
  return undefined;
}
