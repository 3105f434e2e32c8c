/** UTF-16 code units after which a text is split at the next suitable place. Texts written by people are shorter. */
const goodLength = 4000;
/** A text with many marks may be split after this many units. */
const leastLength = 1000;
/** A mark counts as much as this many UTF-16 code units, because laying out its element costs as much. */
const markSize = 8;
/** The maximum distance of a space from the start of a run: longer sequences without a space aren't words. */
const longestWord = 8000;
/** Emphasis, code or a link that stays open for this long isn't one, so the text is split at the next space. */
const patientLength = 16_000;
/** The length at which the text is split even without a space. */
const maxLength = 32_000;
/**
 * Number of mark characters after which a run ends wherever it is: the parser searches for the counterpart of each
 * mark, and people don't write this many without closing them.
 */
const maxMarks = 1000;
/** Formulas are shorter than this, so an opening mark without a closing one within this length isn't a formula. */
const maxFormula = 2000;

/** Number of combining marks on one letter after which a run ends, even inside a link: it would be laid out as a whole. */
const mostStacked = 2000;
const stacked = /^\p{M}/u;
const marks = /\p{M}{32,2000}|\\[^]|\$+|`+|[*_~]+|\]\(|[[\]()]|[ \t\n]+|[。！？]/gu;
const space = /^[ \t\n]/;
const sentenceEnd = /^[。！？]/;
/** Characters that belong to the previous character. */
const continues = /^[\p{M}\u200D\uDC00-\uDFFF]/u;

/**
 * Splits the text of a very long paragraph into runs, which are parsed and laid out separately. The end of a run
 * depends only on the text from its start to one code unit after its end, so the runs are the same for every prefix of
 * the text that is long enough to contain them.
 */
export function cutRuns(text: string): readonly string[] {
  const runs: string[] = [];
  let start = 0;
  while (text.length - start > leastLength) {
    const end = findEnd(text, start);
    if (end === undefined) break;
    runs.push(text.slice(start, end));
    start = end;
  }
  return [...runs, text.slice(start)];
}

/** Whether a run has so many open marks that it is shown as it is: the elements would take longer than a frame. */
export function isUnreadable(run: string): boolean {
  return (run.match(/[*_~]/g) ?? []).length >= maxMarks;
}

function findEnd(text: string, start: number): number | undefined {
  const open = new OpenMarks();
  let units = 0;
  let count = 0;
  let last = start;
  // Without this limit, a text without marks would be searched to its end again for each run.
  const nearby = text.slice(0, start + maxLength + 1);
  marks.lastIndex = start;
  for (let match = marks.exec(nearby); match !== null; match = marks.exec(nearby)) {
    const end = marks.lastIndex;
    if (end - start > maxLength || isTooLongWord(last, match.index, open)) break;
    last = end;
    const [mark] = match;
    if (stacked.test(mark)) {
      if (mark.length >= mostStacked && end < text.length) return end;
      continue;
    }
    if (!space.test(mark) && !sentenceEnd.test(mark)) {
      open.read(mark, text, match.index);
      units += mark.length;
      count += 1;
      const position = mark.length > 2 ? insideMark(match.index, start, end - units + maxMarks) : end;
      if (units >= maxMarks && end - start > goodLength && position < text.length) return position;
    } else if (end < text.length && isGoodEnd(end - start, count, open.isEmptyAt(end))) return end;
  }
  if (isTooLongWord(last, text.length - 1, open)) return betweenCharacters(text, last + longestWord);
  return text.length - start > maxLength ? betweenCharacters(text, start + maxLength) : undefined;
}

function isTooLongWord(start: number, end: number, open: OpenMarks): boolean {
  return end - start > longestWord && open.isEmptyAt(start + longestWord);
}

/** The result is the same however long the mark becomes. */
function insideMark(index: number, start: number, lastMark: number): number {
  return Math.max(index + 3, start + goodLength, lastMark);
}

function isGoodEnd(length: number, markCount: number, isNothingOpen: boolean): boolean {
  if (length >= patientLength) return true;
  return isNothingOpen && length >= leastLength && length + markCount * markSize >= goodLength;
}

/** The last position up to this one that isn't inside a character, unless that is a very long one. */
export function betweenCharacters(text: string, end: number): number {
  for (let position = end; position > end - 32; position -= 1) {
    const isJoined = text[position - 1] === "\u200D" || text[position - 1] === "\\";
    if (!isJoined && !continues.test(text[position] ?? "")) return position;
  }
  return end;
}

/** Marks that have been opened but not closed, as far as can be determined without parsing. */
class OpenMarks {
  #ticks = 0;
  #emphasis = 0;
  #brackets = 0;
  #parentheses = 0;
  /** The closing mark of the open formula, and the position at which the formula started. */
  #closing: string | undefined;
  #formulaStart = 0;

  /** Whether nothing is open at this position in the text. */
  isEmptyAt(index: number): boolean {
    const isMarked = this.#ticks + this.#emphasis + this.#brackets + this.#parentheses > 0;
    return !isMarked && !this.#isInFormula(index);
  }

  read(mark: string, text: string, index: number): void {
    if (this.#isInFormula(index)) return this.#readInFormula(mark);
    if (mark.startsWith("`")) this.#readTicks(mark.length);
    else if (this.#ticks > 0) return;
    else if (/^(?:\$|\\[([])/.test(mark)) this.#openFormula(mark, text, index);
    else if (/^[*_~]/.test(mark)) this.#readEmphasis(mark.length, text[index - 1], text[index + mark.length]);
    else this.#readBracket(mark);
  }

  #isInFormula(index: number): boolean {
    return this.#closing !== undefined && index - this.#formulaStart <= maxFormula;
  }

  /** A dollar sign that can't close a formula also ends it: it wasn't one (see mathRules.ts). */
  #readInFormula(mark: string): void {
    if (mark === this.#closing || mark.startsWith("$")) this.#closing = undefined;
  }

  #openFormula(mark: string, text: string, index: number): void {
    const isMoney =
      mark === "$" && (/[\p{L}\p{N}]/u.test(text[index - 1] ?? "") || /\s/.test(text[index + 1] ?? " "));
    if (isMoney || mark.length > 2) return;
    this.#closing = { $: "$", $$: "$$", "\\(": "\\)", "\\[": "\\]" }[mark];
    this.#formulaStart = index;
  }

  #readTicks(count: number): void {
    if (this.#ticks === 0) this.#ticks = count;
    else if (this.#ticks === count) this.#ticks = 0;
  }

  #readEmphasis(count: number, before: string | undefined, after: string | undefined): void {
    const canClose = before !== undefined && !/\s/.test(before);
    const canOpen = after !== undefined && !/\s/.test(after);
    if (canClose && this.#emphasis > 0) this.#emphasis = Math.max(0, this.#emphasis - count);
    else if (canOpen) this.#emphasis += count;
  }

  /** Parentheses count only after a bracket, as the target of a link. */
  #readBracket(mark: string): void {
    if (mark === "[") this.#brackets += 1;
    else if (mark.startsWith("]")) this.#brackets = Math.max(0, this.#brackets - 1);
    if (mark === "](" || (mark === "(" && this.#parentheses > 0)) this.#parentheses += 1;
    if (mark === ")") this.#parentheses = Math.max(0, this.#parentheses - 1);
  }
}
