import type { Readable } from "node:stream";

const longestDrainMs = 1_000;
const mostDrainedBytes = 1024 * 1024;

/**
 * Reads what is left of a body whose answer is complete, so that its connection serves the next request. A server
 * that keeps the socket open, or goes on talking, costs the connection but nobody's time.
 */
export function drainBody(body: Readable): void {
  if (body.readableEnded || body.destroyed) return;
  let bytes = 0;
  const timer = setTimeout(() => body.destroy(), longestDrainMs);
  timer.unref();
  body.on("data", (chunk: Uint8Array) => {
    bytes += chunk.byteLength;
    if (bytes > mostDrainedBytes) body.destroy();
  });
  body.once("close", () => clearTimeout(timer));
  body.resume();
}
