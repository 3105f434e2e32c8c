/** A line of a piece of code that stands in the file too. */
export interface Anchor {
  readonly inPiece: number;
  readonly inFile: number;
}

/** Whether a line says enough to be recognised. */
export function significant(line: string): boolean {
  return (line.match(/[\p{L}\p{N}]/gu) ?? []).length >= 3;
}

/**
 * Lines that the piece and the file have in common, each of them once in the file behind `from`, in the same order in
 * both. White space at the ends doesn't count.
 */
export function findAnchors(
  file: readonly string[],
  piece: readonly string[],
  from: number,
): readonly Anchor[] {
  const places = placesByText(file, from);
  const anchors: Anchor[] = [];
  for (const [inPiece, line] of piece.entries()) {
    const [inFile, ...others] = significant(line) ? (places.get(line.trim()) ?? []) : [];
    if (inFile === undefined || others.length > 0) continue;
    if (inFile > (anchors.at(-1)?.inFile ?? -1)) anchors.push({ inPiece, inFile });
  }
  return anchors;
}

/** The line behind the block of the file that goes on where the piece's last anchor is. */
export function endOfBlock(file: readonly string[], piece: readonly string[], last: Anchor): number {
  const rest = piece.slice(last.inPiece);
  // The rest of the piece is inside the block of this line, or goes on beside it.
  const depth = Math.min(...rest.filter((line) => line.trim() !== "").map(indentOf));
  const shift = indentOf(file[last.inFile] ?? "") - indentOf(rest[0] ?? "");
  const limit = depth + shift;
  const opens =
    indentOf(rest[1] ?? "") > indentOf(rest[0] ?? "") || limit < indentOf(file[last.inFile] ?? "");
  if (!opens) return last.inFile + 1;
  let end = last.inFile + 1;
  for (let line = end; line < file.length; line += 1) {
    const text = file[line] ?? "";
    if (text.trim() === "") continue;
    if (indentOf(text) > limit) end = line + 1;
    else return isCloser(text) && indentOf(text) === limit ? line + 1 : end;
  }
  return end;
}

function placesByText(file: readonly string[], from: number): ReadonlyMap<string, readonly number[]> {
  const places = new Map<string, number[]>();
  for (let line = from; line < file.length; line += 1) {
    const text = (file[line] ?? "").trim();
    const known = places.get(text);
    if (known === undefined) places.set(text, [line]);
    else known.push(line);
  }
  return places;
}

/** Columns of white space before a line; a tab is four. */
function indentOf(line: string): number {
  const space = /^[ \t]*/.exec(line)?.[0] ?? "";
  return space.replaceAll("\t", "    ").length;
}

function isCloser(line: string): boolean {
  return /^(?:[\])}>][\])}>;,]*|end|fi|done|esac|<\/[\w.-]+>)\s*;?$/.test(line.trim());
}
