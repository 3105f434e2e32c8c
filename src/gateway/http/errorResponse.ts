import { t } from "@vscode/l10n";
import type { SignedResponse } from "../../core/servers/actions/signedRequest.ts";
import type { GatewayCredentialKind } from "../../core/kernel/credential.ts";
import type { ErrorFacts, ErrorReason } from "../../core/kernel/errors.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { ErrorBody } from "../errors/errorMarkup.ts";
import { isDailyQuota, readErrorClues } from "../errors/errorClues.ts";
import type { ErrorClues } from "../errors/errorClues.ts";
import { parseErrorDocument, parseErrorValue } from "../errors/errorJson.ts";
import { errorReason } from "../errors/errorReason.ts";
import { errorMessage, describeRequest, describeUrl } from "../errors/errorMessage.ts";
import { readBodyText, readWholeBody } from "./decodeBody.ts";
import type { HttpResponse } from "./transport.ts";
import { parseLimitReset, parseRetryAfter, parseWaitWords, serverClock } from "../errors/rateLimit.ts";
import { cleanServerText, parseErrorText, redactSecrets } from "../errors/serverText.ts";
import { isRefusalReason } from "../../core/account/credentialKinds.ts";
import { filledFields } from "../../core/kernel/filledFields.ts";

/** Which of the two interfaces responded, and what was requested. */
export interface ErrorContext {
  readonly kind: "inference" | "gateway";
  /** The credential of a gateway request. It determines what to fix if a 401 has no code. */
  readonly credential?: GatewayCredentialKind;
  readonly method: string;
  readonly url: URL;
  /** Whether an inference request was sent without a key because none is stored. */
  readonly isKeyless?: boolean;
  /** The page where the user creates keys. */
  readonly consoleUrl?: string | undefined;
  /** Secrets in the request, which no error may repeat. */
  readonly secrets?: readonly string[];
}

/** Maximum bytes of an error body; anything after that is of no use. */
const maxBodyBytes = 64 * 1024;
const longestReadMs = 10_000;

/**
 * Reads an error response, including its body (at most 64 kB, at most 10 s), and determines what happened and what to
 * do (interface section 7). Never rejects: if the body can't be read, only the status is used.
 */
export async function readErrorResponse(
  response: HttpResponse,
  context: ErrorContext,
): Promise<ServiceError> {
  const text = await readErrorText(response);
  return createResponseError(response, parseErrorText(text), text, context);
}

/** The body of an error response, up to the length that is worth reading. */
export function readErrorText(response: HttpResponse): Promise<string> {
  return readBodyText(response.body, maxBodyBytes, longestReadMs);
}

/** Creates the error for a status, its headers and its body. */
export function createResponseError(
  response: ErrorHead,
  body: ErrorBody,
  text: string,
  context: ErrorContext,
): ServiceError {
  return createError(response, { body, text, document: parseErrorDocument(text) }, context);
}

/**
 * Creates an error that the server reported inside a response that started successfully. It is classified like any
 * other error; a status in the error overrides that of the response.
 */
export function createReportedError(
  response: ErrorHead,
  value: unknown,
  context: ErrorContext,
): ServiceError {
  const stated = { body: parseErrorValue(value), text: "", document: value, isInside: true };
  return createError({ ...response, statusCode: 200 }, stated, context);
}

/** The parts of a response that an error is classified and described by. */
export type ErrorHead = Pick<HttpResponse, "statusCode" | "headers" | "receivedAt">;

interface StatedError {
  readonly body: ErrorBody;
  readonly text: string;
  /** The parsed body, if it is JSON. */
  readonly document: unknown;
  /** Whether the error is inside a response that started successfully. */
  readonly isInside?: boolean;
}

function createError(
  { statusCode, headers, receivedAt }: ErrorHead,
  { body, text, document, isInside = false }: StatedError,
  context: ErrorContext,
): ServiceError {
  const { kind, credential, secrets } = context;
  const clues = readErrorClues(document, serverClock(headers, receivedAt));
  const isPlain = context.url.protocol === "http:";
  const classified = errorReason({ ...context, statusCode, body, text, clues, isPlain });
  const reason = isInside && classified.reason === "malformed" ? "service" : classified.reason;
  const retryAfterMs = readWait(reason, headers, receivedAt, { words: body.message ?? "", clues });
  const serverMessage = body.message === undefined ? "" : cleanServerText(body.message, secrets);
  const keyPage = isRefusalReason(reason) ? context.consoleUrl : undefined;
  const link = reason === "payment" ? findLink(serverMessage) : keyPage;
  const requestId =
    readRequestId(headers, secrets) ?? (body.requestId && cleanServerText(body.requestId, secrets));
  const ownStatus = clues.kinds.find((code) => /^[45]\d\d$/.test(code)) ?? body.code;
  const shownStatus = isInside ? statusOf(ownStatus) : statusCode;
  const { code, tokens, parameter, tokenLimit, input } = classified;
  const facts: Omit<ErrorFacts, "message"> = filledFields({
    ...{ reason, request: describeRequest(context.method, context.url), statusCode: shownStatus },
    code: code && cleanServerText(code, secrets),
    ...{ serverMessage: serverMessage || undefined, requestId: requestId || undefined, retryAfterMs },
    ...{ tokens, parameter, tokenLimit, input, link },
    scheme: reason === "wrongScheme" ? ("https" as const) : undefined,
    ...credentialFact(reason, context),
  });
  const message = errorMessage(facts, {
    kind,
    ...(credential === undefined ? {} : { credential }),
    url: describeUrl(context.url),
    isPage: body.pageTitle !== undefined,
    isInside,
  });
  return new ServiceError({ ...facts, message });
}

/** The credential that a refusal concerns: the one that was sent, whatever the gateway's code says. */
function credentialFact(
  reason: ErrorReason,
  { kind, credential }: ErrorContext,
): Pick<ErrorFacts, "credential"> {
  if (reason === "missingCredential") return { credential: "apiKey" };
  return kind === "gateway" && isRefusalReason(reason) && reason !== "apiKey" && credential !== undefined
    ? { credential }
    : {};
}

function statusOf(code: string | undefined): number | undefined {
  return code !== undefined && /^[45]\d\d$/.test(code) ? Number(code) : undefined;
}

/** The first https URL in the message, which is sanitized; one with a user name or a password doesn't count. */
function findLink(words: string): string | undefined {
  const address = /https:\/\/[^\s"'<>()[\]{}“”]{4,300}/
    .exec(words)?.[0]
    .replace(/(?<![.,;:!?…])[.,;:!?…]+$/, "");
  const url = address === undefined || words.includes(`${address}…`) ? null : URL.parse(address);
  return url === null || url.username !== "" || url.password !== "" ? undefined : url.href;
}

/**
 * Ordinary responses report limit resets, too, so they count only if a limit was hit. Waits in messages count for
 * errors that may pass.
 */
function readWait(
  reason: ErrorReason,
  headers: Readonly<Record<string, string>>,
  now: number,
  { words, clues }: { readonly words: string; readonly clues: ErrorClues },
): number | undefined {
  const asked = parseRetryAfter(headers, now);
  const passes = reason === "rateLimit" || reason === "overloaded" || reason === "unavailable";
  // Google requests a wait of seconds even then.
  if (!passes || clues.kinds.some(isDailyQuota) || (asked !== undefined && asked > 0)) return asked;
  const stated = clues.waitMs ?? parseWaitWords(words, serverClock(headers, now));
  return stated ?? asked ?? (reason === "rateLimit" ? parseLimitReset(headers, now) : undefined);
}

/** A response to a request that the user has written. The service may repeat what it was sent. */
export function describeSigned(
  { headers, statusCode, sentAt, receivedAt }: HttpResponse,
  { method, secrets = [] }: ErrorContext,
  url: URL,
  text: string,
): SignedResponse {
  const contentType = headers["content-type"];
  return filledFields({
    ...{ method, url: redactSecrets(url.href, secrets), statusCode },
    tookMs: receivedAt - sentAt,
    text: redactSecrets(text, secrets),
    contentType: contentType && cleanServerText(contentType, secrets),
    requestId: readRequestId(headers, secrets),
  });
}

/** The whole body of such a response. */
export function readSignedBody({ body }: HttpResponse): Promise<string> {
  const message = t("The response is longer than 16 MB and was truncated.");
  return readWholeBody(body, maxSignedBytes, () => new ServiceError({ reason: "malformed", message }));
}

const maxSignedBytes = 16 * 1024 * 1024;

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

/** The ID that the server's operators can use to find the request, if a header contains it. */
export function readRequestId(
  headers: Readonly<Record<string, string>>,
  secrets: readonly string[] = [],
): string | undefined {
  const name = requestIdHeaders.find((header) => headers[header] !== undefined && headers[header] !== "");
  return name === undefined ? undefined : cleanServerText(headers[name] ?? "", secrets);
}
