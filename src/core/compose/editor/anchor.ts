/** A part of a text, in UTF-16 units. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

/** `length` units at `offset` are replaced by a text. */
export interface TextChange {
  readonly offset: number;
  readonly length: number;
  readonly text: string;
}

/** Lines that the rest of a partial response is compared with, to find out how much of the original it replaces. */
const longestLookahead = 200;

/** Where the part is after a change. A change inside the part belongs to it; one at its edge doesn't. */
export function moveSpan({ start, end }: Span, { offset, length, text }: TextChange): Span {
  const by = text.length - length;
  if (offset + length <= start && !(offset === start && start === end))
    return { start: start + by, end: end + by };
  if (offset >= end) return { start, end };
  return { start: Math.min(start, offset), end: Math.max(end, offset + length) + by };
}

/** A part of a text whose lines may move. */
export interface AnchoredPart {
  /** The part as it was. */
  readonly original: string;
  /** Whether the text contained these lines only once. Otherwise, the same lines elsewhere aren't the part. */
  readonly isUnique: boolean;
}

/** The part at this position, to be found again when the text has changed. */
export function anchorPart(text: string, { start, end }: Span): AnchoredPart {
  const original = text.slice(start, end);
  return { original, isUnique: findOnly(text, original) !== undefined };
}

/**
 * Where the part is now: at its last known position, or if it was unique, at the only other one with the same lines.
 * Undefined if it has changed.
 */
export function findOriginal(
  text: string,
  { original, isUnique }: AnchoredPart,
  last: Span,
): Span | undefined {
  if (text.slice(last.start, last.end) === original && isAt(text, original, last.start)) return last;
  return isUnique ? findOnly(text, original) : undefined;
}

/** The only lines of the text that are these. */
function findOnly(text: string, lines: string): Span | undefined {
  if (lines.trim() === "") return undefined;
  let found: number | undefined;
  for (let at = text.indexOf(lines); at !== -1; at = text.indexOf(lines, at + lines.length)) {
    if (!isAt(text, lines, at)) continue;
    if (found !== undefined) return undefined;
    found = at;
  }
  return found === undefined ? undefined : { start: found, end: found + lines.length };
}

function isAt(text: string, lines: string, start: number): boolean {
  return (
    text.startsWith(lines, start) && isLineEdge(text, start) && isLineEdge(text, start + lines.length, true)
  );
}

function isLineEdge(text: string, at: number, isEnd = false): boolean {
  if (at === (isEnd ? text.length : 0)) return true;
  return isEnd ? text[at] === "\n" || text[at] === "\r" : text[at - 1] === "\n";
}

/** The text with the part replaced by the code, in the text's own line ends. Without code, its line is removed, too. */
export function replaceSpan(text: string, { start, end }: Span, code: string): string {
  const lineEnd = text.includes("\r\n") ? "\r\n" : "\n";
  const rest = text.slice(end);
  const isRemoved = code === "" && end > start;
  return (
    text.slice(0, start) +
    (lineEnd === "\n" ? code : code.replaceAll("\n", lineEnd)) +
    (isRemoved && rest.startsWith(lineEnd) ? rest.slice(lineEnd.length) : rest)
  );
}

/**
 * The code so far, followed by the lines of the original that it hasn't reached yet, so that they aren't shown as removed
 * while the response streams.
 */
export function previewOf(original: string, soFar: string): string {
  const lines = original.split(/\r?\n/);
  const received = soFar === "" ? [] : soFar.split("\n");
  let reached = 0;
  for (const line of received.slice(0, -1)) {
    const found = lines.slice(reached, reached + longestLookahead).indexOf(line);
    // Blank lines and brackets are everywhere, so they count only if they come next.
    if (found !== -1 && (found === 0 || line.trim().length > 3)) reached += found + 1;
  }
  return [...received, ...lines.slice(reached)].join("\n");
}

/** The whole lines around a part, cut to a number of UTF-16 units on each side. */
export function surroundings(
  text: string,
  { start, end }: Span,
  room: { readonly before: number; readonly after: number },
): { readonly before: string; readonly after: string } {
  const head = text.slice(Math.max(0, start - room.before), start);
  const tail = text.slice(end, end + room.after);
  const isHeadCut = start > room.before;
  const isTailCut = text.length - end > room.after;
  return {
    before: isHeadCut ? head.slice(head.indexOf("\n") + 1) : head,
    after: (isTailCut ? tail.slice(0, tail.lastIndexOf("\n") + 1) : tail).replace(/^\r?\n/, ""),
  };
}
