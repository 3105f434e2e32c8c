import { t } from "@vscode/l10n";
import { Nonces } from "./nonces.ts";
/** What one response reveals about the server's clock. All in milliseconds. */
export interface ClockSample {
  /** Server's clock minus ours. */
  readonly offsetMs: number;
  readonly uncertaintyMs: number;
  readonly roundTripMs: number;
  /** Whether the difference is more than a day, which is too much to correct and hardly a clock at all. */
  readonly isBeyondDay?: true;
}

/** The parts of a response that reveal the server's clock. */
export interface TimedResponse {
  readonly headers: Readonly<Record<string, string>>;
  /** When the request was sent, in milliseconds since 1970. */
  readonly sentAt: number;
  /** When the head of the response was received, in milliseconds since 1970. */
  readonly receivedAt: number;
  /** Whether the server's certificate was checked; a `Date` from any other server isn't trusted. */
  readonly isVerified?: boolean;
}

/** The timing of a response whose time is in its `Date` or in the body of a refusal. */
type ResponseTiming = Pick<TimedResponse, "sentAt" | "receivedAt" | "isVerified">;

const longestRoundTripMs = 10_000;
/** `Date` is in whole seconds, so on average half a second has passed since then. */
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

/** Our two clocks at the same moment, in milliseconds. */
interface ClockPair {
  /** Since 1970; jumps when the clock is set. */
  readonly wallMs: number;
  /** Since any starting point; never set, may stop while the machine sleeps. */
  readonly monotonicMs: number;
}

/** Number of samples that are compared. */
const keptSamples = 5;
/** Smaller differences don't require a correction: the gateway allows 30 s (interface section 5.3). */
const smallestCorrectionMs = 3_000;
/** How far the two clocks may drift apart before one of them must have been set, or the machine slept. */
const jumpMs = 2_000;
/**
 * After a refused signature, how far the server's clock must be from the one used for signing for time to be the cause.
 */
export const refusalMs = 5_000;

/**
 * The difference between the clock of one origin and ours: measured from its responses, corrected only if it matters.
 */
export class ClockOffset {
  #offsetMs = 0;
  #samples: ClockSample[] = [];
  #lastClocks: ClockPair | undefined;
  #isDistrusted = false;
  #isOwnRefused = false;

  /** Whether its `Date` has differed from the time that its signatures are checked against. */
  get isDistrusted(): boolean {
    return this.#isDistrusted;
  }

  /** Whether a signature made with our own clock was refused, too, so that another attempt would be pointless. */
  get isOwnRefused(): boolean {
    return this.#isOwnRefused;
  }

  /** Starts with what another owner has learned about the same server; its own measurements are kept separately. */
  static beginningAs(other: ClockOffset | undefined): ClockOffset {
    const clock = new ClockOffset();
    if (other === undefined) return clock;
    clock.#offsetMs = other.#offsetMs;
    clock.#isDistrusted = other.#isDistrusted;
    clock.#lastClocks = other.#lastClocks;
    return clock;
  }

  /** Milliseconds to add to our clock. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Takes a sample into account; returns true if it changed the offset. */
  observe(sample: ClockSample, reading: ClockPair): boolean {
    this.#forgetAfterJump(reading);
    if (this.#isDistrusted || sample.isBeyondDay === true) return false;
    this.#samples = [...this.#samples, sample].slice(-keptSamples);
    const best = this.#samples.reduce((a, b) => (b.roundTripMs <= a.roundTripMs ? b : a));
    const threshold = Math.max(smallestCorrectionMs, best.uncertaintyMs);
    if (Math.abs(best.offsetMs - this.#offsetMs) <= threshold) return false;
    this.#offsetMs = best.offsetMs;
    this.#isOwnRefused = false;
    return true;
  }

  /**
   * A signature was refused. If the refusal's own sample shows that time was the cause, it overrides all earlier ones,
   * and signing again may help. `signedWithMs` is the offset used for signing.
   */
  adoptAfterRefusal(sample: ClockSample, signedWithMs: number): boolean {
    if (sample.isBeyondDay === true || Math.abs(sample.offsetMs - signedWithMs) <= refusalMs) return false;
    this.#offsetMs = sample.offsetMs;
    this.#samples = [sample];
    this.#isDistrusted = false;
    this.#isOwnRefused = false;
    return true;
  }

  /** Adopts a time with which a signature was accepted, although the server doesn't report its own. */
  adopt(offsetMs: number): void {
    this.#offsetMs = offsetMs;
    this.#samples = [];
  }

  /**
   * The server checks signatures against a different clock from the one in `Date`. Our clock is used, corrected by this
   * offset if it was learned another way, until one of our own two clocks jumps or a signature is refused.
   */
  distrust(offsetMs = 0): void {
    this.#isDistrusted = true;
    this.#offsetMs = offsetMs;
    this.#samples = [];
  }

  /** A signature made with our own clock was refused, as was one made with the server's. */
  refuseOwn(): void {
    this.#isOwnRefused = true;
  }

  /** Measurements against a clock that has since been set are no longer valid. */
  #forgetAfterJump(reading: ClockPair): void {
    const last = this.#lastClocks;
    this.#lastClocks = reading;
    if (last === undefined) return;
    const wallMs = reading.wallMs - last.wallMs;
    const monotonicMs = reading.monotonicMs - last.monotonicMs;
    if (Math.abs(wallMs - monotonicMs) <= jumpMs) return;
    this.#samples = [];
    this.#isDistrusted = false;
    this.#isOwnRefused = false;
  }
}

interface OwnedClock {
  readonly origin: string;
  readonly clock: ClockOffset;
}

/**
 * One offset for each origin and owner. An owner is a profile with one generation of its credentials: a late response
 * to an earlier generation doesn't affect the next one, which only starts with what was known about the origin.
 */
export class ClockOffsets {
  readonly #owner: string;
  readonly #all: Map<string, OwnedClock>;
  /** Shared by all owners, because requests with the same signed content must not use the same nonce. */
  readonly nonces: Nonces;

  constructor(owner = "", all = new Map<string, OwnedClock>(), nonces = new Nonces()) {
    this.#owner = owner;
    this.#all = all;
    this.nonces = nonces;
  }

  /** The offsets for another owner. Each owner can read the other's offsets, and neither changes them. */
  ownedBy(owner: string): ClockOffsets {
    return new ClockOffsets(owner, this.#all, this.nonces);
  }

  /**
   * The offset for an origin, such as `https://gateway.example`. A new one begins as the latest that another owner has
   * learned.
   */
  of(origin: string): ClockOffset {
    const key = JSON.stringify([this.#owner, origin]);
    const known = this.#all.get(key);
    if (known !== undefined) return known.clock;
    const latest = [...this.#all.values()].findLast((other) => other.origin === origin);
    const clock = ClockOffset.beginningAs(latest?.clock);
    this.#all.set(key, { origin, clock });
    return clock;
  }

  /** The largest correction required by another origin, because our own clock may be the wrong one. */
  hintFor(origin: string): number | undefined {
    const others = [...this.#all.values()].filter((other) => other.origin !== origin);
    return others
      .map(({ clock }) => clock.offsetMs)
      .toSorted((a, b) => Math.abs(b) - Math.abs(a))
      .find((offsetMs) => offsetMs !== 0);
  }
}

/** A sentence for the user about how the difference is handled. */
export function describeCorrection(offsetMs: number, host: string): string {
  if (Math.abs(offsetMs) < smallestCorrectionMs) return t("Your clock is in sync with {0} again.", host);
  const difference = formatOffset(Math.abs(offsetMs));
  return offsetMs < 0
    ? t(
        "Your clock is {0} ahead of the clock on {1}. The difference is corrected for signing.",
        difference,
        host,
      )
    : t(
        "Your clock is {0} behind the clock on {1}. The difference is corrected for signing.",
        difference,
        host,
      );
}

/** A sentence for the user about what is done if the time that the server reports turned out to be wrong. */
export function describeDistrust(offsetMs: number, host: string): string {
  return Math.abs(offsetMs) < smallestCorrectionMs
    ? t("The time in responses from {0} is wrong. This machine's clock is used for signing.", host)
    : describeCorrection(offsetMs, host);
}

/** A sentence for the user about the difference only. */
export function describeOffset(offsetMs: number, host: string): string {
  if (Math.abs(offsetMs) < smallestCorrectionMs) return t("Your clock is in sync with {0}.", host);
  const difference = formatOffset(Math.abs(offsetMs));
  return offsetMs < 0
    ? t("Your clock is {0} ahead of the clock on {1}.", difference, host)
    : t("Your clock is {0} behind the clock on {1}.", difference, host);
}

/** Such as `47 s`, `3 min`, `5 h`. */
export function formatOffset(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 120) return t("{0} s", String(seconds));
  return seconds < 7_200
    ? t("{0} min", String(Math.round(seconds / 60)))
    : t("{0} h", String(Math.round(seconds / 3_600)));
}
