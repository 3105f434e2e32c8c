import { kindRefusedBy } from "../../core/account/credentialKinds.ts";
import type { GatewayCredentialKind } from "../../core/kernel/credential.ts";
import type { ErrorReason, TokenCounts, UnsupportedInput } from "../../core/kernel/errors.ts";
import type { ErrorBody } from "./errorMarkup.ts";
import type { ErrorClues } from "./errorClues.ts";
import { refusedPart } from "./gatewayRefusal.ts";
import { httpsPort, reasonOfWords } from "./errorRules.ts";
import { readWords } from "./phrases.ts";
import { memberName, isOptional, namedParameter } from "./rejectedParameter.ts";
import { refusedInput } from "./refusedInput.ts";
import { readOutputLimit, readTokenCounts } from "./tokenCounts.ts";
import { credentialForms } from "../../core/kernel/credential.ts";
/** The facts used for the classification. */
interface ErrorEvidence {
  readonly kind: "inference" | "gateway";
  /** The credential of a gateway request, which matters for a 401 without a code. */
  readonly credential?: GatewayCredentialKind;
  readonly url?: URL;
  readonly statusCode: number;
  readonly body: ErrorBody;
  /** The whole body. */
  readonly text: string;
  readonly clues: ErrorClues;
  /** Whether the request was sent over plain HTTP. */
  readonly isPlain?: boolean;
  /** Whether an inference request was sent without a key because none is stored. */
  readonly isKeyless?: boolean;
}

interface ClassifiedError {
  readonly reason: ErrorReason;
  readonly code?: string;
  readonly tokens?: TokenCounts;
  readonly parameter?: string;
  readonly tokenLimit?: number;
  readonly input?: UnsupportedInput;
}

/** The only place that maps statuses, codes and words to reasons (interface section 7). */
export function errorReason(evidence: ErrorEvidence): ClassifiedError {
  const { kind, body } = evidence;
  const classified = kind === "gateway" ? classifyGatewayCode(evidence) : undefined;
  if (classified !== undefined) return classified;
  const stated = refusedByGateway(evidence) ?? reasonOf(evidence, effectiveStatus(evidence));
  const reason = stated === "apiKey" && evidence.isKeyless === true ? "missingCredential" : stated;
  return { reason, ...(body.code === undefined ? {} : { code: body.code }), ...detailsOf(reason, evidence) };
}

/** What a code of the gateway means; each of them has its own advice. */
function gatewayReason(code: string): ErrorReason | undefined {
  if (code === "ERR_AUTHTYPE") return "authenticationType";
  const kind = kindRefusedBy(code);
  return kind === undefined ? undefined : credentialForms[kind].refusedAs;
}

/** The interface doesn't show where the code is in the body: it is looked for in a code field first, then anywhere. */
function classifyGatewayCode({ body, text }: ErrorEvidence): ClassifiedError | undefined {
  for (const candidate of [body.code, body.message, text.slice(0, 64 * 1024)]) {
    const code = candidate === undefined ? undefined : /\bERR_[A-Z_]{1,40}\b/.exec(candidate)?.[0];
    const reason = code === undefined ? undefined : gatewayReason(code);
    if (code !== undefined && reason !== undefined) return { reason, code };
  }
  return undefined;
}

/** The codes of other clouds for nonces, times and tokens, whatever their status is. */
function refusedByGateway({
  kind,
  credential,
  statusCode,
  body,
  clues,
}: ErrorEvidence): ErrorReason | undefined {
  if (kind !== "gateway" || ![400, 401, 403].includes(statusCode)) return undefined;
  const part = refusedPart([body.code ?? "", ...clues.kinds], body.message ?? "");
  if (part === undefined) return undefined;
  return part === "token" ? refusedCredential(credential) : "signature";
}

/** Some services respond with 200 and put the status into the body's code, or into a separate field. */
function effectiveStatus({ statusCode, body, clues }: ErrorEvidence): number {
  if (statusCode >= 400) return statusCode;
  const code = [body.code ?? "", ...clues.kinds].find((kind) => /^[45]\d\d$/.test(kind));
  if (code !== undefined) return Number(code);
  return kindStatuses.find(([pattern]) => clues.kinds.some((kind) => pattern.test(kind)))?.[1] ?? statusCode;
}

/** The status that a service would have used if its response had not started successfully. */
const kindStatuses: readonly (readonly [pattern: RegExp, statusCode: number])[] = [
  [/^(?:invalid[_ ]?request|bad[_ ]?request|invalid[_ ]?argument|validation)/i, 400],
  [/^permission|^forbidden/i, 403],
  [/^not[_ ]?found/i, 404],
  [/^(?:internal[_ ]?)?server[_ ]?error|^api[_ ]?error|^internal(?:[_ ]?error|$)/i, 500],
  [/^(?:service[_ ]?)?unavailable|^timeout/i, 503],
];

function reasonOf(evidence: ErrorEvidence, statusCode: number): ErrorReason {
  // 511: a network in which one has to sign in.
  if (statusCode === 407 || statusCode === 511) return "proxy";
  if (evidence.isPlain === true && httpsPort.isIn(readWords(evidence.body.message ?? "")))
    return "wrongScheme";
  const { kind, credential, body, clues } = evidence;
  const words = body.pageTitle === undefined ? (body.message ?? "") : "";
  const stated = reasonOfWords({ kind, statusCode, words, codes: [body.code ?? "", ...clues.kinds] });
  // Which gateway credential is meant depends on the one that was sent.
  if (stated === "apiKey" && kind === "gateway" && (credential !== undefined || statusCode >= 400)) {
    return refusedCredential(credential);
  }
  const hasRejected = clues.parameters.some(isOptional) && /^(?:400|422)$/.test(String(statusCode));
  if (
    stated === undefined &&
    hasRejected &&
    /unsupported|not supported|extra_?forbidden|unknown_?param/i.test(`${words} ${clues.kinds.join(" ")}`)
  ) {
    return "unsupportedParameter";
  }
  const own = kind === "gateway" && stated === "apiKey" ? undefined : stated;
  return own ?? statusReason(statusCode, evidence);
}

function detailsOf(reason: ErrorReason, { body, clues }: ErrorEvidence): Partial<ClassifiedError> {
  const words = body.message ?? "";
  if (reason === "contextLength") {
    const tokens = { ...readTokenCounts(words), ...clues.tokens };
    const parameter = /\bmax_(?:completion_)?tokens\b['"`]{0,2}[^.]{0,40}too (?:large|high)/i.test(words)
      ? "max_tokens"
      : undefined;
    const tokenLimit = parameter === undefined ? undefined : readOutputLimit(words);
    return {
      ...(tokenLimit === undefined ? {} : { tokenLimit }),
      ...(tokens.limit === undefined && tokens.requested === undefined ? {} : { tokens }),
      ...(parameter === undefined ? {} : { parameter }),
    };
  }
  if (reason === "unsupportedInput") {
    const input = refusedInput(readWords(words));
    return input === undefined ? {} : { input };
  }
  if (reason !== "unsupportedParameter") return {};
  const named = namedParameter(readWords(words)) ?? memberName(clues.parameters.find(isOptional));
  if (named === undefined || !isOptional(named)) return {};
  const tokenLimit = /^max_\w*tokens$/.test(named) ? readOutputLimit(words) : undefined;
  return { parameter: named, ...(tokenLimit === undefined ? {} : { tokenLimit }) };
}

function statusReason(statusCode: number, evidence: ErrorEvidence): ErrorReason {
  switch (statusCode) {
    case 401:
      return evidence.kind === "inference" ? "apiKey" : refusedCredential(evidence.credential);
    case 402:
      return "payment";
    case 403:
      return "forbidden";
    case 404:
    case 405:
      return "notFound";
    case 410:
      // What is gone is a model, or the path of a list.
      return evidence.url?.pathname.endsWith("/chat/completions") === true ? "unknownModel" : "notFound";
    case 408:
    case 424:
    case 425:
      return "unavailable";
    case 429:
      return "rateLimit";
    case 451:
      return "contentFilter";
    case 498:
      // Most services mean an invalid token; a service that only uses keys means its capacity.
      return evidence.kind === "gateway" ? refusedCredential(evidence.credential) : "overloaded";
    case 529:
      return "overloaded";
    default:
      return rangeReason(statusCode, evidence);
  }
}

function refusedCredential(credential: GatewayCredentialKind = "sessionToken"): ErrorReason {
  return credentialForms[credential].refusedAs;
}

function rangeReason(statusCode: number, { body }: ErrorEvidence): ErrorReason {
  if (statusCode >= 500) return "unavailable";
  if (statusCode >= 400) return "badRequest";
  if ([301, 302, 303, 307, 308].includes(statusCode)) return "redirected";
  return body.pageTitle === undefined && body.code !== undefined ? "service" : "malformed";
}
