// Node, its threads and the page all have these functions. Their type libraries differ, so what is used is declared here.
declare function atob(encoded: string): string;
declare function btoa(bytes: string): string;
declare const TextEncoder: new () => { encode(text: string): Uint8Array };

/** Decodes base64 or base64url, with or without padding, to one character a byte; undefined for anything else. */
export function decodeBase64(text: string): string | undefined {
  if (!/^[\w+/-]*={0,2}$/.test(text)) return undefined;
  const digits = text.replace(/=+$/, "").replaceAll("-", "+").replaceAll("_", "/");
  // A single digit behind the last whole group holds no byte.
  return atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits);
}

/** Encodes one byte a character, without padding. */
export function encodeBase64(bytes: string): string {
  return btoa(bytes).replace(/=+$/, "");
}

/** The text as UTF-8, one character a byte. Half a surrogate pair becomes U+FFFD, as on the wire. */
export function utf8Bytes(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}
