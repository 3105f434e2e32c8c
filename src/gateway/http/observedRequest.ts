import { redactionMark, isSensitiveName, looksLikeCredential } from "../../core/account/redaction.ts";
import type {
  ExchangeObserver,
  Headers,
  ResponseHead,
  SentRequest,
} from "../../core/conversation/completion.ts";
import { cleanServerText, redactSecrets } from "../errors/serverText.ts";
import { readRequestId } from "./errorResponse.ts";
import type { HttpRequest, HttpResponse, Transport } from "./transport.ts";

/** Replaces a secret in a URL, where brackets would have to be encoded. */
const urlMark = "redacted";

/** Rate limits count tokens of another kind. */
const countsTokens = /^(?:x-|anthropic-)?ratelimit-/;

/** The request in displayable form. `secrets` are its credentials, which must not appear in it. */
function redactRequest(
  { method, url, headers, body = "" }: HttpRequest,
  secrets: readonly string[],
): SentRequest {
  const all = [...secrets, ...secretValues(headers)];
  return {
    method,
    url: redactSecrets(redactUrl(url), all),
    headers: mapHeaders(headers, (name, value) => redactValue(name, value, all)),
    // What the user wrote is kept, except for the key of this request.
    body: redactSecrets(body, all),
  };
}

/** The response headers in displayable form: a server may repeat what it was sent. */
function redactHead(
  { statusCode, headers }: HttpResponse,
  request: HttpRequest,
  secrets: readonly string[],
): ResponseHead {
  const all = [...secrets, ...secretValues(request.headers)];
  const requestId = readRequestId(headers, all);
  return {
    statusCode,
    headers: mapHeaders(headers, (name, value) =>
      isSensitiveName(name) && !countsTokens.test(name) ? redactionMark : cleanServerText(value, all),
    ),
    ...(requestId === undefined ? {} : { requestId }),
  };
}

function redactUrl({ origin, pathname, searchParams }: URL): string {
  const query = [...searchParams].map(([name, value]) => {
    const exposed = isSecret(name, value) ? urlMark : encodeURIComponent(value);
    return `${encodeURIComponent(name)}=${exposed}`;
  });
  return `${origin}${pathname}${query.length === 0 ? "" : `?${query.join("&")}`}`;
}

/** `Bearer [redacted]` shows what kind of credential it was. */
function redactValue(name: string, value: string, secrets: readonly string[]): string {
  if (!isSecret(name, value)) return redactSecrets(value, secrets);
  const scheme = name === "authorization" ? /^(?:Bearer|Basic) /.exec(value)?.[0] : undefined;
  return `${scheme ?? ""}${redactionMark}`;
}

/** Headers that the client sets itself, except for the one with the key. */
const ownHeaders: ReadonlySet<string> = new Set(["accept", "accept-encoding", "content-type", "user-agent"]);

/** The headers of a profile contain the user's own values: an unknown one that could be a key is treated as a key. */
function isSecret(name: string, value: string): boolean {
  if (ownHeaders.has(name)) return false;
  return isSensitiveName(name) || looksLikeCredential(value) || hasShapeOfKey(value);
}

/** A run of letters and digits that no one could remember. */
function hasShapeOfKey(value: string): boolean {
  const words = value.match(/[\w+/=.~-]{20,}/g) ?? [];
  return words.some(
    (word) => /\d/.test(word) && /[a-z]/i.test(word) && word.split(".").some(({ length }) => length >= 20),
  );
}

function secretValues(headers: Headers): readonly string[] {
  return Object.entries(headers).flatMap(([name, value]) =>
    isSecret(name, value) ? [value.replace(/^(?:Bearer|Basic) /i, "")] : [],
  );
}

function mapHeaders(headers: Headers, expose: (name: string, value: string) => string): Headers {
  const entries = Object.entries(headers).map(([name, value]) => [name, expose(name, value)] as const);
  return Object.fromEntries(entries);
}

/**
 * Sends the request and reports its progress to the observer, if there is one. `secrets` are redacted from what the
 * observer receives.
 */
export async function sendObserved(
  transport: Transport,
  observer: ExchangeObserver | undefined,
  secrets: readonly string[],
  request: HttpRequest,
): Promise<HttpResponse> {
  if (observer === undefined) return transport.request(request);
  observer.onRequest(redactRequest(request, secrets));
  const response = await transport.request({ ...request, observer });
  observer.onHead(redactHead(response, request, secrets));
  return response;
}
