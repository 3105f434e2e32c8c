/** What of a text differs from another: whole lines, as UTF-16 offsets into the old text and the new text between them. */
export interface ChangedPart {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The lines that differ; undefined where nothing does. Cursors and folds outside of them stay where they are. */
export function changedPart(before: string, after: string): ChangedPart | undefined {
  if (before === after) return undefined;
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start += 1;
  start = before.lastIndexOf("\n", start - 1) + 1;
  let end = 0;
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const suffix = before.slice(before.length - end);
  // The suffix begins with a whole line.
  const isLineStart = before[before.length - end - 1] === "\n" && after[after.length - end - 1] === "\n";
  if (!isLineStart) end = suffix.includes("\n") ? suffix.length - suffix.indexOf("\n") - 1 : 0;
  return { start, end: before.length - end, text: after.slice(start, after.length - end) };
}
