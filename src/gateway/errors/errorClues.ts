import type { TokenCounts } from "../../core/kernel/errors.ts";
import type { ErrorBody } from "./errorMarkup.ts";
import { withoutTags, parseJsonInside, visitErrorFields } from "./errorMarkup.ts";
import { PhraseTable, readWords } from "./phrases.ts";
import { parseWaitField } from "./rateLimit.ts";
import { filledFields } from "../../core/kernel/filledFields.ts";

/** Sentences that only repeat that an error occurred. */
const generic = new PhraseTable(`
  HTTP: ^ bad request $; ^ unprocessable entity|content $; ^ unauthorized|forbidden|conflict $; ^ not found $; ^ too many requests $; ^ payment required $; ^ service unavailable $; ^ service temporarily unavailable $; ^ bad gateway $; ^ gateway timeout $; ^ gateway time out $
  OpenRouter, others: ^ provider|upstream returned error $; ^ invalid request $; ^ param|parameter|request|params incorrect|invalid $; ^ request failed|rejected $; ^ request was rejected $; ^ something went wrong $
  frameworks: ^ error|exception|failure|failed|none|null|undefined $; ^ error|exception occurred|occured|returned $; ^ error has occurred $; ^ object object $; ^ # $
  frameworks: ^ unknown|unexpected|internal|upstream|provider|server|api|http|validation error|exception|failure $; ^ unknown|unexpected|internal|upstream|provider|server|api|http|validation error occurred|occured|returned $; ^ unknown|unexpected|internal|upstream|provider|server|api|http|validation error has occurred $; ^ unknown|unexpected|internal|upstream|provider|server|api|http|validation unknown|unexpected|internal|upstream|provider|server|api|http|validation error|exception|failure $; ^ unknown|unexpected|internal|upstream|provider|server|api|http|validation unknown|unexpected|internal|upstream|provider|server|api|http|validation error occurred|returned $
`);

/** Whether the sentence only repeats that an error occurred. */
function isGeneric(message: string): boolean {
  return message.length < 80 && generic.isIn(readWords(message.replace(/[.!]$/, "")));
}

/**
 * Names, in the form in which `visitErrorFields` passes them, of fields that are always worth reading: a provider's own
 * message relayed by a router.
 */
const rawNames = new Set(
  `raw rawerror rawmessage providererror upstreamerror upstreammessage originalerror originalmessage htmlmessage messagehtml
  innererror flaggedreason flaggedreasons param parameter`.split(/\s+/),
);
/** Names of fields that are read if the message itself is uninformative. */
const wordNames =
  /(?:message|msg|description|detail|details|explanation|cause|hint|remedyhint|text|body|response|title|reason|summary)$/;
const maxWords = 1_000;

/** The body with additional explanations: after an uninformative message, and always with a provider's own message. */
export function withExplanation(body: ErrorBody, document: unknown): ErrorBody {
  const { message } = body;
  const isMissing = message === undefined || isGeneric(message);
  const always: string[] = [];
  const otherwise: string[] = [];
  visitErrorFields(document, (name, value) => {
    if (name === "reasons" && Array.isArray(value)) always.push(...readReasons(value));
    if (isDailyQuota(value)) always.push(value.replace(/(?<=[a-z])(?=[A-Z])|-/g, " "));
    const words = typeof value === "string" ? readSentence(value) : undefined;
    if (words === undefined) return;
    if (rawNames.has(name)) always.push(words);
    else if (wordNames.test(name)) otherwise.push(words);
  });
  const known = message ?? "";
  const isNew = (words: string): boolean => !isGeneric(words) && !known.includes(words) && words !== "";
  const more = always.find(isNew) ?? (isMissing ? otherwise.find(isNew) : undefined);
  if (more === undefined) return body;
  return {
    ...body,
    message: message === undefined ? more : `${message.replace(/(?<![.:\s])[.:\s]+$/, "")}: ${more}`,
  };
}

/** Google names the period only in the ID of the quota: `GenerateRequestsPerDayPerProjectPerModel-FreeTier`. */
export function isDailyQuota(value: unknown): value is string {
  return typeof value === "string" && /^[A-Za-z]{1,80}PerDay(?![a-z])[\w-]{0,80}$/.test(value);
}

/** Reads only sentences; JSON is read where it is visited itself. */
function readSentence(value: string): string | undefined {
  if (parseJsonInside(value) !== undefined) return undefined;
  const words = withoutTags(value.slice(0, maxWords * 4)).slice(0, maxWords);
  return /\s|[\u3000-\u9fff]/.test(words) ? words : undefined;
}

/** The reasons why a moderator has flagged something: `["violence"]`. */
function readReasons(value: readonly unknown[]): readonly string[] {
  const words = value.filter((item): item is string => typeof item === "string").slice(0, 10);
  return words.length === 0 ? [] : [words.join(", ")];
}

/** What an error body contains besides its message and its code, in any position; used to determine the reason. */
export interface ErrorClues {
  /** Anything in the form of a code: `insufficient_quota`, `RESOURCE_EXHAUSTED`, `1113`; the outermost first. */
  readonly kinds: readonly string[];
  /** Names of rejected parameters, from fields such as `param`. */
  readonly parameters: readonly string[];
  /** The wait that the body requests, in milliseconds. */
  readonly waitMs?: number;
  readonly tokens: TokenCounts;
}

const maxKinds = 40;

/** Names in the form in which `visitErrorFields` passes them. */
const kindNames =
  /^(?:reasons|category|error|class|id|errno|ret|typename)$|(?:code|type|kind|reason|status)$/;
const numberKindNames = /(?:code|^status|^errno|^ret)$/;
const parameterNames =
  /^(?:param|params|parameter|parameters|paramname|argument|argumentname|field|fieldname)$/;
const waitNames =
  /^(?:retry(?:delay|after|in|at)|(?:retryafter|wait|resetin|resetafter)(?:ms|millis|milliseconds|s|secs?|seconds?)?|waitseconds|waittime)$/;
const limitNames =
  /^(?:nctx|maxcontextlength|contextlength|contextwindow|contextsize|maxinputtokens|tokenlimit)$/;
const requestedNames =
  /^(?:nprompttokens|prompttokens|inputtokens|requestedtokens|currenttokens|tokencount)$/;

/**
 * Searches a parsed error body.
 * @param serverNow The server's clock in milliseconds since 1970.
 */
export function readErrorClues(document: unknown, serverNow: number): ErrorClues {
  const kinds: string[] = [];
  const parameters: string[] = [];
  let waitMs: number | undefined;
  let limit: number | undefined;
  let requested: number | undefined;

  visitErrorFields(document, (name, value) => {
    if (kindNames.test(name) && kinds.length < maxKinds) kinds.push(...kindsOf(name, value));
    if (parameterNames.test(name) && typeof value === "string") parameters.push(value);
    if (name === "loc" && Array.isArray(value)) parameters.push(value.join("."));
    if (isDailyQuota(value)) kinds.push(value);
    if (waitNames.test(name)) waitMs ??= parseWaitField(name, value, serverNow);
    if (limitNames.test(name)) limit ??= countOf(value);
    if (requestedNames.test(name)) requested ??= countOf(value);
  });
  return filledFields({ kinds, parameters, waitMs, tokens: filledFields({ limit, requested }) });
}

function kindsOf(name: string, value: unknown): readonly string[] {
  if (typeof value === "number") return numberKindNames.test(name) ? [String(value)] : [];
  if (typeof value === "string") return isKind(value) ? [value] : [];
  return Array.isArray(value) ? value.slice(0, 10).flatMap((item) => kindsOf(name, item)) : [];
}

/** One word of letters, digits and separators. */
function isKind(text: string): boolean {
  return /^[\w./:#@-]{2,100}$/.test(text);
}

function countOf(value: unknown): number | undefined {
  const count = typeof value === "string" && /^\d{1,12}$/.test(value) ? Number(value) : value;
  return typeof count === "number" && Number.isSafeInteger(count) && count > 0 ? count : undefined;
}
