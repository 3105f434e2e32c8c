import { t } from "@vscode/l10n";
import type { ClockSample } from "./clockSample.ts";

/** Our two clocks at one moment, in milliseconds. */
export interface ClockReading {
  /** Since 1970; jumps when the clock is set. */
  readonly wallMs: number;
  /** Since any start; never set, may stand still while the machine sleeps. */
  readonly monotonicMs: number;
}

/** How many samples are compared. */
const keptSamples = 5;
/** Differences below this are no reason to change anything: the gateway allows 30 s (interface section 5.3). */
const smallestCorrectionMs = 3_000;
/** How far the two clocks may drift apart before one of them must have been set, or the machine slept. */
const jumpMs = 2_000;
/** After a refused signature, how far the server's clock must be from the one that signed for time to be the cause. */
export const refusalMs = 5_000;

/** How far the clock of one origin is from ours: measured from its responses, corrected only when it matters. */
export class ClockOffset {
  #offsetMs = 0;
  #samples: ClockSample[] = [];
  #lastReading: ClockReading | undefined;
  #isDistrusted = false;
  #isOwnRefused = false;

  /** Whether its `Date` has shown another time than the one its signatures are checked by. */
  get isDistrusted(): boolean {
    return this.#isDistrusted;
  }

  /** Whether a signature by our own clock was refused too: trying it once more would tell nothing new. */
  get isOwnRefused(): boolean {
    return this.#isOwnRefused;
  }

  /** Milliseconds to add to our clock. */
  get offsetMs(): number {
    return this.#offsetMs;
  }

  /** Takes a sample into account; true where it changed the offset. */
  observe(sample: ClockSample, reading: ClockReading): boolean {
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
   * A signature was refused: where the refusal's own sample says that time was the cause, it is believed over all
   * before, and signing again may help. `signedWithMs` is the offset that signed.
   */
  adoptAfterRefusal(sample: ClockSample, signedWithMs: number): boolean {
    if (sample.isBeyondDay === true || Math.abs(sample.offsetMs - signedWithMs) <= refusalMs) return false;
    this.#offsetMs = sample.offsetMs;
    this.#samples = [sample];
    this.#isDistrusted = false;
    this.#isOwnRefused = false;
    return true;
  }

  /** A time that a signature was accepted by, although the server doesn't tell its own. */
  adopt(offsetMs: number): void {
    this.#offsetMs = offsetMs;
    this.#samples = [];
  }

  /**
   * The server judges by another clock than it shows in `Date`. Ours is used, corrected by this where another way
   * has told it, until one of our own two clocks jumps or a signature is refused.
   */
  distrust(offsetMs = 0): void {
    this.#isDistrusted = true;
    this.#offsetMs = offsetMs;
    this.#samples = [];
  }

  /** A signature by our own clock was refused as well as one by the server's. */
  refuseOwn(): void {
    this.#isOwnRefused = true;
  }

  /** What was measured against a clock that has since been set says nothing any more. */
  #forgetAfterJump(reading: ClockReading): void {
    const last = this.#lastReading;
    this.#lastReading = reading;
    if (last === undefined) return;
    const wallMs = reading.wallMs - last.wallMs;
    const monotonicMs = reading.monotonicMs - last.monotonicMs;
    if (Math.abs(wallMs - monotonicMs) <= jumpMs) return;
    this.#samples = [];
    this.#isDistrusted = false;
    this.#isOwnRefused = false;
  }
}

/** One offset for each origin, shared by all who talk to it. */
export class ClockOffsets {
  readonly #byOrigin = new Map<string, ClockOffset>();

  of(origin: string): ClockOffset {
    const known = this.#byOrigin.get(origin);
    if (known !== undefined) return known;
    const offset = new ClockOffset();
    this.#byOrigin.set(origin, offset);
    return offset;
  }

  /** The largest correction that another origin has asked for: our own clock may be the one that is wrong. */
  hintFor(origin: string): number | undefined {
    const others = [...this.#byOrigin]
      .filter(([other]) => other !== origin)
      .map(([, clock]) => clock.offsetMs);
    return others.toSorted((a, b) => Math.abs(b) - Math.abs(a)).find((offsetMs) => offsetMs !== 0);
  }
}

/** What is done about the difference, as a sentence for the user. */
export function describeCorrection(offsetMs: number, host: string): string {
  if (Math.abs(offsetMs) < smallestCorrectionMs) return t("Your clock agrees with {0} again.", host);
  const difference = inWords(Math.abs(offsetMs));
  return offsetMs < 0
    ? t("Your clock is {0} ahead of the clock of {1}; corrected for signing.", difference, host)
    : t("Your clock is {0} behind the clock of {1}; corrected for signing.", difference, host);
}

/** What is done where the server's own word on its time was shown to be wrong, as a sentence for the user. */
export function describeDistrust(offsetMs: number, host: string): string {
  return Math.abs(offsetMs) < smallestCorrectionMs
    ? t("The time in the answers of {0} is wrong; this machine's clock is used for signing.", host)
    : describeCorrection(offsetMs, host);
}

/** The difference alone, as a sentence for the user. */
export function describeOffset(offsetMs: number, host: string): string {
  if (Math.abs(offsetMs) < smallestCorrectionMs) return t("Your clock agrees with that of {0}.", host);
  const difference = inWords(Math.abs(offsetMs));
  return offsetMs < 0
    ? t("Your clock is {0} ahead of the clock of {1}.", difference, host)
    : t("Your clock is {0} behind the clock of {1}.", difference, host);
}

/** Such as `47 s`, `3 min`, `5 h`. */
export function inWords(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 120) return t("{0} s", seconds);
  return seconds < 7_200 ? t("{0} min", Math.round(seconds / 60)) : t("{0} h", Math.round(seconds / 3_600));
}
