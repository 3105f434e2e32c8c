import { credentialForms } from "./credential.ts";
import type { RefusalReason, SecretKind } from "./credential.ts";

/**
 * What went wrong, classified by what the user can do about it (interface section 7).
 * - `unreachable` no connection: name not found, refused, reset before a response. Check address and network.
 * - `tls` the certificate is not trusted. Install the issuer, or check the address.
 * - `wrongScheme` the address says http and the server speaks https at this port, or the reverse; see `scheme`.
 * - `proxy` the proxy refused or failed. Check VS Code's proxy settings.
 * - `timeout` the server was silent for longer than the request timeout. Retry or raise the setting.
 * - `insecure` we refused to send credentials over plain http. Use https, or allow it for the profile.
 * - `redirected` the server pointed to another place; credentials were not sent there. Check the base URL.
 * - `apiKey` the inference service refused the key. Set API Key.
 * - `sessionToken` ERR_UNAUTHORIZED. Set Session Token.
 * - `stsToken` ERR_STS_UNAUTHORIZED. Set STS Token.
 * - `authenticationType` ERR_AUTHTYPE. Choose another kind of credential for the profile.
 * - `signature` ERR_SIGNATURE. Check the API secret and the clock.
 * - `forbidden` the service refuses this client or this account (403, other than a wrong key).
 * - `payment` the balance is used up (402, `insufficient_quota`). Add credit; `link` says where, if the server does.
 * - `rateLimit` too many requests; `retryAfterMs` says how long to wait where the server says so.
 * - `overloaded` the server has no capacity right now (529, `overloaded_error`). Retry.
 * - `contextLength` the conversation is too long for the model; `tokens` has the server's numbers. Shorten it.
 * - `contentFilter` a filter of the service rejected the content. Change the message.
 * - `unknownModel` the service doesn't have this model, or not for this account. Choose another one.
 * - `unsupportedParameter` the model doesn't support a parameter, named in `parameter`. Send without it.
 * - `notFound` nothing at this URL (404, 405). Check the base URL.
 * - `badRequest` the server refuses this request; the same request will fail again.
 * - `unavailable` the server failed or is overloaded (408, 5xx). Retry.
 * - `service` an error that the server reported in the middle of a stream.
 * - `truncated` the response ended without a finish reason and without `[DONE]`; the partial response is kept.
 * - `malformed` the response doesn't conform to the interface (HTML page, broken JSON). Check the base URL.
 * - `missingCredential` nothing was sent: the credential that the request needs is not set.
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
  "notFound",
  "badRequest",
  "unavailable",
  "service",
  "truncated",
  "malformed",
  "missingCredential",
  "configuration",
] as const;
export type ErrorReason = (typeof errorReasons)[number];

/** Each kind of credential has a reason of its own. */
function refusalReasons(): readonly RefusalReason[] {
  return Object.values(credentialForms).map(({ refusedAs }) => refusedAs);
}

/** How many tokens a request has and how many the model takes, as far as the server gives the numbers. */
export interface TokenCounts {
  readonly limit?: number;
  readonly requested?: number;
}

/** The facts of a failure as plain data: crosses the process border and is stored with a message. No secrets. */
export interface ErrorFacts {
  readonly reason: ErrorReason;
  /** A full sentence for the user: what happened and what to do. */
  readonly message: string;
  /** HTTP status, where the server responded. */
  readonly statusCode?: number;
  /** The server's own error code, such as `ERR_SIGNATURE` or `insufficient_quota`. */
  readonly code?: string;
  /** The server's own words, cut to a sensible length, with secrets masked. */
  readonly serverMessage?: string;
  /** The id under which the server's operators find the request. */
  readonly requestId?: string;
  /** Milliseconds to wait before the next attempt, where the server says so. */
  readonly retryAfterMs?: number;
  /** Method and URL that were called, without query values that carry credentials. */
  readonly request?: string;
  /** Which credential is missing, if nothing was sent for want of one. */
  readonly credential?: SecretKind;
  /** The numbers of a conversation that is too long. */
  readonly tokens?: TokenCounts;
  /** The member of the request's body that the server rejects, such as `temperature` or `tools`. */
  readonly parameter?: string;
  /** What the server speaks at this port, where the address says otherwise. */
  readonly scheme?: "http" | "https";
  /** Which half of an access key pair is wrong, where the server says so. */
  readonly culprit?: "accessKey" | "apiSecret";
  /** Where the server says that the problem can be solved, such as its billing page: an https URL. */
  readonly link?: string;
}

/** The one error class of the product: everything that goes wrong on the wire or before it. */
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

  get code(): string | undefined {
    return this.facts.code;
  }

  get requestId(): string | undefined {
    return this.facts.requestId;
  }

  get retryAfterMs(): number | undefined {
    return this.facts.retryAfterMs;
  }
}
