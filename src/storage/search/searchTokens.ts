import { fold } from "../../core/conversation/searchTerms.ts";

/** The three-character index can't find anything shorter. */
const gramLength = 3;

/** Enough of a long phrase to narrow the search down. The text itself is checked in any case. */
const mostGrams = 16;

/** Whether the term is too short for the three-character index. */
export function isShort(term: string): boolean {
  return Array.from(term).length < gramLength;
}

/** An FTS5 query that matches all messages containing the term, and a few others. */
export function gramQuery(term: string): string {
  const characters = Array.from(term);
  const grams = new Set<string>();
  for (let i = 0; i + gramLength <= characters.length && grams.size < mostGrams; i++)
    grams.add(characters.slice(i, i + gramLength).join(""));
  return [...grams].map((gram) => `"${gram.replaceAll('"', '""')}"`).join(" AND ");
}

/** An FTS5 query for a term of one or two characters in the index of short words. */
export function shortQuery(term: string): string {
  const token = encode(Array.from(term));
  // A single character is stored as the start of a pair unless it is the last one of its run.
  return Array.from(term).length === 1 ? `${token} *` : token;
}

/** The words of one or two characters and all character pairs of scripts without spaces, for FTS5. */
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

/** The character and the next one if that is also `packed`. */
function packedPair(text: string, at: number, width: number): string {
  const second = text.codePointAt(at + width) ?? space;
  const isPair = kindOf(second) === "packed";
  return text.slice(at, at + width + (isPair ? (second > 0xffff ? 2 : 1) : 0));
}

const space = 0x20;

/** `packed` scripts are written without spaces between words, so one or two characters may be a word. */
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

/** Letters, digits, and the endings of language names: C#, C++. */
function isAsciiWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x23 ||
    code === 0x2b ||
    (code >= 0x41 && code <= 0x5a)
  );
}

/** Six hexadecimal digits per character, so that the tokenizer's definition of a letter doesn't matter. */
function encode(characters: readonly string[]): string {
  return characters
    .map((character) => `x${(character.codePointAt(0) ?? 0).toString(16).padStart(6, "0")}`)
    .join("");
}
