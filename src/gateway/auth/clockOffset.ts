import { t } from "@vscode/l10n";
import type { ClockSample } from "./clockSample.ts";
import { Nonces } from "./nonces.ts";

/** Our two clocks at one moment, in milliseconds. */
export interface ClockPair {
  /** Since 1970; jumps when the clock is set. */
  readonly wallMs: number;
  /** Since any start; never set, may stand still while the machine sleeps. */
  readonly monotonicMs: number;
}

/** How many samples are compared. */
const keptSamples = 5;
/** Smaller differences don't require a correction: the gateway allows 30 s (interface section 5.3). */
const smallestCorrectionMs = 3_000;
/** How far the two clocks may drift apart before one of them must have been set, or the machine slept. */
const jumpMs = 2_000;
/** After a refused signature, how far the server's clock must be from the one that signed for time to be the cause. */
export const refusalMs = 5_000;

/** How far the clock of one origin is from ours: measured from its responses, corrected only when it matters. */
export class ClockOffset {
  #offsetMs = 0;
  #samples: ClockSample[] = [];
  #lastClocks: ClockPair | undefined;
  #isDistrusted = false;
  #isOwnRefused = false;

  /** Whether its `Date` has shown another time than the one its signatures are checked by. */
  get isDistrusted(): boolean {
    return this.#isDistrusted;
  }

  /** Whether a signature made with our own clock was refused too, so that trying it once more would be pointless. */
  get isOwnRefused(): boolean {
    return this.#isOwnRefused;
  }

  /** Begins with what another owner has found out of the same server; what it measured stays its own. */
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

  /** Takes a sample into account; true if it changed the offset. */
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

  /** A time with which a signature was accepted, although the server doesn't report its own. */
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

  /** A signature by our own clock was refused as well as one by the server's. */
  refuseOwn(): void {
    this.#isOwnRefused = true;
  }

  /** What was measured against a clock that has since been set says nothing any more. */
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
 * One offset for each origin and owner, which is a profile with one generation of its credentials: a late response to
 * an earlier generation changes nothing for the next one, which only begins with what was known of the origin.
 */
export class ClockOffsets {
  readonly #owner: string;
  readonly #all: Map<string, OwnedClock>;
  /** Those of all owners: who signs with the same key must not use the same one. */
  readonly nonces: Nonces;

  constructor(owner = "", all = new Map<string, OwnedClock>(), nonces = new Nonces()) {
    this.#owner = owner;
    this.#all = all;
    this.nonces = nonces;
  }

  /** The same for another owner; both know of the other's clocks, and neither changes them. */
  ownedBy(owner: string): ClockOffsets {
    return new ClockOffsets(owner, this.#all, this.nonces);
  }

  of(origin: string): ClockOffset {
    const key = JSON.stringify([this.#owner, origin]);
    const known = this.#all.get(key);
    if (known !== undefined) return known.clock;
    const latest = [...this.#all.values()].findLast((other) => other.origin === origin);
    const clock = ClockOffset.beginningAs(latest?.clock);
    this.#all.set(key, { origin, clock });
    return clock;
  }

  /** The largest correction that another origin has asked for: our own clock may be the one that is wrong. */
  hintFor(origin: string): number | undefined {
    const others = [...this.#all.values()].filter((other) => other.origin !== origin);
    return others
      .map(({ clock }) => clock.offsetMs)
      .toSorted((a, b) => Math.abs(b) - Math.abs(a))
      .find((offsetMs) => offsetMs !== 0);
  }
}

/** What is done about the difference, as a sentence for the user. */
export function describeCorrection(offsetMs: number, host: string): string {
  if (Math.abs(offsetMs) < smallestCorrectionMs) return t("Your clock is in sync with {0} again.", host);
  const difference = formatOffset(Math.abs(offsetMs));
  return offsetMs < 0
    ? t("Your clock is {0} ahead of the clock of {1}; corrected for signing.", difference, host)
    : t("Your clock is {0} behind the clock of {1}; corrected for signing.", difference, host);
}

/** What is done where the server's own word on its time was shown to be wrong, as a sentence for the user. */
export function describeDistrust(offsetMs: number, host: string): string {
  return Math.abs(offsetMs) < smallestCorrectionMs
    ? t("The time in responses from {0} is wrong. This machine's clock is used for signing.", host)
    : describeCorrection(offsetMs, host);
}

/** The difference alone, as a sentence for the user. */
export function describeOffset(offsetMs: number, host: string): string {
  if (Math.abs(offsetMs) < smallestCorrectionMs) return t("Your clock is in sync with {0}.", host);
  const difference = formatOffset(Math.abs(offsetMs));
  return offsetMs < 0
    ? t("Your clock is {0} ahead of the clock of {1}.", difference, host)
    : t("Your clock is {0} behind the clock of {1}.", difference, host);
}

/** Such as `47 s`, `3 min`, `5 h`. */
export function formatOffset(milliseconds: number): string {
  const seconds = Math.round(milliseconds / 1_000);
  if (seconds < 120) return t("{0} s", seconds);
  return seconds < 7_200 ? t("{0} min", Math.round(seconds / 60)) : t("{0} h", Math.round(seconds / 3_600));
}
