import { setTimeout as sleep } from "node:timers/promises";
import { t } from "@vscode/l10n";
import { formatDuration } from "../../core/kernel/formatTime.ts";

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

const longestRoundTripMs = 10_000;
/** `Date` is in whole seconds, so on average half a second has passed since then. */
const halfSecondMs = 500;
/** How far two clocks must be apart before the difference can be why a signature was refused. */
export const relevantOffsetMs = 5_000;

/**
 * The server's clock minus ours according to `Date`, in milliseconds. Undefined if it can't be trusted: no `Date`, from
 * a cache (`Age`), from an unverified sender, or too slow to be useful.
 */
export function readClockOffset(response: TimedResponse): number | undefined {
  const { headers, sentAt, receivedAt, isVerified } = response;
  const roundTripMs = receivedAt - sentAt;
  if (headers["age"] !== undefined || isVerified !== true) return undefined;
  if (roundTripMs < 0 || roundTripMs >= longestRoundTripMs) return undefined;
  const date = parseHttpDate(headers["date"] ?? "");
  return Number.isNaN(date) ? undefined : date + halfSecondMs - (sentAt + receivedAt) / 2;
}

/** `Date.parse` accepts nearly anything, but only the HTTP format counts. */
function parseHttpDate(value: string): number {
  return /^[A-Z][a-z]{2}, \d{2} [A-Z][a-z]{2} \d{4} \d{2}:\d{2}:\d{2} GMT$/.test(value)
    ? Date.parse(value)
    : NaN;
}

/** The offset to sign with again, if time may be why the signature was refused. */
export function correctedOffset(refusal: TimedResponse, signedWithMs: number): number | undefined {
  const offsetMs = readClockOffset(refusal);
  return offsetMs === undefined || Math.abs(offsetMs - signedWithMs) <= relevantOffsetMs
    ? undefined
    : offsetMs;
}

/** How far ahead of the clock a nonce may be, in seconds: the gateway allows 30 (interface section 5.3). */
const aheadSeconds = 10;
const stepMs = 1_000;

/** What requests to one origin are signed with: the current time plus the offset of the server's clock. */
export class ServerClock {
  /** Milliseconds to add to our clock: 0 until a signature is refused and one made with the server's time isn't. */
  offsetMs = 0;
  readonly #lastNonces = new Map<string, number>();

  /**
   * The nonce for a request (interface section 5.3): Unix seconds. A gateway may treat the same signed content as a
   * replay, so a repetition within a second uses the seconds that follow, and waits once these are too far ahead.
   * Rejects with the signal's reason.
   * @param content What is signed besides the nonce.
   * @param now Returns the time to sign with, in milliseconds since 1970.
   */
  async takeNonce(content: string, now: () => number, signal: AbortSignal): Promise<number> {
    for (;;) {
      const nowSeconds = Math.floor(now() / 1_000);
      const latest = nowSeconds + aheadSeconds;
      for (const [key, nonce] of this.#lastNonces)
        if (nonce < nowSeconds || nonce > latest) this.#lastNonces.delete(key);
      const last = this.#lastNonces.get(content);
      const nonce = last === undefined ? nowSeconds : last + 1;
      if (nonce <= latest) {
        this.#lastNonces.set(content, nonce);
        return nonce;
      }
      await sleep(stepMs, undefined, { signal });
    }
  }
}

/** The clocks of all origins, shared by the clients of a window. */
export class ClockOffsets {
  readonly #clocks = new Map<string, ServerClock>();

  /** The clock of an origin, such as `https://gateway.example`. */
  of(origin: string): ServerClock {
    const clock = this.#clocks.get(origin) ?? new ServerClock();
    this.#clocks.set(origin, clock);
    return clock;
  }
}

/** Sentences for the user about a difference that matters, and how it is handled. */
export function describeCorrection(offsetMs: number, host: string): string {
  return `${describeOffset(offsetMs, host)} ${t("The difference is corrected for signing.")}`;
}

/** A sentence for the user about the difference only. */
export function describeOffset(offsetMs: number, host: string): string {
  if (Math.abs(offsetMs) < relevantOffsetMs) return t("Your clock is in sync with {0}.", host);
  const difference = formatDuration(Math.abs(offsetMs));
  return offsetMs < 0
    ? t("Your clock is {0} ahead of the clock on {1}.", difference, host)
    : t("Your clock is {0} behind the clock on {1}.", difference, host);
}
