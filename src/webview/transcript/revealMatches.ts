import type { SearchedTranscript } from "./find/findBar.ts";

/** Maximum number of frames to wait for a message to be built: one of several megabytes takes hundreds. */
const patience = 2_000;
/** Number of frames to wait for a match once all of the message is shown. */
const shownPatience = 90;

/** Maximum number of occurrences of a word that are considered. */
const maxMatches = 200;

/**
 * Scrolls to the message once it has been laid out, and then to the position with most of the words. The rarest of them
 * is selected, which is visible in every theme and is where a screen reader continues.
 * @param words In lowercase.
 * @param onLeave Called before each step, because the view no longer follows the end.
 */
export function revealMatches(
  transcript: Pick<SearchedTranscript, "slots" | "bringIn">,
  messageId: string,
  words: readonly string[],
  onLeave: () => void,
): void {
  let frames = 0;
  let shownFor = 0;
  const look = (): void => {
    // Its element may still be replaced by its finished form.
    const slot = transcript.slots.find(({ id }) => id === messageId);
    const element = slot && transcript.bringIn(slot);
    if (element === undefined) return;
    const isShown = slot?.isShown === true;
    onLeave();
    // In the second frame, because content that was just shown has scrolled to its end by then.
    if (++frames === 2) showStart(element);
    if (isShown) shownFor += 1;
    const isLast = frames === patience || shownFor === shownPatience || (words.length === 0 && frames === 2);
    // While the message is being built, the best match may still be missing.
    const isDue = isLast || (isShown && frames >= 2);
    const range = isDue ? findMatches(element, words, isLast) : undefined;
    if (range !== undefined) return showRange(range);
    if (!isLast) requestAnimationFrame(look);
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

/** An occurrence of a word in the displayed text, within a single node. */
interface Match {
  readonly node: Node;
  readonly start: number;
  readonly end: number;
}

/** What counts as one place: words in the same block are together. */
const block = "p, li, pre, td, th, h1, h2, h3, h4, h5, h6, blockquote";

/**
 * An occurrence of the rarest word near most of the others. Returns nothing until all words are there, unless this is
 * the last attempt.
 */
function findMatches(element: HTMLElement, words: readonly string[], isLast: boolean): Range | undefined {
  const found = words.map((word) => matchesOf(word, element)).filter((matches) => matches.length > 0);
  if (found.length < words.length && !isLast) return undefined;
  const rarest = found.toSorted((left, right) => left.length - right.length)[0] ?? [];
  const neighbors = (match: Match): number => {
    const text = match.node.parentElement?.closest(block)?.textContent.toLowerCase() ?? "";
    return words.filter((word) => text.includes(word)).length;
  };
  const [best] = rarest
    .map((match) => ({ match, count: neighbors(match) }))
    .toSorted((left, right) => right.count - left.count);
  return best === undefined ? undefined : rangeOf(best.match);
}

function matchesOf(word: string, element: HTMLElement): readonly Match[] {
  const matches: Match[] = [];
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null && matches.length < maxMatches; node = walker.nextNode()) {
    const text = node.nodeValue ?? "";
    const start = text.toLowerCase().indexOf(word);
    if (start < 0 || node.parentElement?.checkVisibility() !== true) continue;
    // The length of a few letters changes with their case.
    matches.push({
      node,
      start: Math.min(start, text.length),
      end: Math.min(start + word.length, text.length),
    });
  }
  return matches;
}

function rangeOf({ node, start, end }: Match): Range {
  const range = document.createRange();
  range.setStart(node, start);
  range.setEnd(node, end);
  return range;
}
