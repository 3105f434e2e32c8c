/** UTF-16 units after which text is spoken even without the end of a sentence. */
const longestSentence = 400;

/** UTF-16 units of a line that are checked for a fence, which is at the start of its line. */
const longestMark = 200;

/**
 * The marks that end a sentence, with closing characters. After a Latin mark, a space must follow. One expression,
 * because a response has each of its characters checked while it streams.
 */
const sentenceEnd = /(?<![.!?…])[.!?…]+["'”’»)\]]*(?=\s)|[。！？]+["”』」）]*/g;

/**
 * Opens a code block, which may be in quotations and list items. With another backtick in the line, it is inline code.
 */
const fence = /^([\s>]*(?:(?:[-*+]|\d{1,9}[.)])\s+)*)(`{3,}(?=[^`]*$)|~{3,})\s*([\w+#.-]*)/;

/** What makes a line a heading, a quotation or a list item. */
const lineMarks = /^\s*(?:>\s?)*(?:#{1,6}\s+|[-*+]\s+(?:\[[ xX]\]\s+)?|\d{1,9}[.)](?:\s+|$))?/;

/** What is spoken in place of a code block, from its language (may be empty) and its number of lines. */
type DescribeCode = (language: string, lines: number) => string;

/** A code block whose end hasn't arrived. */
interface OpenCode {
  /** The backticks or tildes that open it. */
  readonly mark: string;
  readonly isQuoted: boolean;
  readonly language: string;
  lines: number;
}

/**
 * Splits growing Markdown into sentences for speech: markup is removed, and code is named instead of spelled out. Each
 * delta costs the same, however long the text is.
 */
export class SpokenText {
  readonly #describeCode: DescribeCode;
  readonly #isHeard: () => boolean;
  /** The received part of the line that is still open. */
  #line = "";
  #isLineStart = true;
  #code: OpenCode | undefined;

  /** @param isHeard Whether sentences are needed at the moment. Otherwise, they are passed over, which costs less. */
  constructor(describeCode: DescribeCode, isHeard = (): boolean => true) {
    this.#describeCode = describeCode;
    this.#isHeard = isHeard;
  }

  /** The sentences that this text completes. */
  append(text: string): readonly string[] {
    const said: string[] = [];
    const lines = text.split("\n");
    for (const [index, part] of lines.entries()) {
      if (this.#code === undefined || this.#line.length < longestMark) this.#line += part;
      const isWhole = index < lines.length - 1;
      const spoken = isWhole ? this.#endLine() : this.#code === undefined ? this.#takeSentences() : [];
      // Not spread into `push`, because there may be more sentences than a call can have arguments.
      for (const sentence of spoken) if (sentence !== "") said.push(sentence);
    }
    return said;
  }

  /** The rest, once no more text follows. */
  finish(): readonly string[] {
    const said = this.#endLine();
    const code = this.#endCode();
    return [...said, ...code].filter((sentence) => sentence !== "");
  }

  #endLine(): readonly string[] {
    if (this.#code === undefined) {
      const opened = this.#readFence();
      const said = opened === undefined ? [...this.#cut(), this.#speak(this.#line)] : [];
      this.#code = opened;
      this.#line = "";
      this.#isLineStart = true;
      return said;
    }
    // The code ends with the quotation that contains it, and this line comes after both.
    if (this.#code.isQuoted && !/^\s*>/.test(this.#line)) return [...this.#endCode(), ...this.#endLine()];
    const isEnd = closes(this.#line, this.#code);
    this.#line = "";
    if (isEnd) return this.#endCode();
    this.#code.lines += 1;
    return [];
  }

  /** The code block that the current line opens. */
  #readFence(): OpenCode | undefined {
    const opened = this.#isLineStart ? fence.exec(this.#line.slice(0, longestMark)) : null;
    if (opened === null) return undefined;
    const [, before = "", mark = "", language = ""] = opened;
    return { mark, isQuoted: before.includes(">"), language, lines: 0 };
  }

  #endCode(): readonly string[] {
    if (this.#code === undefined) return [];
    const { language, lines } = this.#code;
    this.#code = undefined;
    return this.#isHeard() ? [this.#describeCode(language, lines)] : [];
  }

  #takeSentences(): readonly string[] {
    // The first characters of a line show whether it opens a code block.
    if (this.#isLineStart && /^\s{0,3}[`~]{0,3}$/.test(this.#line)) return [];
    if (this.#readFence() === undefined) return this.#cut();
    // Nothing after it in the line is spoken.
    this.#line = this.#line.slice(0, longestMark);
    return [];
  }

  /** Takes complete sentences from the open line. */
  #cut(): readonly string[] {
    const said: string[] = [];
    let start = 0;
    for (;;) {
      // Only the length of one sentence is checked; otherwise, the text after it would be checked again and again.
      const window = this.#line.slice(start, start + longestSentence + 1);
      const marks = this.#isLineStart ? (lineMarks.exec(window)?.[0].length ?? 0) : 0;
      const end = findSentenceEnd(window, marks);
      if (end === undefined && window.length <= longestSentence) break;
      const length = end ?? longestSentence;
      said.push(this.#speak(window.slice(0, length)));
      start += length;
      this.#isLineStart = false;
    }
    this.#line = this.#line.slice(start);
    return said;
  }

  #speak(text: string): string {
    return this.#isHeard() ? plain(text, this.#isLineStart) : "";
  }
}

/** Whether a line of the code block is its end. */
function closes(line: string, { mark, isQuoted }: OpenCode): boolean {
  const text = (isQuoted ? line.replace(/^[\s>]+/, "") : line).trim();
  return text.startsWith(mark) && text === mark.charAt(0).repeat(text.length);
}

/** The position after the first end of a sentence at or after `from`. */
function findSentenceEnd(text: string, from: number): number | undefined {
  sentenceEnd.lastIndex = from;
  return sentenceEnd.test(text) ? sentenceEnd.lastIndex : undefined;
}

/** A line or a sentence without its Markdown. */
function plain(text: string, isLineStart: boolean): string {
  const inner = isLineStart ? text.replace(lineMarks, "") : text;
  if (/^[\s|:=*_-]*$/.test(inner)) return "";
  return inner
    .replace(/!?\[([^[\]]*)\]\([^()]*\)/g, "$1")
    .replace(/(\*\*|__|~~|`)/g, "")
    .replace(/(^|\s)[*_](?=\S)|(?<=\S)[*_](?=\s|$|[.,;:!?])/g, "$1")
    .replace(/\s+/g, " ")
    .replace(/^ ?\| ?| ?\| ?$/g, "")
    .replace(/ ?\| ?/g, ", ")
    .trim();
}
