/**
 * Bytes to text, chunk by chunk. An incomplete character at the end of a chunk waits for the next one, so that the
 * text is the same however the bytes are cut; invalid bytes become U+FFFD. A byte order mark is kept.
 */
export class Utf8Decoder {
  #pending: Uint8Array | undefined;

  decode(chunk: Uint8Array): string {
    const bytes = this.#pending === undefined ? asBuffer(chunk) : Buffer.concat([this.#pending, chunk]);
    const end = bytes.length - incompleteLength(bytes);
    this.#pending = end === bytes.length ? undefined : bytes.subarray(end);
    return bytes.toString("utf8", 0, end);
  }

  /** What was left of a character that never got whole. */
  end(): string {
    const rest = this.#pending;
    this.#pending = undefined;
    return rest === undefined ? "" : asBuffer(rest).toString("utf8");
  }
}

function asBuffer(bytes: Uint8Array): Buffer {
  return Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
}

/** How many bytes at the end (0 to 3) may be the beginning of a character. */
function incompleteLength(bytes: Uint8Array): number {
  for (let back = 1; back <= 3 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if (byte < 0x80) return 0;
    if (byte >= 0xc0) return characterLength(byte) > back ? back : 0;
  }
  return 0;
}

function characterLength(leadByte: number): number {
  if (leadByte >= 0xf0) return 4;
  return leadByte >= 0xe0 ? 3 : 2;
}
