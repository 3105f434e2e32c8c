import type { OutgoingHttpHeaders } from "node:http";
import type { JsonObject } from "../../core/json.ts";

/** A request is answered with an error: thrown by whoever finds it out, written in one place. */
export class Refusal extends Error {
  readonly statusCode: number;
  readonly headers: OutgoingHttpHeaders;
  readonly #createBody: (requestId: string) => JsonObject;

  constructor(
    statusCode: number,
    message: string,
    createBody: (requestId: string) => JsonObject,
    headers: OutgoingHttpHeaders = {},
  ) {
    super(message);
    this.name = "Refusal";
    this.statusCode = statusCode;
    this.headers = headers;
    this.#createBody = createBody;
  }

  body(requestId: string): JsonObject {
    return this.#createBody(requestId);
  }
}

/** What further goes with an error of the inference service. */
export interface ApiErrorDetails {
  readonly param?: string;
  readonly type?: string;
  readonly headers?: OutgoingHttpHeaders;
}

/** An error of the inference service, in the usual shape `{"error": {message, type, param, code}}`. */
export function apiError(
  statusCode: number,
  code: string,
  message: string,
  details: ApiErrorDetails = {},
): Refusal {
  const { param = null, type = errorType(statusCode), headers } = details;
  return new Refusal(statusCode, message, () => ({ error: { message, type, param, code } }), headers);
}

/** An error of the GPU gateway. The interface leaves its shape open (section 7); ours is `{code, message, request_id}`. */
export function gatewayError(statusCode: number, code: string, message: string): Refusal {
  return new Refusal(statusCode, message, (requestId) => ({ code, message, request_id: requestId }));
}

function errorType(statusCode: number): string {
  if (statusCode === 401) return "authentication_error";
  if (statusCode === 429) return "rate_limit_error";
  return statusCode >= 500 ? "server_error" : "invalid_request_error";
}
