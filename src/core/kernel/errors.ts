import { credentialForms } from "./credential.ts";
import type { RefusalReason, SecretKind } from "./credential.ts";
import type { Log } from "./log.ts";

/**
 * What went wrong, classified by what the user can do about it (interface section 7).
 * - `unreachable` no connection: name not found, connection refused, or reset before a response. Check address and
 *   network.
 * - `tls` the certificate is not trusted. Install the issuer, or check the address.
 * - `wrongScheme` the address uses http but the server uses https on this port, or the reverse; see `scheme`.
 * - `proxy` the proxy refused or failed. Check VS Code's proxy settings.
 * - `timeout` the server was idle for longer than the request timeout. Retry or raise the setting.
 * - `insecure` we refused to send credentials over plain HTTP. Use https, or allow it for the profile.
 * - `redirected` the server redirected to another origin; credentials were not sent there. Check the base URL.
 * - `apiKey` the inference service refused the key. Set API Key.
 * - `sessionToken` ERR_UNAUTHORIZED. Set Session Token.
 * - `stsToken` ERR_STS_UNAUTHORIZED. Set STS Token.
 * - `authenticationType` ERR_AUTHTYPE. Choose another kind of credential for the profile.
 * - `signature` ERR_SIGNATURE. Check the API secret and the clock.
 * - `forbidden` the service refuses this client or this account (403, other than a wrong key).
 * - `payment` the balance is used up (402, `insufficient_quota`). Add credit; `link` is the page to do that, if the
 *   server provides it.
 * - `rateLimit` too many requests; `retryAfterMs` is how long to wait, if the server specifies it.
 * - `overloaded` the server has no capacity right now (529, `overloaded_error`). Retry.
 * - `contextLength` the conversation is too long for the model; `tokens` has the server's numbers. Shorten it.
 * - `contentFilter` a filter of the service rejected the content. Change the message.
 * - `unknownModel` the service doesn't have this model, or not for this account. Choose another one.
 * - `unsupportedParameter` the model doesn't support a parameter, named in `parameter`. Send without it.
 * - `unsupportedInput` the model can't read images or audio, as named in `input`. Send without them.
 * - `notFound` nothing at this URL (404, 405). Check the base URL.
 * - `badRequest` the server refuses this request; the same request will fail again.
 * - `unavailable` the server failed or is overloaded (408, 5xx). Retry.
 * - `service` an error that the server reported in the middle of a stream.
 * - `truncated` the response ended without a finish reason and without `[DONE]`; the partial response is kept.
 * - `malformed` the response doesn't conform to the interface (HTML page, broken JSON). Check the base URL.
 * - `missingCredential` nothing was sent: the credential that the request needs is not set.
 * - `budget` nothing was sent: the user's budget is used up or can't be checked. Raise it, or wait.
 * - `configuration` nothing was sent: a setting is missing or wrong.
 */
export const errorReasons = [
  ...refusalReasons(),
  "unreachable",
  "tls",
  "wrongScheme",
  "proxy",
  "timeout",
  "insecure",
  "redirected",
  "authenticationType",
  "forbidden",
  "payment",
  "rateLimit",
  "overloaded",
  "contextLength",
  "contentFilter",
  "unknownModel",
  "unsupportedParameter",
  "unsupportedInput",
  "notFound",
  "badRequest",
  "unavailable",
  "service",
  "truncated",
  "malformed",
  "missingCredential",
  "budget",
  "configuration",
] as const;

/** What went wrong, in terms of what the user can do about it. */
export type ErrorReason = (typeof errorReasons)[number];

/** What a model may be unable to read besides text. */
export const unsupportedInputs = ["image", "audio"] as const;

/** One of the kinds of input that a model may be unable to read. */
export type UnsupportedInput = (typeof unsupportedInputs)[number];

/** Each kind of credential has its own reason. */
function refusalReasons(): readonly RefusalReason[] {
  return Object.values(credentialForms).map(({ refusedAs }) => refusedAs);
}

/** The tokens in a request and the model's limit, if the server reports them. */
export interface TokenCounts {
  /** As the server states it, usually the length of the model's context. */
  readonly limit?: number;
  /** As the server counted them; some include those that are reserved for the response. */
  readonly requested?: number;
}

/**
 * The facts of a failure as plain data that crosses the process boundary and is stored with a message. Contains no
 * secrets.
 */
export interface ErrorFacts {
  readonly reason: ErrorReason;
  /** A full sentence for the user: what happened and what to do. */
  readonly message: string;
  /** HTTP status, if the server responded. */
  readonly statusCode?: number;
  /** The server's own error code, such as `ERR_SIGNATURE` or `insufficient_quota`. */
  readonly code?: string;
  /** The server's own message, truncated to a sensible length, with secrets masked. */
  readonly serverMessage?: string;
  /** The ID that the server's operators can use to find the request. */
  readonly requestId?: string;
  /** Milliseconds to wait before the next attempt, if the server specifies it. */
  readonly retryAfterMs?: number;
  /** Method and URL of the request, without query values that contain credentials. */
  readonly request?: string;
  /** The missing credential, if nothing was sent because of it. */
  readonly credential?: SecretKind;
  /** The token counts of a conversation that is too long. */
  readonly tokens?: TokenCounts;
  /** The field of the request body that the server rejects, such as `temperature` or `tools`. */
  readonly parameter?: string;
  /** What the model can't read. */
  readonly input?: UnsupportedInput;
  /** The largest number of tokens that a response may have, if the server says so when it rejects a larger one. */
  readonly tokenLimit?: number;
  /** The scheme that the server uses on this port, if it differs from the address. */
  readonly scheme?: "http" | "https";
  /** Which half of an access key pair is wrong, if the server says so. */
  readonly culprit?: "accessKey" | "apiSecret";
  /** An https URL where the problem can be solved according to the server, such as its billing page. */
  readonly link?: string;
}

/** The only error class of the product, for everything that goes wrong on the wire or before. */
export class ServiceError extends Error {
  readonly facts: ErrorFacts;

  constructor(facts: ErrorFacts, cause?: unknown) {
    super(facts.message, cause === undefined ? undefined : { cause });
    this.name = "ServiceError";
    this.facts = facts;
  }

  get reason(): ErrorReason {
    return this.facts.reason;
  }

  get statusCode(): number | undefined {
    return this.facts.statusCode;
  }

  /** How long the server asks to wait before the next attempt; undefined if it doesn't. */
  get retryAfterMs(): number | undefined {
    return this.facts.retryAfterMs;
  }
}

/** Logs a failure: as a warning if the user can fix it, as an error if it is our own mistake. */
export function logFailure(log: Log, error: unknown): void {
  if (error instanceof ServiceError) log.warn(failureLogLine(error));
  else log.error(error instanceof Error ? (error.stack ?? error.message) : String(error));
}

/** A failure in one line: reason, sentence, facts and the message of the cause. For the log, which redacts it. */
export function failureLogLine(error: ServiceError): string {
  const { reason, message, statusCode, code, requestId, request } = error.facts;
  const facts = [
    message.includes(request ?? "") ? undefined : request,
    statusCode === undefined ? undefined : `status ${statusCode}`,
    code === undefined ? undefined : `code ${code}`,
    requestId === undefined ? undefined : `request id ${requestId}`,
    describeCause(error.cause),
  ].filter((fact) => fact !== undefined);
  // The reason doesn't come first: "apiKey: The" reads like the assignment of a secret, which would be masked.
  return `${message} [${[reason, ...facts].join(", ")}]`;
}

function describeCause(cause: unknown): string | undefined {
  if (cause instanceof ServiceError) return describeCause(cause.cause);
  return cause instanceof Error ? `cause: ${(cause.message || cause.name).slice(0, 500)}` : undefined;
}
