import type { IncomingMessage, OutgoingHttpHeaders, ServerResponse } from "node:http";
import type { JsonValue } from "../../core/json.ts";
import type { Parameter } from "./parameters.ts";

/** One request and its answer. */
export interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
  readonly method: string;
  /** As it was sent, without the query. */
  readonly path: string;
  readonly parameters: readonly Parameter[];
  readonly requestId: string;
  /** Aborted as soon as the client is gone before the answer is whole. */
  readonly signal: AbortSignal;
}

/** Sends a whole JSON answer. */
export function sendJson(
  { response, method }: Exchange,
  statusCode: number,
  body: JsonValue,
  headers: OutgoingHttpHeaders = {},
): void {
  const text = JSON.stringify(body);
  response.writeHead(statusCode, {
    "content-type": "application/json; charset=utf-8",
    "content-length": Buffer.byteLength(text),
    ...headers,
  });
  response.end(method === "HEAD" ? undefined : text);
}
