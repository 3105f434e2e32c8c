import { parseJson } from "../../core/kernel/json.ts";

/**
 * Parses JSON text whose end is missing: open brackets are closed, an incomplete value is left out, and a string ends
 * where it was cut. Undefined if even that can't be parsed. Takes time linear in the length of the text.
 */
export function parseCutJson(text: string): unknown {
  return parseJson(new CutScan(text).close());
}

const scalar = /[^\s,:[\]{}"]+/y;

/** Scans the text once and remembers the last position at which it can be closed. */
class CutScan {
  readonly #text: string;
  readonly #closers: string[] = [];
  #at = 0;
  /** Index after the last complete value or opening bracket. */
  #safeEnd = 0;
  /** Whether the next string is a value rather than a field name. */
  #isValue = true;
  /** Index of the next escape, unless it has been passed; -1 if no more follow. */
  #escape: number;

  constructor(text: string) {
    this.#text = text;
    this.#escape = text.indexOf("\\");
  }

  close(): string {
    while (this.#at < this.#text.length) {
      const openString = this.#step();
      if (openString !== undefined) return openString + this.#closing();
    }
    return this.#text.slice(0, this.#safeEnd) + this.#closing();
  }

  #closing(): string {
    return this.#closers.toReversed().join("");
  }

  /** Returns the text with its last string closed if that string is a truncated value. */
  #step(): string | undefined {
    const character = this.#text.charAt(this.#at);
    if (character === '"') return this.#string();
    if (character === "{" || character === "[") this.#open(character);
    else if (character === "}" || character === "]") this.#leave();
    else if (character === ",") this.#isValue = this.#closers.at(-1) === "]";
    else if (character === ":") this.#isValue = true;
    else return void this.#scalar();
    this.#at++;
    return undefined;
  }

  #open(bracket: "{" | "["): void {
    this.#closers.push(bracket === "{" ? "}" : "]");
    this.#isValue = bracket === "[";
    this.#safeEnd = this.#at + 1;
  }

  #leave(): void {
    this.#closers.pop();
    this.#safeEnd = this.#at + 1;
  }

  /** A number or a word counts only if something follows it, because it may be truncated at the end. */
  #scalar(): void {
    scalar.lastIndex = this.#at;
    const length = scalar.exec(this.#text)?.[0].length ?? 0;
    this.#at += Math.max(1, length);
    if (length > 0 && this.#at < this.#text.length) this.#safeEnd = this.#at;
  }

  #string(): string | undefined {
    let at = this.#at + 1;
    let quote = this.#text.indexOf('"', at);
    let escape = this.#escapeFrom(at);
    while (escape !== -1 && (quote === -1 || escape < quote)) {
      const length = this.#text.charAt(escape + 1) === "u" ? 6 : 2;
      if (escape + length > this.#text.length) return this.#cutString(escape);
      at = escape + length;
      if (quote !== -1 && quote < at) quote = this.#text.indexOf('"', at);
      escape = this.#escapeFrom(at);
    }
    if (quote === -1) return this.#cutString(this.#text.length);
    this.#at = quote + 1;
    if (this.#isValue) this.#safeEnd = this.#at;
    return undefined;
  }

  /** Index of the first escape from this position on; -1 if there is none. Each is searched for only once. */
  #escapeFrom(at: number): number {
    if (this.#escape !== -1 && this.#escape < at) this.#escape = this.#text.indexOf("\\", at);
    return this.#escape;
  }

  #cutString(end: number): string | undefined {
    this.#at = this.#text.length;
    return this.#isValue ? `${this.#text.slice(0, end)}"` : undefined;
  }
}
/** The position of a value in a JSON text, and the values inside it by their name or index. */
export interface JsonNode {
  readonly start: number;
  /** Index after its last character. */
  readonly end: number;
  readonly members: ReadonlyMap<string, JsonNode>;
}

/** Deeper values are left to JSON.parse. A bit operation keeps this many bits. */
const maxDepth = 31;

const quote = 0x22;
const comma = 0x2c;
const minus = 0x2d;
const point = 0x2e;
const zero = 0x30;
const nine = 0x39;
const colon = 0x3a;
const bracket = 0x5b;
const backslash = 0x5c;
const closingBracket = 0x5d;
const brace = 0x7b;
const closingBrace = 0x7d;

/** Index after the JSON value at `start`; -1 if there is none that JSON.parse would accept. */
export function validValueEnd(text: string, start: number): number {
  const code = text.charCodeAt(start);
  if (code === quote) return stringEnd(text, start);
  if (code === bracket) {
    const end = numbersEnd(text, start);
    return end === -1 ? nestedEnd(text, start) : end;
  }
  return code === brace ? nestedEnd(text, start) : wordEnd(text, start, code);
}

/** Index after a list of natural numbers without blanks, such as the bytes of a token; -1 for anything else. */
function numbersEnd(text: string, start: number): number {
  const { length } = text;
  let first = start + 1;
  for (let at = first; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code >= zero && code <= nine) continue;
    const isNumber = at - first === 1 || (at > first && text.charCodeAt(first) !== zero);
    if (!isNumber || (code !== comma && code !== closingBracket)) return -1;
    if (code === closingBracket) return at + 1;
    first = at + 1;
  }
  return -1;
}

function nestedEnd(text: string, start: number): number {
  // One bit for each enclosing value that says whether it is an object; the lowest bit is the innermost value.
  let objects = 0;
  let depth = 0;
  let at = start;
  for (;;) {
    const code = text.charCodeAt(at);
    const isObject = code === brace;
    if (isObject || code === bracket) {
      if (++depth > maxDepth) return -1;
      objects = (objects << 1) | Number(isObject);
      at = skipSpace(text, at + 1);
      const isEmpty = text.charCodeAt(at) === (isObject ? closingBrace : closingBracket);
      if (!isEmpty) {
        at = isObject ? memberStart(text, at) : at;
        if (at === -1) return -1;
        continue;
      }
    } else {
      at = code === quote ? stringEnd(text, at) : wordEnd(text, at, code);
      if (at === -1 || depth === 0) return at;
      at = skipSpace(text, at);
    }
    // After a value, or at the closing bracket of an empty one.
    while (text.charCodeAt(at) === ((objects & 1) === 1 ? closingBrace : closingBracket)) {
      at++;
      if (--depth === 0) return at;
      objects >>>= 1;
      at = skipSpace(text, at);
    }
    if (text.charCodeAt(at) !== comma) return -1;
    at = skipSpace(text, at + 1);
    if ((objects & 1) === 1) at = memberStart(text, at);
    if (at === -1) return -1;
  }
}

/** Index of the value whose name is at `start`; -1 if there is none. */
function memberStart(text: string, start: number): number {
  const nameEnd = text.charCodeAt(start) === quote ? stringEnd(text, start) : -1;
  if (nameEnd === -1) return -1;
  const at = skipSpace(text, nameEnd);
  return text.charCodeAt(at) === colon ? skipSpace(text, at + 1) : -1;
}

/**
 * Locates all values of a text that JSON.parse accepts. Undefined if they are nested too deeply, or if a name occurs
 * twice in an object, because JSON.parse then ignores one of the values.
 */
export function locateValues(text: string): JsonNode | undefined {
  return locate(text, skipSpace(text, 0), 0);
}

/** Reads every value once, however deeply it is nested: the string in it may be long. */
function locate(text: string, start: number, depth: number): JsonNode | undefined {
  const code = text.charCodeAt(start);
  const isObject = code === brace;
  const members = new Map<string, JsonNode>();
  if (!isObject && code !== bracket) {
    // Searching for the end of a valid string is faster than checking the string again.
    const end =
      code === quote
        ? findUnescapedQuote(text, text.indexOf('"', start + 1), start + 1) + 1
        : validValueEnd(text, start);
    return end === -1 ? undefined : { start, end, members };
  }
  if (depth === maxDepth) return undefined;
  const closing = isObject ? closingBrace : closingBracket;
  let at = skipSpace(text, start + 1);
  while (text.charCodeAt(at) !== closing) {
    const name = isObject ? String(JSON.parse(text.slice(at, stringEnd(text, at)))) : String(members.size);
    const member = locate(text, isObject ? memberStart(text, at) : at, depth + 1);
    if (member === undefined || members.has(name)) return undefined;
    members.set(name, member);
    at = skipSpace(text, member.end);
    if (text.charCodeAt(at) === comma) at = skipSpace(text, at + 1);
  }
  return { start, end: at + 1, members };
}

/**
 * Index of the first quote that isn't escaped, from the one at `first` on, in a string whose content begins at `start`;
 * -1 if there is none.
 */
export function findUnescapedQuote(text: string, first: number, start: number): number {
  let at = first;
  while (at > start && isEscaped(text, at, start)) at = text.indexOf('"', at + 1);
  return at;
}

/** A quote after an odd number of backslashes belongs to the string. */
function isEscaped(text: string, at: number, start: number): boolean {
  let first = at;
  while (first > start && text.charCodeAt(first - 1) === backslash) first--;
  return (at - first) % 2 === 1;
}

/** Skips what is whitespace in JSON, which is less than in JavaScript. */
function skipSpace(text: string, start: number): number {
  // Small enough to be inlined, because most servers write none.
  return text.charCodeAt(start) > 0x20 ? start : skipBlanks(text, start);
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); code <= 0x20; code = text.charCodeAt(++at)) {
    if (code !== 0x20 && code !== 0x0a && code !== 0x0d && code !== 0x09) break;
  }
  return at;
}

function stringEnd(text: string, start: number): number {
  const { length } = text;
  // Never read past the end: the engine would calculate with floating-point numbers from then on.
  for (let at = start + 1; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code > quote && code !== backslash) continue;
    if (code === quote) return at + 1;
    if (code < 0x20) return -1;
    if (code !== backslash) continue;
    const escape = escapeLength(text, at);
    if (escape === 0) return -1;
    at += escape - 1;
  }
  return -1;
}

/** UTF-16 units of the escape that begins here; 0 if it is none. */
function escapeLength(text: string, at: number): number {
  const code = text.charAt(at + 1);
  if (code === "u") return /^[\da-fA-F]{4}$/.test(text.slice(at + 2, at + 6)) ? 6 : 0;
  return code !== "" && '"\\/bfnrt'.includes(code) ? 2 : 0;
}

function wordEnd(text: string, start: number, code: number): number {
  if (code === minus || isDigit(code)) return numberEnd(text, start);
  const word = ["null", "true", "false"].find((each) => text.startsWith(each, start));
  return word === undefined ? -1 : start + word.length;
}

function numberEnd(text: string, start: number): number {
  let at = text.charCodeAt(start) === minus ? start + 1 : start;
  if (!isDigit(text.charCodeAt(at))) return -1;
  at = text.charCodeAt(at) === zero ? at + 1 : digitsEnd(text, at);
  if (text.charCodeAt(at) === point) {
    const end = digitsEnd(text, at + 1);
    if (end === at + 1) return -1;
    at = end;
  }
  // Matches both cases of the letter.
  if ((text.charCodeAt(at) | 0x20) !== 0x65) return at;
  const isSigned = text.charAt(at + 1) === "+" || text.charAt(at + 1) === "-";
  const first = at + (isSigned ? 2 : 1);
  const end = digitsEnd(text, first);
  return end === first ? -1 : end;
}

function digitsEnd(text: string, start: number): number {
  const { length } = text;
  let at = start;
  for (; at < length; at++) {
    const code = text.charCodeAt(at);
    if (code > nine || code < zero) break;
  }
  return at;
}

function isDigit(code: number): boolean {
  return code >= zero && code <= nine;
}
