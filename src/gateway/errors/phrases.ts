/** A word, a number, an operator, or the end of a sentence. */
interface Word {
  /** In lower case. */
  readonly text: string;
  /** As written. */
  readonly raw: string;
}

/** A message as `readWords` returns it. */
export type Words = readonly Word[];

type Part =
  { readonly gap: true } | { readonly number: string } | { readonly name: true } | readonly string[];

/** What a phrase has found: the numbers by their names in the phrase, and the name. */
export interface PhraseMatch {
  readonly numbers: Readonly<Record<string, number>>;
  readonly name?: string;
}

/** Longer messages say what they are about at the beginning. In UTF-16 units. */
const longestText = 2_000;
/** Number of words that a gap may skip. */
const longestGap = 12;
/** They say nothing, and servers use them as they like. */
const fillers = new Set("a an the this that these those your our its their please currently".split(" "));
const sentenceEnd = ".";
const token =
  /\d{1,3}(?:[,_\u00a0\u202f]\d{3})+(?!\d)|\d+(?:\.\d+)?|[\u3000-\u9fff\uac00-\ud7af]|(?!\p{N})(?:(?![\u3000-\u9fff\uac00-\ud7af])[\p{L}\p{N}_])+(?:\.\w+|\[\d+\])*|>=?|<=?|[+=≤≥]|[.!?](?!\S)/gu;
/** Written characters of Chinese, Japanese and Korean are words of their own. */
const ideograph = /[\u3000-\u9fff\uac00-\ud7af]/;

/**
 * The words of a message in the form that phrases are compared with: without URLs, quotation marks and fillers, and with
 * one spelling of "not". `^` and `$` are its ends.
 */
export function readWords(text: string): Words {
  const plain = text
    .slice(0, longestText)
    .replace(/https?:\/\/\S{1,300}/g, " ")
    .replace(/\bcan(?:not\b|['’]t\b)/gi, "can not")
    .replace(/n['’]t\b/gi, " not")
    .replace(/['’]s\b/g, "")
    .replace(/\/(?=(?:s|sec|second|min|minute|h|hour|d|day)\b)/gi, " per ");
  const words = Array.from(plain.matchAll(token), ([raw]) => ({ raw, text: wordOf(raw.toLowerCase()) }));
  return [bound("^"), ...words.filter((word) => !fillers.has(word.text)), bound("$")];
}

function wordOf(text: string): string {
  return /^[.!?]$/.test(text) ? sentenceEnd : text;
}

function bound(text: string): Word {
  return { raw: text, text };
}

/**
 * A table of phrases. Each line has the servers that say them, a colon, and phrases between semicolons:
 *
 *     OpenAI, vLLM: maximum context length … #limit tokens; reduce … length|size
 *
 * - `…` is up to twelve other words of the same sentence, and `.` the end of a sentence,
 * - `one|other` is either word, also in the plural, `word*` any word that begins like this, and `^` and `$` are the ends
 *   of the message,
 * - `#` is a number, which has the name that follows it, and `@` is a name of a field.
 */
export class PhraseTable {
  readonly #table: string;
  #phrases: readonly (readonly Part[])[] | undefined;

  constructor(table: string) {
    this.#table = table;
  }

  /** Whether any of the phrases occurs in the words. */
  isIn(words: Words): boolean {
    return this.matches(words).next().done !== true;
  }

  /** Every place at which one of the phrases occurs, in the order of the table. */
  *matches(words: Words): Generator<PhraseMatch> {
    // Most are never needed, so they are read on first use.
    this.#phrases ??= readTable(this.#table);
    for (const phrase of this.#phrases)
      for (let start = 0; start < words.length; start++) {
        const match = matchAt(words, start, phrase);
        if (match !== undefined) yield match;
      }
  }
}

function readTable(table: string): readonly (readonly Part[])[] {
  const lines = table.split("\n").filter((line) => line.includes(":"));
  return lines.flatMap((line) =>
    line
      .slice(line.indexOf(":") + 1)
      .split(";")
      .filter((phrase) => phrase.trim() !== "")
      .map(readPhrase),
  );
}

function readPhrase(phrase: string): readonly Part[] {
  const parts = phrase.replaceAll("…", " … ").trim().split(/\s+/);
  const words = parts.flatMap((part) => (ideograph.test(part) ? Array.from(part) : [part]));
  return words.filter((word) => !fillers.has(word)).map(readPart);
}

function readPart(part: string): Part {
  if (part === "…") return { gap: true };
  if (part.startsWith("#")) return { number: part.slice(1) };
  return part === "@" ? { name: true } : part.split("|");
}

function matchAt(words: Words, at: number, [part, ...rest]: readonly Part[]): PhraseMatch | undefined {
  if (part === undefined) return { numbers: {} };
  if ("gap" in part) {
    for (let next = at; next <= at + longestGap; next++) {
      const match = matchAt(words, next, rest);
      const isOver = next >= words.length || words[next]?.text === sentenceEnd;
      if (match !== undefined || isOver) return match;
    }
    return undefined;
  }
  const word = words[at];
  if (word === undefined || !accepts(part, word.text)) return undefined;
  const match = matchAt(words, at + 1, rest);
  if (match === undefined || !("number" in part || "name" in part)) return match;
  return "name" in part
    ? { ...match, name: word.raw }
    : { ...match, numbers: { ...match.numbers, [part.number]: Number(word.text.replace(/[^\d.]/g, "")) } };
}

function accepts(part: Exclude<Part, { gap: true }>, word: string): boolean {
  if ("number" in part) return /^\d/.test(word);
  if ("name" in part) return /^[a-z_]/.test(word);
  return part.some((text) =>
    text.endsWith("*") ? word.startsWith(text.slice(0, -1)) : word === text || word === `${text}s`,
  );
}
