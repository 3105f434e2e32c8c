type Headers = Readonly<Record<string, string>>;

/** Longer waits than this are taken for nonsense. */
const longestWaitMs = 7 * 24 * 3_600_000;

/**
 * Milliseconds to wait before the next attempt, as `retry-after-ms` or `Retry-After` asks for; undefined where both
 * are silent. `now` is our clock in milliseconds since 1970, used where the response has no Date.
 */
export function parseRetryAfter(headers: Headers, now: number): number | undefined {
  return (
    inBounds(parseNumber(headers["retry-after-ms"])) ??
    inBounds(parseWait(headers["retry-after"], serverClock(headers, now)))
  );
}

/** The same for a rate limit: where nothing is asked for, the time at which the used-up limit is reset counts. */
export function parseRateLimitWait(headers: Headers, now: number): number | undefined {
  return parseRetryAfter(headers, now) ?? resetWait(headers, serverClock(headers, now));
}

function serverClock(headers: Headers, now: number): number {
  return parseDate(headers["date"]) ?? now;
}

/**
 * The longest reset among the limits that are used up or don't say what is left. Where all of them have something
 * left, this request alone was too large: the shortest is as good a guess as any.
 */
function resetWait(headers: Headers, serverNow: number): number | undefined {
  const usedUp: number[] = [];
  const others: number[] = [];
  for (const [name, value] of Object.entries(headers)) {
    const wait = isResetName(name) ? inBounds(parseWait(value, serverNow)) : undefined;
    if (wait !== undefined) (isUsedUp(headers, name) ? usedUp : others).push(wait);
  }
  if (usedUp.length > 0) return Math.max(...usedUp);
  return others.length > 0 ? Math.min(...others) : draftWait(headers["ratelimit"]);
}

function isResetName(name: string): boolean {
  return /^(?:x-)?rate-?limit-reset(?:-[\w-]+)?$/.test(name);
}

function isUsedUp(headers: Headers, resetName: string): boolean {
  const remaining = parseNumber(headers[resetName.replace("reset", "remaining")]);
  return remaining === undefined || remaining <= 0;
}

/** The newer form of one header: `"default";r=0;t=30` or `limit=10, remaining=0, reset=30`. */
function draftWait(value: string | undefined): number | undefined {
  const seconds = value === undefined ? null : /(?:\bt|\breset)=(\d+(?:\.\d+)?)/.exec(value);
  return seconds === null ? undefined : inBounds(Number(seconds[1]) * 1_000);
}

/** Seconds (whole or not), a duration such as `6m0s`, seconds or milliseconds since 1970, or a date. */
function parseWait(value: string | undefined, serverNow: number): number | undefined {
  if (value === undefined) return undefined;
  const text = value.trim();
  const number = parseNumber(text);
  if (number !== undefined) return numberWait(number, serverNow);
  const duration = parseDuration(text);
  if (duration !== undefined) return duration;
  const date = parseDate(text);
  return date === undefined ? undefined : Math.max(0, date - serverNow);
}

/** A number above a billion is a point in time, in seconds or (above 100 billion) in milliseconds. */
function numberWait(number: number, serverNow: number): number {
  if (number > 1e11) return Math.max(0, number - serverNow);
  if (number > 1e9) return Math.max(0, number * 1_000 - serverNow);
  return number * 1_000;
}

const unitMs: Readonly<Record<string, number>> = { d: 86_400_000, h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

function parseDuration(text: string): number | undefined {
  if (!/^(?:\d+(?:\.\d+)?(?:ms|[dhms]))+$/i.test(text)) return undefined;
  let total = 0;
  for (const [, amount, unit] of text.toLowerCase().matchAll(/(\d+(?:\.\d+)?)(ms|[dhms])/g)) {
    total += Number(amount) * (unitMs[unit ?? ""] ?? 0);
  }
  return total;
}

function parseNumber(value: string | undefined): number | undefined {
  if (value === undefined || !/^\s*\d+(?:\.\d+)?\s*$/.test(value)) return undefined;
  return Number(value);
}

/** Only what names a month or looks like ISO 8601: `Date.parse` makes a date of nearly anything. */
function parseDate(value: string | undefined): number | undefined {
  if (value === undefined || !/[a-z]{3}\s|[a-z]{3}-|^\d{4}-\d\d-\d\dT/i.test(value)) return undefined;
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date;
}

function inBounds(waitMs: number | undefined): number | undefined {
  return waitMs === undefined || waitMs > longestWaitMs ? undefined : Math.ceil(waitMs);
}
