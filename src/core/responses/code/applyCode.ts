import { elisionOf } from "../../kernel/elision.ts";
import { editLines, patchEdits } from "../../kernel/patch.ts";
import { fileNameInComment } from "./codeLanguage.ts";

/** How a code block is applied to a file; `nowhere` if it changes lines that aren't there. */
type ApplyWay = "wholeFile" | "matchingPart" | "end" | "nowhere";

/** The proposed content of a file. Nothing is written: it is shown next to the current content. */
export interface AppliedCode {
  readonly way: ApplyWay;
  readonly text: string;
}

/** The share of the file's significant lines that a block must contain to count as the whole file. */
const wholeFileShare = 0.6;
/** The number of significant lines at either end of which one must be in the block. */
const edge = 5;

/**
 * Applies a block to a file. A block that contains most of the file replaces the file. Otherwise it replaces the part
 * between its first and last line that also occur in the file, or the function or class that it begins with; a block
 * without a matching part is appended. With gaps (`// … existing code …`), each piece is placed separately, and a gap
 * never loses anything.
 */
export function applyCode(current: string, code: string): AppliedCode {
  const lineEnd = current.includes("\r\n") ? "\r\n" : "\n";
  const file = splitLines(current);
  const block = splitLines(withoutFileName(code, file));
  const join = (lines: readonly string[]): string =>
    lines.length === 0 ? "" : lines.join(lineEnd) + (/\n$/.test(current) || current === "" ? lineEnd : "");
  const edits = patchEdits(file, code, { start: 0, end: file.length });
  if (edits === "unfit") return { way: "nowhere", text: current };
  if (edits !== undefined) return { way: "matchingPart", text: join(editLines(file, edits)) };
  if (isWholeFile(file, block)) return { way: "wholeFile", text: join(block) };
  const merged = merge(file, block);
  return merged === undefined
    ? { way: "end", text: join(appended(file, block)) }
    : { way: "matchingPart", text: join(merged) };
}

/** The code with the lines of the original that its comments stand for, such as `// … existing code …`. */
export function fillGaps(original: string, code: string): string {
  const own = new Set(original.split("\n").map((line) => line.trim()));
  // A line with only three dots is code in Python.
  const isGap = (line: string): boolean => elisionOf(line) === "comment" && !own.has(line.trim());
  if (!code.split("\n").some(isGap)) return code;
  const { way, text } = applyCode(original.replaceAll("\r\n", "\n"), code);
  return way === "matchingPart" ? text.replace(/\n$/, "") : code;
}

function isWholeFile(file: readonly string[], block: readonly string[]): boolean {
  const said = file.filter(significant);
  if (said.length === 0) return true;
  if (block.some((line) => elisionOf(line) !== undefined)) return false;
  const kept = new Set(block.map((line) => line.trim()));
  const share = said.filter((line) => kept.has(line.trim())).length / said.length;
  const isKept = (line: string): boolean => kept.has(line.trim());
  const hasEnds = said.slice(0, edge).some(isKept) && said.slice(-edge).some(isKept);
  return share >= wholeFileShare && hasEnds && block.length >= 3;
}

/** The file with each piece of the block in its place; undefined if a piece has no place. */
function merge(file: readonly string[], block: readonly string[]): readonly string[] | undefined {
  const result: string[] = [];
  const places = linePlaces(file);
  let copied = 0;
  for (const piece of pieces(block).flatMap((whole) => splitAtJumps(places, whole))) {
    const position = findPosition(file, places, piece, copied);
    if (position === undefined) return undefined;
    result.push(...file.slice(copied, position.start), ...piece);
    copied = position.end;
  }
  return copied === 0 ? undefined : [...result, ...file.slice(copied)];
}

function findPosition(
  file: readonly string[],
  places: LinePlaces,
  piece: readonly string[],
  from: number,
): { readonly start: number; readonly end: number } | undefined {
  const anchors = [...anchorsOf(places, piece, from)];
  const [first] = anchors;
  const last = anchors.at(-1);
  if (first === undefined || last === undefined) return undefined;
  // Lines of the piece after its last anchor replace the rest of the block that begins there.
  const isCovered = piece.slice(last.inPiece + 1).every((line) => line.trim() === "");
  return { start: first.inFile, end: isCovered ? last.inFile + 1 : endOfBlock(file, piece, last) };
}

/** Splits the block at its gaps. */
function pieces(block: readonly string[]): readonly (readonly string[])[] {
  const found: string[][] = [[]];
  for (const line of block) {
    if (elisionOf(line) !== undefined) found.push([]);
    else found.at(-1)?.push(line);
  }
  // Only brackets around a gap are in the file already.
  const isSaid = found.length > 1 ? significant : (line: string): boolean => line.trim() !== "";
  return found.filter((piece) => piece.some(isSaid)).map(trimBlank);
}

/** Splits a piece where the file has many more lines between two anchors, which is an unmarked gap. */
function splitAtJumps(places: LinePlaces, piece: readonly string[]): readonly (readonly string[])[] {
  const parts: (readonly string[])[] = [];
  let rest = piece;
  for (let jump = findJump(places, rest); jump !== undefined; jump = findJump(places, rest)) {
    const [before, after] = jump;
    const blank = rest.slice(before.inPiece, after.inPiece).findLastIndex((line) => line.trim() === "");
    const cut = blank === -1 ? after.inPiece : before.inPiece + blank + 1;
    parts.push(trimBlank(rest.slice(0, cut)));
    rest = trimBlank(rest.slice(cut));
  }
  return [...parts, rest];
}

/** The first two anchors with an unmarked gap between them. What follows isn't looked at. */
function findJump(
  places: LinePlaces,
  piece: readonly string[],
): readonly [before: Anchor, after: Anchor] | undefined {
  let before: Anchor | undefined;
  for (const after of anchorsOf(places, piece, 0)) {
    if (before !== undefined && after.inFile - before.inFile > 3 * (after.inPiece - before.inPiece) + 5)
      return [before, after];
    before = after;
  }
  return undefined;
}

function trimBlank(lines: readonly string[]): readonly string[] {
  const isSaid = (line: string): boolean => line.trim() !== "";
  return lines.slice(lines.findIndex(isSaid), lines.findLastIndex(isSaid) + 1);
}

function appended(file: readonly string[], block: readonly string[]): readonly string[] {
  const isApart = file.length === 0 || file.at(-1)?.trim() === "";
  return isApart ? [...file, ...block] : [...file, "", ...block];
}

/** A first line that only names the file was added by the model, unless the file contains it, too. */
function withoutFileName(code: string, file: readonly string[]): string {
  const end = code.indexOf("\n");
  const first = end === -1 ? code : code.slice(0, end);
  if (fileNameInComment(first) === undefined || file[0]?.trim() === first.trim()) return code;
  return end === -1 ? "" : code.slice(end + 1).replace(/^\s*\n/, "");
}

function splitLines(text: string): readonly string[] {
  const lines = text.split(/\r\n|\r|\n/);
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** A line of a piece of code that also occurs in the file. */
interface Anchor {
  readonly inPiece: number;
  readonly inFile: number;
}

/** Whether a line is distinctive enough to be recognized. */
function significant(line: string): boolean {
  return (line.match(/[\p{L}\p{N}]/gu) ?? []).length >= 3;
}

/**
 * Lines that the piece and the file have in common, each of which occurs once in the file after `from`, in the same
 * order in both. Whitespace at the ends is ignored.
 */
function* anchorsOf(places: LinePlaces, piece: readonly string[], from: number): Iterable<Anchor> {
  let latest = -1;
  for (const [inPiece, line] of piece.entries()) {
    const { last, previous } = places.get(line.trim()) ?? nowhere;
    if (last < from || previous >= from || last <= latest) continue;
    latest = last;
    yield { inPiece, inFile: last };
  }
}

/** The end of the file's block that continues after the piece's last anchor. */
function endOfBlock(file: readonly string[], piece: readonly string[], last: Anchor): number {
  const rest = piece.slice(last.inPiece);
  // The rest of the piece is inside the block of this line, or continues at its level.
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

/** The last two lines of a file with the same text. */
interface LinePlace {
  readonly last: number;
  readonly previous: number;
}

/** Where the distinctive lines of a file are, by their text without whitespace at the ends. */
type LinePlaces = ReadonlyMap<string, LinePlace>;

const nowhere: LinePlace = { last: -1, previous: -1 };

function linePlaces(file: readonly string[]): LinePlaces {
  const places = new Map<string, LinePlace>();
  for (const [line, text] of file.entries()) {
    if (!significant(text)) continue;
    const key = text.trim();
    places.set(key, { last: line, previous: places.get(key)?.last ?? -1 });
  }
  return places;
}

/** Columns of whitespace at the start of a line; a tab counts as four. */
function indentOf(line: string): number {
  const space = /^[ \t]*/.exec(line)?.[0] ?? "";
  return space.replaceAll("\t", "    ").length;
}

function isCloser(line: string): boolean {
  return /^(?:[\])}>][\])}>;,]*|end|fi|done|esac|<\/[\w.-]+>)\s*;?$/.test(line.trim());
}
/**
 * The part of a text that differs from another: whole lines, as UTF-16 offsets into the old text, and the new text
 * between them.
 */
interface ChangedPart {
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

/** The lines that differ; undefined if nothing does. Cursors and folds outside them stay where they are. */
export function changedPart(before: string, after: string): ChangedPart | undefined {
  if (before === after) return undefined;
  const shortest = Math.min(before.length, after.length);
  let start = 0;
  while (start < shortest && before[start] === after[start]) start += 1;
  // A search that begins before the text would still find a line end at its first position.
  start = start === 0 ? 0 : before.lastIndexOf("\n", start - 1) + 1;
  let end = 0;
  while (end < shortest - start && before.at(-1 - end) === after.at(-1 - end)) end += 1;
  const suffix = before.slice(before.length - end);
  // The suffix begins with a whole line.
  const isLineStart = before[before.length - end - 1] === "\n" && after[after.length - end - 1] === "\n";
  if (!isLineStart) end = suffix.includes("\n") ? suffix.length - suffix.indexOf("\n") - 1 : 0;
  return { start, end: before.length - end, text: after.slice(start, after.length - end) };
}
/**
 * The code as inserted after the beginning of a line: if that consists only of whitespace, the following lines are
 * indented to match. A trailing line end is removed, because the cursor's line continues.
 */
export function indentCode(code: string, lineStart: string): string {
  const text = code.replace(/\n$/, "");
  if (lineStart === "" || lineStart.trim() !== "") return text;
  const [first = "", ...rest] = text.split("\n");
  return [first, ...rest.map((line) => (line === "" ? "" : lineStart + line))].join("\n");
}
