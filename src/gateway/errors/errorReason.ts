import { kindRefusedBy } from "../../core/account/credentialKinds.ts";
import type { GatewayCredentialKind } from "../../core/kernel/credential.ts";
import type { ErrorReason, TokenCounts } from "../../core/kernel/errors.ts";
import type { ErrorBody } from "./errorMarkup.ts";
import type { ErrorClues } from "./errorClues.ts";
import { reasonOfWords } from "./errorRules.ts";
import { readOutputLimit, readTokenCounts } from "./tokenCounts.ts";
import { credentialForms } from "../../core/kernel/credential.ts";
/** A name between quotation marks of any kind. */
const quoted = "[\"'`“‘]{0,2}([A-Za-z_][\\w.]{0,60})[\"'`”’]{0,2}";

/** Sentences with which servers reject a parameter; the group is its name. */
const sentences: readonly RegExp[] = [
  pattern(
    `(?:unsupported|unknown|unrecognized|unexpected|invalid|extra|disallowed) (?:request |sampling |generation )?(?:parameters?|params?|arguments?|fields?|keys?|propert(?:y|ies)|options?|values?)(?: supplied| name| provided)?[:\\s]{0,3}${quoted}`,
  ),
  pattern(
    `(?:parameters?|arguments?|fields?|propert(?:y|ies)|options?|params?) ${quoted}(?: of type \\w+| specified in the request)? (?:(?:is|are|was)(?:n['’]t| not)?|does(?:n['’]t| not)|do not|can(?:no|['’])t) ?(?:be )?(?:currently )?(?:supported|allowed|permitted|recognized|valid|available|unsupported|unknown|exist|compatible)`,
  ),
  pattern(
    `(?:does(?:n['’]t| not)|do not|cannot|can['’]t) (?:currently )?(?:support|allow|accept|recognize)(?: the)?(?: following)? (?:parameters?|arguments?|fields?|options?|params?|property)[:\\s]{0,3}\\[?${quoted}`,
  ),
  /\b(temperature|seed|stop|logprobs|tools|[a-z]{2,20}_[a-z_]{1,30})['"`]? (?:is|are) (?:not |un)(?:currently )?supported/i,
  pattern(`argument not supported(?: on this model| by this model)?: ${quoted}`),
  pattern(`unknown (?:name|field) ${quoted}`),
  pattern(`extra inputs are not permitted, field: ${quoted}`),
  pattern(`^(?:body\\.|request\\.)?${quoted}: extra inputs are not permitted`),
  pattern(`['"]loc['"]: [\\[(]['"]body['"], ${quoted}[,)\\]]`),
  pattern(`got an unexpected keyword argument ${quoted}`),
  pattern(`extraneous key \\[${quoted}\\]`),
  pattern(`additional properties are not allowed \\(${quoted}`),
  pattern(`\\n${quoted}\\n {1,8}extra inputs are not permitted`),
  pattern(`and ${quoted} cannot both be specified`),
  pattern(`${quoted} (?:is|are) deprecated for this model`),
  /\binvalid (temperature|top_p|top_k|n|seed|presence_penalty|frequency_penalty): only\b/i,
  pattern(
    `${quoted} (?:is|are) (?:not|un) ?(?:currently )?supported (?:with|by|for|on|in) th(?:is|e) (?:model|endpoint|server|api|engine)`,
  ),
  pattern(
    `${quoted} (?:is not|isn['’]t) a (?:valid|supported|known|recognized) (?:parameter|argument|field|option|property)`,
  ),
];

/** What servers describe in words instead of naming the field of the body. */
const named: readonly (readonly [words: RegExp, parameter: string])[] = [
  [/\bmax_completion_tokens['"]? instead\b/i, "max_tokens"],
  [
    /\bmax_(?:completion_)?tokens\b[^.]{0,60}(?:too (?:large|high)|at most|maximum allowed|must be (?:less|smaller|at most|<=)|exceeds?)|at most \d{1,9} completion tokens|maximum allowed number of output tokens/i,
    "max_tokens",
  ],
  [
    /tool choice requires|--enable-auto-tool-choice|["'`]?tool_choice["'`]? (?:is not|isn't) supported/i,
    "tool_choice",
  ],
  [
    /(?:does(?:n['’]t| not) support|not support|without support for|no (?:endpoints|providers?) (?:found )?that support|unsupported:?) (?:the |this )?(?:use of )?(?:native )?(?:tools?\b|function[- _]?call|tool[- _]?(?:use|call))|tools? (?:param\w* )?(?:(?:is|are) not supported|requires? --jinja)|(?:tool|function)[- _]?(?:use|calling) is(?: not|n['’]t) supported/i,
    "tools",
  ],
  [
    /response_format\b[^.]{0,60}(?:not supported|unavailable|unsupported|is not|isn't)|(?:does(?:n['’]t| not) support|not support) (?:response[_ ]format|structured outputs?|json[_ ]?(?:mode|schema|object))|json[_ ]?(?:mode|schema)\b[^.]{0,30}not supported/i,
    "response_format",
  ],
  [/does(?:n['’]t| not) support (?:thinking|reasoning)\b/i, "reasoning_effort"],
  [/does(?:n['’]t| not) support (?:log ?probs?)\b/i, "logprobs"],
  [/\bn ?(?:>|!=) ?1\b[^.]{0,40}not supported|\bonly n ?= ?1\b/i, "n"],
];

const longestWords = 2_000;

/**
 * The field of the request body that a sentence rejects; undefined if it doesn't reject one.
 * @param words The server's message.
 */
function readRejectedParameter(words: string): string | undefined {
  const text = words.slice(0, longestWords);
  const name = sentences.map((sentence) => sentence.exec(text)?.[1]).find((found) => found !== undefined);
  return memberName(name) ?? named.find(([pattern]) => pattern.test(text))?.[1];
}

/** Words that occur in place of a name but aren't names. */
const noNames = new Set(
  "for in is the this that to of a an and or body request value values supplied model with not name type error input inputs json".split(
    " ",
  ),
);

/** The field of the body in a path such as `body.foo` or `messages.0.name`. Undefined if it isn't a name. */
function memberName(path: string | undefined): string | undefined {
  const [first] = (path ?? "").replace(/^(?:body|request)[./]/, "").split(/[.[\]/]/);
  return first === undefined ||
    first === "" ||
    !/^[A-Za-z_]\w*$/.test(first) ||
    noNames.has(first.toLowerCase())
    ? undefined
    : first;
}

function pattern(source: string): RegExp {
  return new RegExp(source, "i");
}

/** The facts used for the classification. */
interface ErrorEvidence {
  readonly kind: "inference" | "gateway";
  /** The credential of a gateway request, which matters for a 401 without a code. */
  readonly credential?: GatewayCredentialKind;
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

/** How servers that expect TLS respond to plain HTTP: Go, nginx, Apache, Tomcat, HAProxy. */
function isHttpsPort(words: string): boolean {
  return /http request (?:was sent )?to (?:an? )?https (?:port|server)|plain http to an ssl|combination of host and port requires tls|ssl-enabled server port/i.test(
    words.slice(0, 1_000),
  );
}

interface ClassifiedError {
  readonly reason: ErrorReason;
  readonly code?: string;
  readonly tokens?: TokenCounts;
  readonly parameter?: string;
  readonly tokenLimit?: number;
}

/** The only place that maps statuses, codes and words to reasons (interface section 7). */
export function errorReason(evidence: ErrorEvidence): ClassifiedError {
  const { kind, body } = evidence;
  const classified = kind === "gateway" ? classifyGatewayCode(evidence) : undefined;
  if (classified !== undefined) return classified;
  const stated = reasonOf(evidence, effectiveStatus(evidence));
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
  if (statusCode === 407) return "proxy";
  if (evidence.isPlain === true && isHttpsPort(evidence.body.message ?? "")) return "wrongScheme";
  const { kind, credential, body, clues } = evidence;
  const words = body.pageTitle === undefined ? (body.message ?? "") : "";
  const stated = reasonOfWords({ kind, statusCode, words, codes: [body.code ?? "", ...clues.kinds] });
  // Which gateway credential is meant depends on the one that was sent.
  if (stated === "apiKey" && kind === "gateway" && (credential !== undefined || statusCode >= 400)) {
    return refusedCredential(credential);
  }
  const hasRejected = clues.parameters.some(isSent) && /^(?:400|422)$/.test(String(statusCode));
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

/** Fields that a request can do without. */
function isSent(parameter: string): boolean {
  const name = memberName(parameter);
  return name !== undefined && !/^(?:model|messages?|prompt|input|stream|key)$/.test(name);
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
  if (reason !== "unsupportedParameter") return {};
  const named = readRejectedParameter(words) ?? memberName(clues.parameters.find(isSent));
  if (named === undefined || !isSent(named)) return {};
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
  if (statusCode >= 300) return "redirected";
  return body.pageTitle === undefined && body.code !== undefined ? "service" : "malformed";
}
