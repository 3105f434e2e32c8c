import type { Readable } from "node:stream";

/**
 * The body's text as far as it comes within the bounds. Resolves with what there is when the body fails; a body
 * that is longer or slower is destroyed, one that ends leaves its connection for the next request.
 */
export function readBodyText(body: Readable, maxBytes: number, maxMs: number): Promise<string> {
  return new Promise((resolve) => {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const settle = (): void => {
      clearTimeout(timer);
      resolve(Buffer.concat(chunks).subarray(0, maxBytes).toString("utf8"));
    };
    const cut = (): void => {
      settle();
      body.destroy();
    };
    const timer = setTimeout(cut, maxMs);
    body.on("data", (chunk: Uint8Array) => {
      chunks.push(chunk);
      length += chunk.byteLength;
      if (length > maxBytes) cut();
    });
    body.once("end", settle);
    body.once("close", settle);
    body.on("error", settle);
  });
}

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
