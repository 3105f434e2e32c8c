/** Only an integer with this many digits may exceed 2^53, where a number loses digits. Most lists contain none. */
const longInteger = /[:,[]\s{0,100}-?\d{16}/;

/**
 * Parses JSON. Integers beyond 2^53 become strings with every digit (IDs of some clouds are such numbers). Throws a
 * SyntaxError for anything that isn't JSON.
 */
export function parseExactJson(text: string): unknown {
  const json = text.replace(/^\ufeff/, "");
  const value: unknown = longInteger.test(json) ? JSON.parse(json, keepDigits) : JSON.parse(json);
  return value;
}

/** The third parameter, which the types of the language don't include yet, has the number as it was written. */
function keepDigits(_name: string, value: unknown, context?: { readonly source?: string }): unknown {
  const isLong = typeof value === "number" && !Number.isSafeInteger(value);
  return isLong && /^-?\d+$/.test(context?.source ?? "") ? context?.source : value;
}
