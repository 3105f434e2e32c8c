/** Lines of a document, counted from one; both ends are included. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** A location in a document as named by an attachment's title. */
export interface SourceLocation {
  readonly path: string;
  readonly lines?: LineRange;
}

/** Separates what is attached from its location. */
const separator = " · ";

/** Such as `src/app.ts`, `src/app.ts:3-10` or `parse · src/app.ts:3-10`. */
export function contextTitle({ path, lines }: SourceLocation, symbol?: string): string {
  const range =
    lines === undefined
      ? ""
      : lines.first === lines.last
        ? `:${lines.first}`
        : `:${lines.first}-${lines.last}`;
  return `${symbol === undefined ? "" : `${symbol}${separator}`}${path}${range}`;
}

/** The title without the folders of its path, for narrow spaces. */
export function shortTitle(title: string): string {
  const { path } = parseContextTitle(title);
  const name = path.split(/[\\/]/).at(-1) ?? "";
  const start = title.lastIndexOf(path);
  // A path has no space around its slashes; a sentence may.
  return name === "" || /\s[\\/]|[\\/]\s/.test(path) || start < 0
    ? title
    : `${title.slice(0, start)}${name}${title.slice(start + path.length)}`;
}

/** The location that a title names. Any text is taken for a path, whether or not such a file exists. */
export function parseContextTitle(title: string): SourceLocation {
  const location = title.slice(title.lastIndexOf(separator) < 0 ? 0 : title.lastIndexOf(separator) + 3);
  const match = /^(.+?):(\d{1,9})(?:-(\d{1,9}))?$/.exec(location);
  if (match?.[1] === undefined) return { path: location };
  const first = Number(match[2]);
  return { path: match[1], lines: { first, last: Math.max(first, Number(match[3] ?? first)) } };
}
