import type { IncomingMessage, ServerResponse } from "node:http";

/** Handles a request. Rejects with an `HttpFailure` if it is refused; the signal aborts when the client disconnects. */
export type Handler = (
  request: IncomingMessage,
  response: ServerResponse,
  url: URL,
  signal: AbortSignal,
) => Promise<void>;

/** A refusal or failure that is sent as the response when it is thrown. */
export class HttpFailure extends Error {
  readonly statusCode: number;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, string>>;

  constructor(statusCode: number, body: unknown, headers: Readonly<Record<string, string>> = {}) {
    super(`HTTP ${statusCode}`);
    this.statusCode = statusCode;
    this.body = body;
    this.headers = headers;
  }
}

/** Sends a whole response with this value as its body. */
export function sendJson(
  response: ServerResponse,
  statusCode: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(statusCode, {
    ...headers,
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
  });
  response.end(text);
}

/** The inference service's errors have the usual OpenAI-style shape. */
export function inferenceError(
  statusCode: number,
  message: string,
  type: string,
  code: string | null,
  param: string | null = null,
): HttpFailure {
  return new HttpFailure(statusCode, { error: { message, type, param, code } });
}

const maxBodyBytes = 64 * 1024 * 1024;

/**
 * The whole body as text. Rejects bodies larger than 64 MB, but keeps reading for a while: a client that is still
 * sending wouldn't see the rejection.
 */
export async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  let length = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false })) {
    if (!Buffer.isBuffer(chunk)) continue;
    length += chunk.length;
    if (length <= maxBodyBytes) chunks.push(chunk);
    else chunks.length = 0;
    if (length > maxBodyBytes * 4) break;
  }
  if (length <= maxBodyBytes) return Buffer.concat(chunks).toString("utf8");
  throw inferenceError(413, "The request is larger than 64 MB.", "invalid_request_error", "too_large");
}
