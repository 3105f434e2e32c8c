/** UTF-16 code units after which a text is split at the next suitable place. Texts written by people are shorter. */
const goodLength = 4000;
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

const marks = /\\[^]|\$+|`+|[*_~]+|\]\(|[[\]()]|[ \t\n]+|[。！？]/g;
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
  while (text.length - start > goodLength) {
    const end = findEnd(text, start);
    if (end === undefined) break;
    runs.push(text.slice(start, end));
    start = end;
  }
  return [...runs, text.slice(start)];
}

function findEnd(text: string, start: number): number | undefined {
  const open = new OpenMarks();
  let marked = 0;
  marks.lastIndex = start;
  for (let match = marks.exec(text); match !== null; match = marks.exec(text)) {
    const end = marks.lastIndex;
    if (end - start > maxLength) break;
    const [mark] = match;
    if (!space.test(mark) && !sentenceEnd.test(mark)) {
      open.read(mark, text, match.index);
      marked += mark.length;
      const position = mark.length > 2 ? insideMark(match.index, start, end - marked + maxMarks) : end;
      if (marked >= maxMarks && end - start > goodLength && position < text.length) return position;
    } else if (end < text.length && isGoodEnd(end - start, open.isEmptyAt(end))) return end;
  }
  return text.length - start > maxLength ? betweenCharacters(text, start + maxLength) : undefined;
}

/** The result is the same however long the mark becomes. */
function insideMark(index: number, start: number, lastMark: number): number {
  return Math.max(index + 3, start + goodLength, lastMark);
}

function isGoodEnd(length: number, isNothingOpen: boolean): boolean {
  return length >= patientLength || (length >= goodLength && isNothingOpen);
}

function betweenCharacters(text: string, end: number): number {
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
