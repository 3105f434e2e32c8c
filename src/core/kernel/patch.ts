/** Lines of a text. `end` isn't included. */
interface LineSpan {
  readonly start: number;
  readonly end: number;
}

/** Lines of a text, and what they are replaced with. */
type LineEdit = LineSpan & { readonly lines: readonly string[] };

const marker =
  /^(?:@@(?: |$)|diff --git |\*\*\* (?:Begin Patch|(?:Update|Add) File:)|(?:<{5,9}|-{5,9}) ?(?:SEARCH|ORIGINAL)\b|--- .*\r?\n\+\+\+ )/m;
const searchStart = /^(?:<{5,9}|-{5,9}) ?(?:SEARCH|ORIGINAL)\b/;
const searchMiddle = /^={5,9}\s*$/;
const hunkStart = /^(?:@@|\+\+\+ |\*\*\* (?:Update|Add) File:)/;
const hunkEnd = /^(?:\*\*\* |diff --git |`{3,}|(?:>{5,9}|\+{5,9}) ?(?:REPLACE|UPDATED)\b)/;
/** The heading of a hunk: after the counts of a unified diff, or alone, the line that its change is below. */
const heading = /^@@(?: -[\d, +]{1,40}@@)?([^]*)$/;
/** More headings than are nested. */
const mostHeadings = 4;
/** More places than a patch for one file has. Each is looked for in the whole text. */
const mostHunks = 200;
/** More places of the same lines than are told apart. */
const mostPlaces = 50;
/** Lines of a patch that belong to neither text. */
const hunkNote = /^(?:\\ No newline|:(?:start|end)_line:|-{5,9}$)/;

/** Whether the code is a change of the text instead of a new text. It isn't if the text itself is a patch. */
export function isPatch(code: string, text: string): boolean {
  return marker.test(code) && !marker.test(text);
}

/**
 * What a patch changes in a text: a unified diff, search-and-replace blocks, `*** Begin Patch`, or lines that all begin
 * with `+`, `-` or a space. Models count lines wrongly, so that lines are found by their text, preferably in the range.
 * Undefined if the code isn't a patch, or "unfit" if some of its lines aren't in the text, or repeatedly.
 */
export function patchEdits(
  lines: readonly string[],
  code: string,
  range: LineSpan,
): readonly LineEdit[] | "unfit" | undefined {
  const isMarked = isPatch(code, lines.join("\n"));
  if (!isMarked && (!/^[-+]/m.test(code) || /^[^-+ \r\n]/m.test(code))) return undefined;
  const hunks = readHunks(code, isMarked);
  if (hunks.length > mostHunks) return isMarked ? "unfit" : undefined;
  const text = joinTrimmed(lines);
  const edits = hunks.map((hunk) => placeHunk(lines, text, hunk, range));
  const sorted = edits.flatMap((edit) => edit ?? []).sort((a, b) => a.start - b.start);
  const isFit = sorted.every(({ start }, index) => start >= (sorted[index - 1]?.end ?? 0));
  if (isFit && sorted.length > 0 && sorted.length === edits.length) return sorted;
  return isMarked ? "unfit" : undefined;
}

/** The lines with the edits. */
export function editLines(lines: readonly string[], edits: readonly LineEdit[]): readonly string[] {
  const starts = [...edits.map(({ start }) => start), lines.length];
  const kept = starts.map((start, index) => lines.slice(edits[index - 1]?.end ?? 0, start));
  return kept.flatMap((before, index) => [...before, ...(edits[index]?.lines ?? [])]);
}

interface Hunk {
  /** Lines that the change is below, such as a class and its method. */
  readonly below: readonly string[];
  readonly old: string[];
  readonly new: string[];
}

function readHunks(code: string, isMarked: boolean): readonly Hunk[] {
  let hunk: Hunk = { below: [], old: [], new: [] };
  const hunks = [hunk];
  let state: "outside" | "diff" | "search" | "replace" = isMarked ? "outside" : "diff";
  let before: string | undefined;
  for (const line of code.split(/\r?\n/)) {
    const isSearch = searchStart.test(line);
    if (isMarked && (isSearch || hunkStart.test(line))) {
      const name = heading.exec(line)?.[1]?.replace(/@@$/, "").trim() ?? "";
      const outer = hunk.old.length + hunk.new.length === 0 ? hunk.below : [];
      const below = name === "" ? [] : [...outer, name].slice(-mostHeadings);
      hunks.push((hunk = { below, old: [], new: [] }));
      state = isSearch ? "search" : "diff";
    } else if (state === "search" && searchMiddle.test(line)) state = "replace";
    // Words after the patch follow a line without any sign.
    else if (hunkEnd.test(line) || (isMarked && state === "diff" && before === "" && /^\w/.test(line)))
      state = "outside";
    else if (state !== "outside" && !hunkNote.test(line)) {
      // Models drop the space in front of lines that stay.
      const text = state === "diff" ? line.replace(/^[-+ ]/, "") : line;
      if (state === "search" || (state === "diff" && !line.startsWith("+"))) hunk.old.push(text);
      if (state === "replace" || (state === "diff" && !line.startsWith("-"))) hunk.new.push(text);
    }
    before = line;
  }
  return hunks.filter(({ old, new: added }) => old.length + added.length > 0);
}

/** The lines that change, or undefined if the old ones aren't there. Whitespace at their ends is ignored. */
function placeHunk(
  lines: readonly string[],
  text: string,
  hunk: Hunk,
  range: LineSpan,
): LineEdit | undefined {
  const isBlank = (line: string | undefined): boolean => line?.trim() === "";
  const isBlankAt = (index: number): boolean => isBlank(hunk.old.at(index)) && isBlank(hunk.new.at(index));
  // Blank lines at the ends that stay may be missing in the text.
  let head = 0;
  while (isBlankAt(head)) head++;
  let tail = 0;
  while (tail < Math.min(hunk.old.length, hunk.new.length) - head && isBlankAt(-1 - tail)) tail++;
  const [old, added] = [
    hunk.old.slice(head, hunk.old.length - tail),
    hunk.new.slice(head, hunk.new.length - tail),
  ];
  if (old.every(isBlank))
    return lines.slice(range.start, range.end).every(isBlank) ? { ...range, lines: added } : undefined;
  const at = findLines(text, old, range, blockBelow(lines, hunk.below));
  if (at === undefined) return undefined;
  // The patch may be at the left margin.
  const [found, wanted] = [indentOf(old[0] ?? ""), indentOf(lines[at] ?? "")];
  const moved = (line: string): string =>
    line.startsWith(found) && !isBlank(line) ? wanted + line.slice(found.length) : line;
  const most = Math.min(old.length, added.length);
  let start = 0;
  while (start < most && old[start] === added[start]) start++;
  let end = 0;
  while (end < most - start && old.at(-1 - end) === added.at(-1 - end)) end++;
  const changed = added.slice(start, added.length - end).map(moved);
  return { start: at + start, end: at + old.length - end, lines: changed };
}

/** The lines without their indentation, each between line ends. */
function joinTrimmed(lines: readonly string[]): string {
  return `\n${lines.map((line) => line.trim()).join("\n")}\n`;
}

/** The block that begins with the named lines, one inside the other. A name that is missing or repeated is ignored. */
function blockBelow(lines: readonly string[], names: readonly string[]): LineSpan {
  let block: LineSpan = { start: 0, end: lines.length };
  for (const name of names) {
    const { start, end } = block;
    const isNamed = (line: string): boolean =>
      line.startsWith(name) && !/^\w\w/.test((name.at(-1) ?? "") + line.slice(name.length));
    const named = lines.slice(start, end).flatMap((line, at) => (isNamed(line.trim()) ? [start + at] : []));
    const [first, ...others] = named;
    if (first === undefined || others.length > 0) continue;
    const depth = indentOf(lines[first] ?? "").length;
    const isNext = (line: string): boolean => /^\s*\w/.test(line) && indentOf(line).length <= depth;
    const length = lines.slice(first + 1, end).findIndex(isNext);
    block = { start: first, end: length === -1 ? end : first + 1 + length };
  }
  return block;
}

/** The only place of these lines in the block, or else below its start, preferably in the range; or else in the text. */
function findLines(
  text: string,
  wanted: readonly string[],
  range: LineSpan,
  block: LineSpan,
): number | undefined {
  const part = joinTrimmed(wanted);
  const below = findPlaces(text, part, block.start);
  const places = below.length > 0 || block.start === 0 ? below : findPlaces(text, part, 0);
  const inBlock = places.filter((at) => at + wanted.length <= block.end);
  const found = inBlock.length > 0 ? inBlock : places;
  const near = found.filter((at) => at + wanted.length > range.start && at < range.end);
  const [first, ...others] = near.length > 0 ? near : found;
  return others.length === 0 ? first : undefined;
}

function findPlaces(text: string, part: string, from: number): readonly number[] {
  const places: number[] = [];
  let line = from;
  let counted = text.split("\n", from + 1).join("\n").length;
  for (let at = text.indexOf(part, counted); at !== -1; at = text.indexOf(part, at + 1)) {
    if (places.length === mostPlaces) break;
    line += text.slice(counted, at).split("\n").length - 1;
    counted = at;
    places.push(line);
  }
  return places;
}

/** The whitespace at the start of a line. */
export function indentOf(line: string): string {
  return /^[ \t]*/.exec(line)?.[0] ?? "";
}
