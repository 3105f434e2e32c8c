/** Why a file can't be included, or not be written to. */
export type IncludeProblem = "path" | "notText";

export type IncludeChange =
  | { readonly state: "done"; readonly text: string }
  /** Nothing has to be changed. */
  | { readonly state: "unchanged" }
  | { readonly state: "refused"; readonly problem: IncludeProblem };

const byteOrderMark = "\ufeff";

/**
 * The line that includes the file in an ssh configuration; undefined where its path holds characters that ssh reads as a
 * pattern, a variable or a quote, which no quoting takes away from them.
 */
export function includeLine(path: string): string | undefined {
  const plain = /^[A-Za-z]:\\/.test(path) ? path.replaceAll("\\", "/") : path;
  if (/["\\*?[\]{}$%\p{Cc}\u2028\u2029]/u.test(plain)) return undefined;
  return /^[\w./:@+-]+$/.test(plain) ? `Include ${plain}` : `Include "${plain}"`;
}

/**
 * The configuration with the line at its top, where it counts for every host; all else stays to the byte. A line that
 * stands further below may belong to one host only, and is moved.
 */
export function addInclude(text: string, path: string): IncludeChange {
  const line = includeLine(path);
  if (line === undefined) return { state: "refused", problem: "path" };
  if (text.includes("\0")) return { state: "refused", problem: "notText" };
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const lines = splitLines(text.slice(mark.length));
  const rest = lines.filter((each) => !isSame(each, line));
  if (rest.length === lines.length - 1 && isSame(lines[0] ?? "", line)) return { state: "unchanged" };
  const ending = /\r?\n/.exec(text)?.[0] ?? "\n";
  return { state: "done", text: mark + line + ending + rest.join("") };
}

/** The configuration without the line, wherever it stands; all else stays to the byte. */
export function removeInclude(text: string, path: string): IncludeChange {
  const line = includeLine(path);
  if (line === undefined) return { state: "unchanged" };
  const mark = text.startsWith(byteOrderMark) ? byteOrderMark : "";
  const lines = splitLines(text.slice(mark.length));
  const rest = lines.filter((each) => !isSame(each, line));
  return rest.length === lines.length
    ? { state: "unchanged" }
    : { state: "done", text: mark + rest.join("") };
}

/** Each with its ending. */
function splitLines(text: string): readonly string[] {
  return text.match(/[^\n]*\n|[^\n]+$/g) ?? [];
}

/** Indented or in another case by the user: it still is our line. */
function isSame(text: string, line: string): boolean {
  return text.trim().replace(/^include\s+/i, "Include ") === line;
}
