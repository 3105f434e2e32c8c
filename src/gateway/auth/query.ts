import type { Parameter } from "./signature.ts";

/**
 * Writes parameters as a query so that every server decodes the same raw values from it, whichever way it treats `+`
 * and `'`: all but the unreserved characters of RFC 3986 is percent-encoded, a space as %20.
 */
export function createQuery(parameters: readonly Parameter[]): string {
  return parameters.map(([name, value]) => `${encode(name)}=${encode(value)}`).join("&");
}

function encode(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Half a surrogate pair can't be written in UTF-8: it is replaced before it is signed, not after. */
export function wellFormed(text: string): string {
  return Buffer.from(text, "utf8").toString("utf8");
}
