/** Patterns that aren't checked: all of a file's, or just one of them, each with the reason. */
export interface PatternException {
  readonly file: string;
  /** The pattern as written between the slashes. Without it, every pattern in the file. */
  readonly source?: string;
  readonly reason: string;
}

export const exceptions: readonly PatternException[] = [
  {
    file: "src/core/responses/code/codeLanguage.ts",
    source: String.raw`(?:^|[\s{,])(?:title|file|filename|file_name|path|name)\s*[=:]\s*(?:"([^"]*)"|'([^']*)'|([^\s,}]+))`,
    reason: "too complex to be checked; run on at most 1,000 characters behind a fence",
  },
  {
    file: "src/core/compose/context/contextProtocol.ts",
    source: String.raw`(?:^|[([{"'])(#\S*)$`,
    reason: "run on at most 200 characters before the caret",
  },
];
