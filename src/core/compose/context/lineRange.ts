/** Lines of a document, counted from one; both are inside. */
export interface LineRange {
  readonly first: number;
  readonly last: number;
}

/** A place in a document as an attachment's title names it. */
export interface SourceLocation {
  readonly path: string;
  readonly lines?: LineRange;
}

/** Between what is attached and where it stands. */
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

/** The title without the folders of its path, for where there is little room. */
export function shortTitle(title: string): string {
  const { path } = parseContextTitle(title);
  const name = path.split(/[\\/]/).at(-1) ?? "";
  const start = title.lastIndexOf(path);
  // A path has no space around its slashes; a sentence may.
  return name === "" || /\s[\\/]|[\\/]\s/.test(path) || start < 0
    ? title
    : `${title.slice(0, start)}${name}${title.slice(start + path.length)}`;
}

/** The place that a title names; any text is taken for a path, whether there is such a file or not. */
export function parseContextTitle(title: string): SourceLocation {
  const location = title.slice(title.lastIndexOf(separator) < 0 ? 0 : title.lastIndexOf(separator) + 3);
  const match = /^(.+?):(\d{1,9})(?:-(\d{1,9}))?$/.exec(location);
  if (match?.[1] === undefined) return { path: location };
  const first = Number(match[2]);
  return { path: match[1], lines: { first, last: Math.max(first, Number(match[3] ?? first)) } };
}
