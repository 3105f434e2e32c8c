import type { Readable } from "node:stream";

/**
 * The whole body as text. Rejects with what the body fails with, and with `tooLong()` where it has more than
 * `maxBytes`; such a body is closed.
 */
export async function readWholeBody(body: Readable, maxBytes: number, tooLong: () => Error): Promise<string> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of body as AsyncIterable<Uint8Array>) {
    chunks.push(chunk);
    length += chunk.byteLength;
    if (length > maxBytes) throw tooLong();
  }
  return Buffer.concat(chunks).toString("utf8");
}
