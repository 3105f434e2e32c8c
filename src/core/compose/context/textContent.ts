/** Bytes that a file may have to be attached as text. */
export const maxTextBytes = 1_000_000;

/** Bytes by which a file is judged. */
export const headBytes = 8_192;

/** Whether the bytes are no text: a NUL among the first ones, as Git judges; UTF-16 says by its mark what it is. */
export function isBinary(bytes: Uint8Array): boolean {
  const [first, second] = bytes;
  if ((first === 0xff && second === 0xfe) || (first === 0xfe && second === 0xff)) return false;
  return bytes.subarray(0, headBytes).includes(0);
}
