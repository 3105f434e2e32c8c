// Node, its threads and the page all have these functions. Their type libraries differ, so the ones used here are
// declared here.
declare function atob(encoded: string): string;
declare function btoa(bytes: string): string;
declare const TextEncoder: new () => { encode(text: string): Uint8Array };
declare const TextDecoder: new () => { decode(data: Uint8Array): string };

/** Decodes base64 or base64url, with or without padding, to one character per byte; undefined for anything else. */
export function decodeBase64(text: string): string | undefined {
  if (!/^[\w+/-]*={0,2}$/.test(text)) return undefined;
  const digits = text
    .replace(/(?<!=)=+$/, "")
    .replaceAll("-", "+")
    .replaceAll("_", "/");
  // A single digit after the last complete group doesn't contain a whole byte.
  return atob(digits.length % 4 === 1 ? digits.slice(0, -1) : digits);
}

/** Encodes one byte per character, without padding. */
export function encodeBase64(bytes: string): string {
  return btoa(bytes).replace(/(?<!=)=+$/, "");
}

/** The text as UTF-8 with one character per byte. Half of a surrogate pair becomes U+FFFD, as it does when sent. */
export function utf8Bytes(text: string): string {
  return Array.from(new TextEncoder().encode(text), (byte) => String.fromCharCode(byte)).join("");
}

/** Decodes UTF-8; malformed bytes become U+FFFD. */
export function decodeUtf8(data: Uint8Array): string {
  return new TextDecoder().decode(data);
}
