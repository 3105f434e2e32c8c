/** What one response tells about the server's clock. All in milliseconds. */
export interface ClockSample {
  /** Server's clock minus ours. */
  readonly offsetMs: number;
  readonly uncertaintyMs: number;
  readonly roundTripMs: number;
}

/** The parts of a response that tell the time. */
export interface TimedResponse {
  readonly headers: Readonly<Record<string, string>>;
  readonly sentAt: number;
  readonly receivedAt: number;
  readonly isVerified?: boolean;
}

const longestRoundTripMs = 10_000;
/** `Date` has whole seconds: on average half a second has passed since. */
const halfSecondMs = 500;
const longestOffsetMs = 24 * 3_600_000;

/**
 * The server's clock as this response shows it; undefined where it can't be believed: no `Date`, from a cache (`Age`),
 * from nobody knows whom, or too slow to tell anything.
 */
export function readClockSample(response: TimedResponse): ClockSample | undefined {
  const { headers, sentAt, receivedAt } = response;
  const roundTripMs = receivedAt - sentAt;
  if (response.isVerified !== true || headers["age"] !== undefined) return undefined;
  if (roundTripMs < 0 || roundTripMs >= longestRoundTripMs) return undefined;
  const date = parseHttpDate(headers["date"]);
  if (date === undefined) return undefined;
  const offsetMs = date + halfSecondMs - (sentAt + receivedAt) / 2;
  return {
    offsetMs: Math.max(-longestOffsetMs, Math.min(longestOffsetMs, offsetMs)),
    uncertaintyMs: roundTripMs / 2 + halfSecondMs,
    roundTripMs,
  };
}

/** `Date.parse` takes nearly anything: only the form of HTTP counts. */
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
