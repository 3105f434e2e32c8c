import { isListEnd, nextEntry, skipSpace, valueEnd } from "./jsonSpans.ts";

/** Integers with this many digits may exceed 2^53, where a number loses digits. */
const longInteger = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/**
 * Parses JSON. Integers beyond 2^53 become strings with every digit (IDs of some clouds are such numbers). Throws a
 * SyntaxError for anything that isn't JSON.
 */
export function parseExactJson(text: string): unknown {
  const json = text.replace(/^\ufeff/, "");
  return JSON.parse(hasLongNumber(json) ? quoteLongIntegers(json) : json);
}

const longDigits = 16;

/**
 * Whether there is a run of this many digits. One of its digits would be at a multiple of this number, so only those
 * positions are read.
 */
function hasLongNumber(text: string): boolean {
  for (let at = 0; at < text.length; at += longDigits) {
    if (!isDigit(text.charCodeAt(at))) continue;
    let start = at;
    while (at - start < longDigits && isDigit(text.charCodeAt(start - 1))) start--;
    let end = at + 1;
    while (end - start < longDigits && isDigit(text.charCodeAt(end))) end++;
    if (end - start >= longDigits) return true;
  }
  return false;
}

function isDigit(code: number): boolean {
  return code >= 48 && code <= 57;
}

/** UTF-16 units that are parsed without a break, which takes about a millisecond. */
const unitsPerPiece = 128 * 1024;
/** Lists in objects that are nested more deeply are parsed as a whole. */
const deepestList = 4;

/** UTF-16 units that are parsed without a break, which takes about a millisecond. */
export function* parseExactJsonInPieces(text: string): Generator<undefined, unknown> {
  if (text.length <= unitsPerPiece) return parseExactJson(text);
  const start = skipSpace(text, text.startsWith("\ufeff") ? 1 : 0);
  const parsed = yield* parsePieces(text, start, 0);
  // Objects with lists that are nested more deeply are parsed as a whole.
  return parsed?.end === text.length ? parsed.value : parseExactJson(text);
}

interface Parsed {
  readonly value: unknown;
  /** Index after the value and the whitespace that follows it. */
  readonly end: number;
}

/** Undefined if it isn't JSON. */
function* parsePieces(text: string, start: number, depth: number): Generator<undefined, Parsed | undefined> {
  const first = text.charAt(start);
  const limit = start + unitsPerPiece;
  let end = valueEnd(text, start, Math.min(limit, text.length));
  if (end >= limit) {
    if (first === "[") return yield* parseList(text, start);
    if (first === "{" && depth < deepestList) return yield* parseObject(text, start, depth);
    end = valueEnd(text, start);
  }
  const value = tryParse(text.slice(start, end));
  return value === undefined ? undefined : { value, end: skipSpace(text, end) };
}

function* parseObject(text: string, start: number, depth: number): Generator<undefined, Parsed | undefined> {
  const members: [name: string, value: unknown][] = [];
  let at = skipSpace(text, start + 1);
  let pieceStart = at;
  while (text.charAt(at) !== "}") {
    const nameEnd = text.charAt(at) === '"' ? valueEnd(text, at) : at;
    const name = tryParse(text.slice(at, nameEnd));
    const colon = skipSpace(text, nameEnd);
    if (typeof name !== "string" || text.charAt(colon) !== ":") return undefined;
    const member = yield* parsePieces(text, skipSpace(text, colon + 1), depth + 1);
    if (member === undefined) return undefined;
    members.push([name, member.value]);
    if (member.end - pieceStart >= unitsPerPiece) {
      pieceStart = member.end;
      yield;
    }
    const isMore = text.charAt(member.end) === ",";
    at = isMore ? skipSpace(text, member.end + 1) : member.end;
    if (isMore === (text.charAt(at) === "}")) return undefined;
  }
  return { value: Object.fromEntries(members), end: skipSpace(text, at + 1) };
}

/** After this many pieces that weren't entries, every entry is looked at instead. */
const mostMisses = 2;
const longestBorder = 200;

/**
 * The text between the first two entries of a list, up to the name of the second one's first field, such as `},{"id":`.
 * Where it occurs again, an entry probably ends. That is certain once everything before it was parsed, because a part
 * of an entry is never valid JSON. Searching for it is several times faster than looking at every character.
 */
function entryBorder(text: string, first: number): string | undefined {
  if (text.charAt(first) !== "{") return undefined;
  const end = valueEnd(text, first, first + unitsPerPiece);
  const second = nextEntry(text, end);
  if (second === undefined || text.charAt(second) !== "{") return undefined;
  const name = skipSpace(text, second + 1);
  if (text.charAt(name) !== '"') return undefined;
  const border = text.slice(end - 1, valueEnd(text, name, name + longestBorder) + 1);
  return border.length <= longestBorder ? border : undefined;
}

function* parseList(text: string, start: number): Generator<undefined, Parsed | undefined> {
  const entries: unknown[] = [];
  let at = skipSpace(text, start + 1);
  let pieceStart = at;
  const border = entryBorder(text, at);
  let from = at + unitsPerPiece;
  for (let misses = 0; border !== undefined && misses < mostMisses;) {
    // Searching to the end of the text instead would take too long if there are many lists.
    const offset = text.slice(from, pieceStart + 2 * unitsPerPiece).indexOf(border);
    if (offset === -1) break;
    const found = from + offset;
    const piece = tryParse(`[${text.slice(pieceStart, found + 1)}]`);
    const next = nextEntry(text, found + 1);
    if (Array.isArray(piece) && next !== undefined) {
      for (const entry of piece as readonly unknown[]) entries.push(entry);
      pieceStart = next;
      from = next + unitsPerPiece;
    } else {
      misses++;
      from = found + 1;
    }
    yield;
  }
  at = pieceStart;
  while (!isListEnd(text, at)) {
    const end = valueEnd(text, at);
    const next = nextEntry(text, end);
    if (next === undefined) return undefined;
    at = next;
    if (at - pieceStart < unitsPerPiece && !isListEnd(text, at)) continue;
    const piece = tryParse(`[${text.slice(pieceStart, end)}]`);
    if (!Array.isArray(piece)) return undefined;
    for (const entry of piece as readonly unknown[]) entries.push(entry);
    pieceStart = at;
    yield;
  }
  return text.charAt(at) === "]" ? { value: entries, end: skipSpace(text, at + 1) } : undefined;
}

/** Undefined for anything that isn't JSON. */
function tryParse(text: string): unknown {
  try {
    return parseExactJson(text);
  } catch {
    return undefined;
  }
}

/** Puts quotation marks around long integers, except inside strings. */
function quoteLongIntegers(json: string): string {
  let result = "";
  let copied = 0;
  let position = 0;
  while (position < json.length) {
    const quote = json.indexOf('"', position);
    const end = quote === -1 ? json.length : quote;
    const gap = json.slice(position, end);
    if (gap.length >= 16) {
      result += json.slice(copied, position) + gap.replace(longInteger, quoteUnsafe);
      copied = end;
    }
    position = quote === -1 ? json.length : stringEnd(json, quote);
  }
  return result + json.slice(copied);
}

function quoteUnsafe(digits: string): string {
  return Number.isSafeInteger(Number(digits)) ? digits : `"${digits}"`;
}

/** The position after the string that starts at `quote`. */
function stringEnd(json: string, quote: number): number {
  let end = json.indexOf('"', quote + 1);
  while (end !== -1 && isEscaped(json, end)) end = json.indexOf('"', end + 1);
  return end === -1 ? json.length : end + 1;
}

function isEscaped(json: string, index: number): boolean {
  let backslashes = 0;
  while (json.charCodeAt(index - 1 - backslashes) === 92) backslashes++;
  return backslashes % 2 === 1;
}
