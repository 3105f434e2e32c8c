import { fold } from "../../core/conversation/searchTerms.ts";

/** The index of three characters can find nothing shorter. */
const gramLength = 3;

/** As many of a long phrase as narrow the search down; the text is looked at in any case. */
const mostGrams = 16;

/** Whether the index of three characters can't find the term. */
export function isShort(term: string): boolean {
  return Array.from(term).length < gramLength;
}

/** A query of FTS5 that all messages with the term answer, and a few others. */
export function gramQuery(term: string): string {
  const characters = Array.from(term);
  const grams = new Set<string>();
  for (let i = 0; i + gramLength <= characters.length && grams.size < mostGrams; i++)
    grams.add(characters.slice(i, i + gramLength).join(""));
  return [...grams].map((gram) => `"${gram.replaceAll('"', '""')}"`).join(" AND ");
}

/** A query of FTS5 for a term of one or two characters, in the index of short words. */
export function shortQuery(term: string): string {
  const token = encode(Array.from(term));
  // One character begins a pair wherever it doesn't end its run.
  return Array.from(term).length === 1 ? `${token} *` : token;
}

/** The words of one or two characters, and all pairs of characters of writing without spaces; for FTS5. */
export function shortTokens(text: string): string {
  const tokens = new Set<string>();
  const folded = fold(text);
  let word = 0;
  for (let at = 0, width = 1; at <= folded.length; at += width) {
    const code = folded.codePointAt(at) ?? space;
    width = code > 0xffff ? 2 : 1;
    const kind = kindOf(code);
    if (kind === "word") word += width;
    if (kind === "word") continue;
    if (word > 0 && word < gramLength) tokens.add(folded.slice(at - word, at));
    word = 0;
    if (kind === "packed") tokens.add(packedPair(folded, at, width));
  }
  return [...tokens].map((token) => encode(Array.from(token))).join(" ");
}

/** The character and the next one, where that is of its kind. */
function packedPair(text: string, at: number, width: number): string {
  const second = text.codePointAt(at + width) ?? space;
  const isPair = kindOf(second) === "packed";
  return text.slice(at, at + width + (isPair ? (second > 0xffff ? 2 : 1) : 0));
}

const space = 0x20;

/** What is `packed` is written without spaces between its words, so that one or two characters may be a word. */
function kindOf(code: number): "word" | "packed" | "other" {
  if (code < 0x80) return isAsciiWord(code) ? "word" : "other";
  if (code < 0xc0 || (code >= 0x2000 && code < 0x2e80) || (code >= 0x3000 && code < 0x3040)) return "other";
  const isPacked =
    (code >= 0x2e80 && code < 0xa4d0) ||
    (code >= 0xac00 && code < 0xd7b0) ||
    (code >= 0xf900 && code < 0xfb00) ||
    code >= 0x1f000;
  return isPacked ? "packed" : "word";
}

/** Letters, digits, and what names of languages end with: C#, C++. */
function isAsciiWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x23 ||
    code === 0x2b ||
    (code >= 0x41 && code <= 0x5a)
  );
}

/** Six hexadecimal digits a character: what a tokenizer takes for letters is then of no account. */
function encode(characters: readonly string[]): string {
  return characters
    .map((character) => `x${(character.codePointAt(0) ?? 0).toString(16).padStart(6, "0")}`)
    .join("");
}
