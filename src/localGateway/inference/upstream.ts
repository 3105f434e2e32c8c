import type { IncomingMessage, ServerResponse } from "node:http";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { isLoopbackUrl } from "../http/hostGuard.ts";
import { inferenceError, readBody } from "../http/reply.ts";

/** Checks the base URL of a model server; throws a sentence for the person who typed it. */
export function parseUpstream(text: string, allowRemote: boolean): URL {
  const url = URL.parse(text);
  if (url === null || !["http:", "https:"].includes(url.protocol)) {
    throw new Error(
      `The upstream ${JSON.stringify(text)} is not an http address. Give the base URL with its /v1.`,
    );
  }
  if (!allowRemote && !isLoopbackUrl(url)) {
    throw new Error(`The upstream ${url.host} is not on this machine. Only loopback addresses are allowed.`);
  }
  return url;
}

/** Hands the request to the model server and its answer back as it comes. A client that goes ends both. */
export async function forwardUpstream(
  upstream: URL,
  path: string,
  request: IncomingMessage,
  response: ServerResponse,
  signal: AbortSignal,
): Promise<void> {
  const url = new URL(`${upstream.href.replace(/\/+$/, "")}${path}`);
  const isPost = request.method === "POST";
  const answer = await fetch(url, {
    method: request.method ?? "GET",
    headers: { "content-type": "application/json", accept: request.headers.accept ?? "*/*" },
    redirect: "error",
    signal,
    ...(isPost ? { body: await readBody(request) } : {}),
  }).catch(() => {
    throw inferenceError(
      503,
      `The model server at ${url.origin} does not answer.`,
      "server_error",
      "upstream",
    );
  });
  response.writeHead(answer.status, {
    "content-type": answer.headers.get("content-type") ?? "application/json",
  });
  if (answer.body === null) response.end();
  else await pipeline(Readable.fromWeb(answer.body), response, { signal });
}
