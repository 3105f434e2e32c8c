import type { IncomingMessage } from "node:http";

/**
 * The whole body; undefined where it is longer than `maxBytes`. Even then it is read on, up to four times as much:
 * a client that is still sending would not see our answer.
 */
export async function readBody(request: IncomingMessage, maxBytes: number): Promise<Buffer | undefined> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of request) {
    if (!(chunk instanceof Uint8Array)) continue;
    length += chunk.length;
    if (length <= maxBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (length > maxBytes * 4) break;
  }
  return length <= maxBytes ? Buffer.concat(chunks) : undefined;
}
