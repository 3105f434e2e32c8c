/** UTF-16 units without an end of a sentence that are said all the same. */
const longestSentence = 400;

/** The end of a sentence: its mark, what closes with it, and what shows that another one begins. */
const sentenceEnd = /[.!?…]+["'”’»)\]]*(?=\s)|[。！？]+["”』」）]*/u;

const fence = /^\s{0,3}(`{3,}|~{3,})\s*([\w+#.-]*)/;

/** What makes a line a heading, a quotation or an item of a list. */
const lineMarks = /^\s*(?:>\s?)*(?:#{1,6}\s+|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,9}[.)](?:\s+|$))?/;

/** What is said in the place of a block of code, from its language (may be empty) and its number of lines. */
export type DescribeCode = (language: string, lines: number) => string;

/**
 * Cuts growing Markdown into sentences that can be listened to: markup is left out, code is named instead of spelt.
 * Each delta costs the same, however long the text is.
 */
export class SpokenText {
  readonly #describeCode: DescribeCode;
  /** What has come of the line that is still open. */
  #line = "";
  #isLineStart = true;
  #code: { readonly mark: string; readonly language: string; lines: number } | undefined;

  constructor(describeCode: DescribeCode) {
    this.#describeCode = describeCode;
  }

  /** The sentences that this text completes. */
  append(text: string): readonly string[] {
    const said: string[] = [];
    const lines = text.split("\n");
    for (const [index, part] of lines.entries()) {
      this.#line += part;
      if (index < lines.length - 1) said.push(...this.#endLine());
      else if (this.#code === undefined) said.push(...this.#takeSentences());
    }
    return said.filter((sentence) => sentence !== "");
  }

  /** What is left when no more text comes. */
  finish(): readonly string[] {
    const said = this.#endLine();
    const code = this.#endCode();
    return [...said, ...code].filter((sentence) => sentence !== "");
  }

  #endLine(): readonly string[] {
    if (this.#code === undefined) {
      const opened = this.#isLineStart ? fence.exec(this.#line) : null;
      const said = opened === null ? [...this.#cut(), plain(this.#line, this.#isLineStart)] : [];
      if (opened !== null) this.#code = { mark: opened[1] ?? "```", language: opened[2] ?? "", lines: 0 };
      this.#line = "";
      this.#isLineStart = true;
      return said;
    }
    const isEnd = this.#line.trim().startsWith(this.#code.mark);
    this.#line = "";
    if (isEnd) return this.#endCode();
    this.#code.lines += 1;
    return [];
  }

  #endCode(): readonly string[] {
    if (this.#code === undefined) return [];
    const { language, lines } = this.#code;
    this.#code = undefined;
    return [this.#describeCode(language, lines)];
  }

  #takeSentences(): readonly string[] {
    // The first characters of a line tell whether it opens a block of code.
    if (this.#isLineStart && /^\s{0,3}[`~]{0,3}$/.test(this.#line)) return [];
    if (this.#isLineStart && fence.test(this.#line)) return [];
    return this.#cut();
  }

  /** Takes whole sentences from the open line. */
  #cut(): readonly string[] {
    const said: string[] = [];
    for (;;) {
      const from = this.#isLineStart ? (lineMarks.exec(this.#line)?.[0].length ?? 0) : 0;
      const end = sentenceEnd.exec(this.#line.slice(from));
      const length = end === null ? longestSentence : from + end.index + end[0].length;
      if (end === null && this.#line.length <= longestSentence) return said;
      said.push(plain(this.#line.slice(0, length), this.#isLineStart));
      this.#line = this.#line.slice(length);
      this.#isLineStart = false;
    }
  }
}

/** A line or a sentence without its Markdown. */
function plain(text: string, isLineStart: boolean): string {
  const inner = isLineStart ? text.replace(lineMarks, "") : text;
  if (/^[\s|:=*_-]*$/.test(inner)) return "";
  return inner
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/(\*\*|__|~~|`)/g, "")
    .replace(/(^|\s)[*_](?=\S)|(?<=\S)[*_](?=\s|$|[.,;:!?])/g, "$1")
    .replace(/^\s*\|\s*|\s*\|\s*$/g, "")
    .replace(/\s*\|\s*/g, ", ")
    .replace(/\s+/g, " ")
    .trim();
}
