/** Bytes that a file may have to be attached as text. */
export const maxTextBytes = 1_000_000;

/** Bytes by which a file is judged. */
export const headBytes = 8_192;

/**
 * Whether the bytes aren't text: a NUL among the first ones, as in Git. UTF-16 is recognized by its byte order mark.
 */
export function isBinary(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return false;
  return bytes.subarray(0, headBytes).includes(0);
}
