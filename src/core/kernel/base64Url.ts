const alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/** Decodes base64url, with or without padding, to one character a byte; undefined for anything else. */
export function decodeBase64Url(text: string): string | undefined {
  let decoded = "";
  let bits = 0;
  let bitCount = 0;
  for (const character of text.replace(/={1,2}$/, "")) {
    const value = alphabet.indexOf(character);
    if (value < 0) return undefined;
    bits = (bits << 6) | value;
    bitCount += 6;
    if (bitCount < 8) continue;
    bitCount -= 8;
    decoded += String.fromCharCode((bits >> bitCount) & 0xff);
    bits &= (1 << bitCount) - 1;
  }
  return decoded;
}
