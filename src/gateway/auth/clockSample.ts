/** What one response reveals about the server's clock. All in milliseconds. */
export interface ClockSample {
  /** Server's clock minus ours. */
  readonly offsetMs: number;
  readonly uncertaintyMs: number;
  readonly roundTripMs: number;
  /** Whether the difference is more than a day, which is too much to correct and hardly a clock at all. */
  readonly isBeyondDay?: true;
}

/** The parts of a response that contain the time. */
export interface TimedResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly isVerified?: boolean;
}

/** The timing of a response whose time is in its `Date` or in the body of a refusal. */
type ResponseTiming = Pick<TimedResponse, "sentAt" | "receivedAt" | "isVerified">;

const longestRoundTripMs = 10_000;
/** `Date` has whole seconds: on average half a second has passed since. */
const halfSecondMs = 500;
const longestOffsetMs = 24 * 3_600_000;

/**
 * The server's clock according to this response. Undefined if it can't be trusted: no `Date`, from a cache (`Age`),
 * from an unverified sender, or too slow to be useful.
 */
export function readClockSample(response: TimedResponse): ClockSample | undefined {
  if (response.headers["age"] !== undefined) return undefined;
  const date = parseHttpDate(response.headers["date"]);
  return date === undefined ? undefined : createSample(date + halfSecondMs, response);
}

/**
 * The server's clock according to the body of a refusal, such as `{"serverTime": 1700000000}`: some gateways send no
 * `Date`, and some have a different clock in front of the one that they check against.
 */
export function readBodyClock(body: string, response: ResponseTiming): ClockSample | undefined {
  const [, number, text] = bodyTime.exec(body.slice(0, longestBody)) ?? [];
  if (number !== undefined) {
    return number.length === 13
      ? createSample(Number(number), response)
      : createSample(Number(number) * 1_000 + halfSecondMs, response);
  }
  const time = text === undefined ? NaN : Date.parse(text);
  return Number.isNaN(time) ? undefined : createSample(time, response);
}

/** Only times with a zone can be compared; a number is in seconds or milliseconds. */
const bodyTime =
  /"(?:(?:server|current|system|gateway)[-_ ]?(?:time(?:[-_ ]?stamp)?|clock|now|date)|time[-_ ]?stamp|now)"\s*:\s*"?(?:(\d{13}|\d{10})\b|(\d{4}-\d\d-\d\dT[\d:.]{5,20}(?:Z|[+-]\d\d:?\d\d)))/i;
const longestBody = 8_192;

function createSample(
  serverMs: number,
  { sentAt, receivedAt, isVerified }: ResponseTiming,
): ClockSample | undefined {
  const roundTripMs = receivedAt - sentAt;
  if (isVerified !== true || roundTripMs < 0 || roundTripMs >= longestRoundTripMs) return undefined;
  const offsetMs = serverMs - (sentAt + receivedAt) / 2;
  return {
    offsetMs: Math.max(-longestOffsetMs, Math.min(longestOffsetMs, offsetMs)),
    uncertaintyMs: roundTripMs / 2 + halfSecondMs,
    roundTripMs,
    ...(Math.abs(offsetMs) > longestOffsetMs ? { isBeyondDay: true as const } : {}),
  };
}

/** `Date.parse` accepts nearly anything, but only the HTTP format counts. */
function parseHttpDate(value: string | undefined): number | undefined {
  if (
    value === undefined ||
    !/^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value)
  ) {
    return undefined;
  }
  const date = Date.parse(value);
  return Number.isNaN(date) ? undefined : date;
}
