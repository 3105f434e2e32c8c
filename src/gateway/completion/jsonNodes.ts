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
export function valueEnd(text: string, start: number): number {
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
  return locate(text, skipSpace(text, 0));
}

function locate(text: string, start: number): JsonNode | undefined {
  const end = valueEnd(text, start);
  if (end === -1) return undefined;
  const code = text.charCodeAt(start);
  const members = new Map<string, JsonNode>();
  let at = skipSpace(text, start + 1);
  if ((code !== brace && code !== bracket) || at === end - 1) return { start, end, members };
  while (at < end) {
    const name =
      code === brace ? String(JSON.parse(text.slice(at, stringEnd(text, at)))) : String(members.size);
    const member = locate(text, code === brace ? memberStart(text, at) : at);
    if (member === undefined || members.has(name)) return undefined;
    members.set(name, member);
    // After the comma, or after the closing bracket.
    at = skipSpace(text, skipSpace(text, member.end) + 1);
    if (skipSpace(text, member.end) === end - 1) break;
  }
  return { start, end, members };
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
  // Never read behind the end: the engine would calculate with floating-point numbers from then on.
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
