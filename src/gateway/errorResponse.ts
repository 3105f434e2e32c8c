import type { GatewayCredentialKind } from "../core/credential.ts";
import type { ErrorFacts, ErrorReason } from "../core/errors.ts";
import { ServiceError } from "../core/errors.ts";
import type { ErrorBody } from "./errorBody.ts";
import { errorReason } from "./errorReason.ts";
import { errorSentence } from "./errorSentence.ts";
import { parseErrorText } from "./errorText.ts";
import { readBodyText } from "./http/bodyText.ts";
import type { HttpResponse } from "./http/transport.ts";
import { parseRateLimitWait, parseRetryAfter } from "./rateLimit.ts";
import { describeRequest, describeUrl } from "./requestLabel.ts";
import { cleanServerText } from "./serverText.ts";

/** Which of the two interfaces answered, and what was called. */
export interface ErrorContext {
  readonly kind: "inference" | "gateway";
  /** What a gateway request was authenticated with: tells what to mend where a 401 comes without a code. */
  readonly credential?: GatewayCredentialKind;
  readonly method: string;
  readonly url: URL;
  /** What the request carried and no error may repeat. */
  readonly secrets?: readonly string[];
}

/** Bytes of an error body that are read; what comes after them tells nobody anything. */
const maxBodyBytes = 64 * 1024;
const longestReadMs = 10_000;

/**
 * Reads an error response, its body too (at most 64 kB, at most 10 s), and says what happened and what to do
 * (interface section 7). Never rejects: where the body can't be read, the status alone speaks.
 */
export async function readErrorResponse(
  response: HttpResponse,
  context: ErrorContext,
): Promise<ServiceError> {
  const text = await readErrorText(response);
  return createResponseError(response, parseErrorText(text), text, context);
}

/** The body of an error response, as far as it is worth reading. */
export function readErrorText(response: HttpResponse): Promise<string> {
  return readBodyText(response.body, maxBodyBytes, longestReadMs);
}

/** The error that a status, its headers and its body make together. */
export function createResponseError(
  response: Pick<HttpResponse, "statusCode" | "headers" | "receivedAt">,
  body: ErrorBody,
  text: string,
  context: ErrorContext,
): ServiceError {
  const { statusCode, headers, receivedAt } = response;
  const { secrets } = context;
  const judged = errorReason({ ...context, statusCode, body, text });
  const retryAfterMs = readWait(judged.reason, headers, receivedAt);
  const serverMessage = body.message === undefined ? "" : cleanServerText(body.message, secrets);
  const requestId =
    readRequestId(headers, secrets) ?? (body.requestId && cleanServerText(body.requestId, secrets));
  const facts: Omit<ErrorFacts, "message"> = {
    reason: judged.reason,
    statusCode,
    request: describeRequest(context.method, context.url),
    ...(judged.code === undefined ? {} : { code: cleanServerText(judged.code, secrets) }),
    ...(serverMessage === "" ? {} : { serverMessage }),
    ...(requestId ? { requestId } : {}),
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  };
  const message = errorSentence(facts, {
    kind: context.kind,
    ...(context.credential === undefined ? {} : { credential: context.credential }),
    url: describeUrl(context.url),
    isPage: body.pageTitle !== undefined,
  });
  return new ServiceError({ ...facts, message });
}

/** Resets of limits stand on ordinary responses too: they count only where a limit was hit. */
function readWait(
  reason: ErrorReason,
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  return reason === "rateLimit" ? parseRateLimitWait(headers, now) : parseRetryAfter(headers, now);
}

const requestIdHeaders = [
  "x-request-id",
  "request-id",
  "x-amzn-requestid",
  "x-amz-request-id",
  "apim-request-id",
  "x-ms-request-id",
  "x-correlation-id",
  "x-trace-id",
  "cf-ray",
];

/** The id under which the server's operators find the request, where a header names one. */
export function readRequestId(
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[] = [],
): string | undefined {
  const name = requestIdHeaders.find((header) => headers[header] !== undefined && headers[header] !== "");
  return name === undefined ? undefined : cleanServerText(headers[name] ?? "", secrets);
}
