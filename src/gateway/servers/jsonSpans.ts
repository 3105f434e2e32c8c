/** A range of a text; `end` is exclusive. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

const quote = 34;
const comma = 44;
const bracket = 91;
const closingBracket = 93;
const brace = 123;
const closingBrace = 125;

/** The position of the next character that isn't whitespace. */
export function skipSpace(text: string, position: number): number {
  let at = position;
  for (let code = text.charCodeAt(at); code <= 32; code = text.charCodeAt(at)) at++;
  return at;
}

/** The end of the string that starts at `start`. */
function stringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let backslashes = 0;
    while (text.charCodeAt(end - 1 - backslashes) === 92) backslashes++;
    if (backslashes % 2 === 0) return end + 1;
  }
  return text.length;
}

/**
 * The end of the JSON value that starts at `start`; the text must be valid JSON. A value that is longer isn't read
 * further than about `limit`, which is then returned or exceeded.
 */
export function valueEnd(text: string, start: number, limit = text.length): number {
  let depth = 0;
  let at = start;
  while (at < limit) {
    const code = text.charCodeAt(at);
    if (code === quote) at = stringEnd(text, at);
    else if (code === brace || code === bracket) {
      depth++;
      at++;
    } else if (code === closingBrace || code === closingBracket) {
      if (depth === 0) return at;
      depth--;
      at++;
    } else if (code === comma && depth === 0) return at;
    else at++;
    if (depth === 0 && (code === quote || code === closingBrace || code === closingBracket)) return at;
  }
  return at;
}

/**
 * The position of the opening bracket of the list at this path of fields; undefined if there is none. Only the fields
 * before it are scanned.
 */
export function findList(text: string, fields: readonly string[]): number | undefined {
  let at = skipSpace(text, 0);
  for (const field of fields) {
    const value = findField(text, at, field);
    if (value === undefined) return undefined;
    at = value;
  }
  return text.charCodeAt(at) === bracket ? at : undefined;
}

/** The position of the value of a field of the object at `start`. */
function findField(text: string, start: number, field: string): number | undefined {
  if (text.charCodeAt(start) !== brace) return undefined;
  let at = skipSpace(text, start + 1);
  while (text.charCodeAt(at) === quote) {
    const end = stringEnd(text, at);
    const name: unknown = JSON.parse(text.slice(at, end));
    const value = skipSpace(text, skipSpace(text, end) + 1);
    if (name === field) return value;
    at = skipSpace(text, valueEnd(text, value));
    if (text.charCodeAt(at) !== comma) return undefined;
    at = skipSpace(text, at + 1);
  }
  return undefined;
}

/** Whether the list ends here. */
export function isListEnd(text: string, at: number): boolean {
  return at >= text.length || text.charCodeAt(at) === closingBracket;
}

/** The position of the next entry, or of the bracket that ends the list; undefined if neither follows in valid JSON. */
export function nextEntry(text: string, end: number): number | undefined {
  const at = skipSpace(text, end);
  if (text.charCodeAt(at) !== comma) return text.charCodeAt(at) === closingBracket ? at : undefined;
  const next = skipSpace(text, at + 1);
  return isListEnd(text, next) ? undefined : next;
}
