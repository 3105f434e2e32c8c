import type { Readable } from "node:stream";

/**
 * The body's text within the limits. Resolves with the received part if the body fails. A body that is longer or slower
 * is destroyed; one that ends frees its connection for the next request.
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
 * The whole body as text. Rejects with the body's error, or with `tooLong()` if it exceeds `maxBytes`, in which case
 * the body is closed.
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
