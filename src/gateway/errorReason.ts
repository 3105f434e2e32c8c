import type { GatewayCredentialKind } from "../core/credential.ts";
import type { ErrorReason } from "../core/errors.ts";
import type { ErrorBody } from "./errorBody.ts";

/** What there is to judge by. */
export interface ErrorEvidence {
  readonly kind: "inference" | "gateway";
  /** What a gateway request was authenticated with, where it matters for a 401 without a code. */
  readonly credential?: GatewayCredentialKind;
  readonly statusCode: number;
  readonly body: ErrorBody;
  /** The whole body. */
  readonly text: string;
}

export interface JudgedError {
  readonly reason: ErrorReason;
  readonly code?: string;
}

/** The one place where statuses and codes become reasons (interface section 7). */
export function errorReason(evidence: ErrorEvidence): JudgedError {
  const { kind, body } = evidence;
  const judged = kind === "gateway" ? judgeGatewayCode(evidence) : undefined;
  if (judged !== undefined) return judged;
  const statusCode = effectiveStatus(evidence);
  const reason = codeReason(body) ?? statusReason(statusCode, evidence);
  return body.code === undefined ? { reason } : { reason, code: body.code };
}

/** The four codes of the gateway; each has its own advice. */
const gatewayReasons: ReadonlyMap<string, ErrorReason> = new Map([
  ["ERR_UNAUTHORIZED", "sessionToken"],
  ["ERR_STS_UNAUTHORIZED", "stsToken"],
  ["ERR_AUTHTYPE", "authenticationType"],
  ["ERR_SIGNATURE", "signature"],
]);

/** The interface doesn't show where in the body the code stands: the field of a code first, then anywhere. */
function judgeGatewayCode({ body, text }: ErrorEvidence): JudgedError | undefined {
  for (const place of [body.code, body.message, text]) {
    const code = place === undefined ? undefined : /\bERR_[A-Z_]+\b/.exec(place)?.[0];
    const reason = code === undefined ? undefined : gatewayReasons.get(code);
    if (code !== undefined && reason !== undefined) return { reason, code };
  }
  return undefined;
}

/** Some services answer 200 and put the status into the body's code. */
function effectiveStatus({ statusCode, body }: ErrorEvidence): number {
  const code = Number(body.code);
  return statusCode < 400 && code >= 400 && code <= 599 ? code : statusCode;
}

/** Codes that say more than the status. */
function codeReason({ code = "", message = "" }: ErrorBody): ErrorReason | undefined {
  if (/insufficient_(?:quota|balance|credits?|funds)|payment_required|billing|arrears/i.test(code))
    return "payment";
  if (/^(?:rate_?limit|too_many_requests|throttl)/i.test(code)) return "rateLimit";
  if (/^(?:invalid_api_key|incorrect_api_key|global\/invalid-api-key)$/i.test(code)) return "apiKey";
  if (/insufficient (?:balance|quota|credits?|funds)/i.test(message)) return "payment";
  return undefined;
}

function statusReason(statusCode: number, evidence: ErrorEvidence): ErrorReason {
  switch (statusCode) {
    case 401:
      return evidence.kind === "inference" ? "apiKey" : refusedCredential(evidence.credential);
    case 402:
      return "payment";
    case 403:
      return forbiddenReason(evidence);
    case 404:
      return isUnknownModel(evidence.body) ? "badRequest" : "notFound";
    case 405:
      return "notFound";
    case 407:
      return "proxy";
    case 408:
    case 424:
    case 425:
      return "unavailable";
    case 429:
      return "rateLimit";
    default:
      return rangeReason(statusCode, evidence);
  }
}

function refusedCredential(credential: GatewayCredentialKind = "sessionToken"): ErrorReason {
  return credential === "accessKey" ? "signature" : credential;
}

function rangeReason(statusCode: number, { body, text }: ErrorEvidence): ErrorReason {
  if (statusCode >= 500) return /^\s*rate limit/i.test(text) ? "rateLimit" : "unavailable";
  if (statusCode >= 400) return "badRequest";
  if (statusCode >= 300) return "redirected";
  return body.pageTitle === undefined && body.code !== undefined ? "service" : "malformed";
}

/** A content delivery network that dislikes the client (`error code: 1010`) says nothing about the key. */
function forbiddenReason({ kind, body }: ErrorEvidence): ErrorReason {
  const isKey =
    kind === "inference" &&
    /\b(?:invalid|incorrect|wrong|expired|revoked)\b.{0,20}\b(?:api )?key\b/i.test(body.message ?? "");
  return isKey ? "apiKey" : "forbidden";
}

/** A server that knows the path but not the model: another model helps, another base URL does not. */
export function isUnknownModel({ code = "", message = "" }: ErrorBody): boolean {
  return /model_?not_?found|unknown_?model|invalid_?model/i.test(code) || /\bmodel\b/i.test(message);
}
