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

/**
 * Where the original part is now: at its last known position, or at the only other one with the same lines. Undefined if
 * it has changed.
 */
export function findOriginal(text: string, original: string, last: Span): Span | undefined {
  const isAt = (start: number): boolean =>
    text.startsWith(original, start) &&
    isLineEdge(text, start) &&
    isLineEdge(text, start + original.length, true);
  if (text.slice(last.start, last.end) === original && isAt(last.start)) return last;
  if (original.trim() === "") return undefined;
  let found: number | undefined;
  for (let at = text.indexOf(original); at !== -1; at = text.indexOf(original, at + original.length)) {
    if (!isAt(at)) continue;
    if (found !== undefined) return undefined;
    found = at;
  }
  return found === undefined ? undefined : { start: found, end: found + original.length };
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
