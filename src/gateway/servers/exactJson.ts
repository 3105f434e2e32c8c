/** Integers with this many digits may exceed 2^53, where a number loses digits. */
const longInteger = /(?<![\d.eE+-])-?\d{16,}(?![\d.eE])/g;

/**
 * Parses JSON. Integers beyond 2^53 become strings with every digit (IDs of some clouds are such numbers). Throws a
 * SyntaxError for anything that isn't JSON.
 */
export function parseExactJson(text: string): unknown {
  const json = text.replace(/^\ufeff/, "");
  return JSON.parse(/\d{16}/.test(json) ? quoteLongIntegers(json) : json);
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
