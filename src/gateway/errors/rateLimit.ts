import { PhraseTable } from "./phrases.ts";
import type { Words } from "./phrases.ts";

type Headers = Readonly<Record<string, string>>;

/** Longer waits are treated as invalid. */
const longestWaitMs = 7 * 24 * 3_600_000;

/**
 * Milliseconds to wait before the next attempt, as specified by `retry-after-ms` or `Retry-After`; undefined if both
 * are missing. `now` is our clock in milliseconds since 1970, used if the response has no Date.
 */
export function parseRetryAfter(headers: Headers, now: number): number | undefined {
  const serverNow = serverClock(headers, now);
  for (const name of ["retry-after-ms", "x-ms-retry-after-ms"]) {
    const waitMs = inBounds(parseNumber(headers[name]));
    if (waitMs !== undefined) return waitMs;
  }
  return (
    inBounds(parseWait(headers["retry-after"], serverNow)) ??
    inBounds(parseWait(headers["x-retry-after"], serverNow))
  );
}

/** The server's clock in milliseconds since 1970: its `Date` if present, otherwise ours. */
export function serverClock(headers: Headers, now: number): number {
  return parseDate(headers["date"]) ?? now;
}

/**
 * When a used-up limit is reset, for servers that report nothing else: the longest reset among the limits that are used up or don't report what is left. If all of them have something left,
 * this request alone was too large, and the shortest is as good a guess as any.
 */
export function parseLimitReset(headers: Headers, now: number): number | undefined {
  const serverNow = serverClock(headers, now);
  const usedUp: number[] = [];
  const others: number[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const wait = isResetName(name) ? inBounds(parseReset(name, value, serverNow)) : undefined;
    if (wait !== undefined) (isUsedUp(headers, name) ? usedUp : others).push(wait);
  }
  if (usedUp.length > 0) return Math.max(...usedUp);
  return others.length > 0 ? Math.min(...others) : draftWait(headers["ratelimit"]);
}

function parseReset(name: string, value: string, serverNow: number): number | undefined {
  return (name.endsWith("-ms") ? parseNumber(value) : undefined) ?? parseWait(value, serverNow);
}

/** Such as `x-ratelimit-reset-tokens`, `anthropic-ratelimit-requests-reset`, `x-ratelimit-reset-ms`. */
function isResetName(name: string): boolean {
  return /rate-?limit-/.test(name) && /-(?:reset|retry)(?:-|$)/.test(name);
}

function isUsedUp(headers: Headers, resetName: string): boolean {
  const name = resetName.replace("reset", "remaining").replace(/-(?:ms|after|seconds)$/, "");
  const remaining = parseNumber(headers[name]);
  return remaining === undefined || remaining <= 0;
}

/** The newer single-header form: `"default";r=0;t=30` or `limit=10, remaining=0, reset=30`. */
function draftWait(value: string | undefined): number | undefined {
  const seconds = value === undefined ? null : /(?:\bt|\breset)=(\d{1,12}(?:\.\d{1,6})?)/.exec(value);
  return seconds === null ? undefined : inBounds(Number(seconds[1]) * 1_000);
}

/** Seconds (whole or not), a duration such as `6m0s`, seconds or milliseconds since 1970, or a date. */
function parseWait(value: string | undefined, serverNow: number): number | undefined {
  if (value === undefined || value.length > 100) return undefined;
  const text = value.trim();
  const number = parseNumber(text);
  if (number !== undefined) return numberWait(number, serverNow);
  const duration = parseDuration(text);
  if (duration !== undefined) return duration;
  const date = parseDate(text);
  return date === undefined ? undefined : Math.max(0, date - serverNow);
}

/** A number above a billion is a point in time in seconds or, above 100 billion, in milliseconds. */
function numberWait(number: number, serverNow: number): number {
  if (number > 1e11) return Math.max(0, number - serverNow);
  if (number > 1e9) return Math.max(0, number * 1_000 - serverNow);
  return number * 1_000;
}

/** Matched by the first letters of a unit, which may also be an English or Chinese word. */
const units: readonly (readonly [pattern: RegExp, ms: number])[] = [
  [/^(?:ms|msecs?|millis|milliseconds?|毫秒)$/, 1],
  [/^(?:s|secs?|seconds?|秒钟?)$/, 1_000],
  [/^(?:m|mins?|minutes?|分钟?)$/, 60_000],
  [/^(?:h|hrs?|hours?|个?小时)$/, 3_600_000],
  [/^(?:d|days?|天)$/, 86_400_000],
];
const durationPart = /(\d{1,12}(?:\.\d{1,9})?)\s?([a-z]{1,12}|毫秒|秒钟?|分钟?|个?小时|天)?/iy;
const separator = /(?:\s|,|\band\b){0,4}/y;

/** `1m30s`, `17.5s`, `1 minute and 30 seconds`, `PT30S`, `00:01:30`; undefined for anything else. */
function parseDuration(text: string): number | undefined {
  const clock = /^(\d{1,3}):([0-5]\d):([0-5]\d)(?:\.\d{1,9})?$/.exec(text);
  if (clock !== null) return (Number(clock[1]) * 3_600 + Number(clock[2]) * 60 + Number(clock[3])) * 1_000;
  const start = /^PT(?=\d)/i.test(text) ? 2 : 0;
  const read = readDuration(text, start);
  return read !== undefined && read.end === text.length ? read.ms : undefined;
}

/** The amounts with units starting at this position. A last word that isn't a unit belongs to the sentence. */
function readDuration(
  text: string,
  start: number,
): { readonly ms: number; readonly end: number } | undefined {
  let total: number | undefined;
  let end = start;
  for (let at = start; at < text.length;) {
    durationPart.lastIndex = at;
    const match = durationPart.exec(text);
    const unit = match?.[2]?.toLowerCase() ?? "";
    const ms = units.find(([pattern]) => pattern.test(unit))?.[1];
    if (match === null || ms === undefined) break;
    total = (total ?? 0) + Number(match[1]) * ms;
    end = durationPart.lastIndex;
    separator.lastIndex = end;
    at = separator.test(text) ? separator.lastIndex : end;
  }
  return total === undefined ? undefined : { ms: total, end };
}

/** What precedes a wait in a sentence. */
const waitStarts: readonly RegExp[] = [
  /\b(?:try|retry|retrying|again|resets?|available|resume)[ \w]{0,24}\b(?:in|after|within)["'\s:=]{0,5}(?:about |approximately |at least |another |around )?(?=\d)/gi,
  /\b(?:retry[-_ ]?(?:after|delay)|wait(?:ing)?(?: for)?)["'\s:=]{0,5}(?:about |approximately |at least |another |around )?(?=\d)/gi,
  /请(?:等待|稍等|在|于)?\s?(?=\d)/g,
];
const dateStart =
  /\b(?:try|retry|again|resets?|available|until|blocked)\b[ \w]{0,24}?\b(?:at|on|until|after):?\s(?=\d{4}-\d\d-\d\d)/gi;
const isoDate = /\d{4}-\d\d-\d\d[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?\s?(?:Z|UTC|[+-]\d\d:?\d\d)?/iy;
/** Length of the message that is searched. */
const longestWords = 4_000;

/**
 * Milliseconds to wait according to a server's message: "try again in 4s", "retry after 1m30s", "wait 35 seconds".
 * @param serverNow The server's clock, for a time of day.
 */
export function parseWaitWords(words: string, serverNow: number): number | undefined {
  const text = words.slice(0, longestWords);
  for (const match of waitStarts.flatMap((pattern) => [...text.matchAll(pattern)])) {
    const start = match.index + match[0].length;
    const wait = readDuration(text, start)?.ms ?? bareSeconds(text, start);
    if (wait !== undefined) return inBounds(wait);
  }
  for (const match of text.matchAll(dateStart)) {
    isoDate.lastIndex = match.index + match[0].length;
    const date = isoDate.exec(text)?.[0].replace(/\s?UTC$/i, "Z");
    const time =
      date === undefined ? NaN : Date.parse(/(?:Z|[+-]\d\d:?\d\d)$/i.test(date) ? date : `${date}Z`);
    if (!Number.isNaN(time)) return inBounds(Math.max(0, time - serverNow));
  }
  return undefined;
}

/** "Retry after 30": seconds, unless the number continues or counts something else. */
function bareSeconds(text: string, start: number): number | undefined {
  const match = /^(\d{1,6}(?:\.\d{1,3})?)(?=["'.,;)\s]*$|["'.,;)]+\s)/.exec(text.slice(start, start + 16));
  return match === null ? undefined : Number(match[1]) * 1_000;
}

/**
 * A wait in a field of an error body: `retryDelay: "17s"`, `retry_after: 20`, `retry_after_ms: 400`, `{"seconds": 17}`.
 * The name is in lower case without hyphens and underscores.
 */
export function parseWaitField(name: string, value: unknown, serverNow: number): number | undefined {
  if (typeof value === "object" && value !== null && "seconds" in value) {
    return inBounds(parseNumber(String(value.seconds), 1_000));
  }
  if (typeof value !== "string" && typeof value !== "number") return undefined;
  const text = String(value).trim();
  if (/(?:ms|millis|milliseconds)$/.test(name)) return inBounds(parseNumber(text));
  return inBounds(parseWait(text, serverNow) ?? parseWaitWords(text, serverNow));
}

function parseNumber(value: string | undefined, factor = 1): number | undefined {
  const text = value?.trim() ?? "";
  return /^\d{1,20}(?:\.\d{1,20})?$/.test(text) ? Number(text) * factor : undefined;
}

/** Only text that names a month or looks like ISO 8601, because `Date.parse` accepts nearly anything. */
function parseDate(value: string | undefined): number | undefined {
  if (value === undefined || !/[a-z]{3}\s|[a-z]{3}-|^\d{4}-\d\d-\d\d[T ]/i.test(value)) return undefined;
  // Without a time zone it would be parsed as local time, which no server means.
  const isZoneless = /^\d{4}-\d\d-\d\d[T ][\d:.]{5,16}$/.test(value);
  const date = Date.parse(isZoneless ? `${value.replace(" ", "T")}Z` : value);
  return Number.isNaN(date) ? undefined : date;
}

function inBounds(waitMs: number | undefined): number | undefined {
  return waitMs === undefined || waitMs > longestWaitMs ? undefined : Math.ceil(waitMs);
}

/** Limits for an hour or longer. */
const longPeriods = new PhraseTable(`
  Groq, Cerebras, Bedrock: per|each|every hour|hr|day|week|month; tpd; rpd; tph; rph
  OpenRouter, Copilot, Hugging Face: hourly|daily|weekly|monthly; # hour|day|week usage|limit|window|quota; for|of hour|day|week|month
  others: today; tomorrow; midnight; month limit|quota|allowance|budget|usage; billing cycle|period
  BigModel, Baidu: 今日; 今天; 每日; 每天; 当日; 当天; 单日; 每周; 本周; 每月; 本月; 当月; 每小时
`);
const shortPeriods = new PhraseTable(
  "OpenAI: per|each|every second|sec|s|minute|min; tpm; rpm; rps; tps; 每分钟; 每秒",
);
const usedUp = new PhraseTable(`
  Google, others: quota|allowance|allocation … exceed*|reached|exhausted|spent|depleted|consumed; quota|allowance|allocation … used up; exceed*|reached|exhausted|spent|depleted|consumed … quota|allowance|allocation
`);
const reached = new PhraseTable(`
  Copilot: limit|cap|budget|tokens|requests … exceed*|reached|exhausted|used|hit|spent; exceed*|reached|exhausted|used|hit|spent … limit|cap|budget|tokens|requests
`);

/** Whether the limit in a message is renewed later than a moment's wait. */
export function isLongLimit(words: Words): boolean {
  return longPeriods.isIn(words) && !shortPeriods.isIn(words);
}

/** Whether the message is about a quota that is used up, whatever its status is. */
export function isUsedUpQuota(words: Words): boolean {
  return usedUp.isIn(words) || (isLongLimit(words) && reached.isIn(words));
}
