import type { ClockOffsets, ClockSample } from "./clockOffset.ts";
import {
  describeCorrection,
  describeDistrust,
  refusalMs,
  readBodyClock,
  readClockSample,
} from "./clockOffset.ts";
import type { HttpResponse } from "../http/transport.ts";

/** A refused signature, and the clock correction it was made with. */
interface RefusedSignature {
  readonly url: URL;
  readonly response: HttpResponse;
  /** The body of the refusal response. */
  readonly text: string;
  /** The clock correction used for signing, in milliseconds. */
  readonly signedWithMs: number;
}

/**
 * A different time to sign with, tried once. Both functions return a sentence for the user if there is something to
 * report.
 */
interface OtherClock {
  readonly offsetMs: number;
  /** The signature with this time was accepted. */
  confirm(): string | undefined;
  /** The signature with this time was refused, too. */
  refute(): void;
}

/** Another time to sign with, if the refused one may have been wrong; undefined if time isn't the cause. */
export function findAlternativeClock(
  refused: RefusedSignature,
  clockOffsets: ClockOffsets,
): OtherClock | undefined {
  const date = readClockSample(refused.response);
  return (
    byBody(refused, date, clockOffsets) ??
    byDate(refused, date, clockOffsets) ??
    byOwnClock(refused, clockOffsets) ??
    (date === undefined ? byHint(refused, clockOffsets) : undefined)
  );
}

/** The body comes from the server that made the decision. `Date` may come from a proxy in front of it. */
function byBody(
  { url, response, text, signedWithMs }: RefusedSignature,
  date: ClockSample | undefined,
  clockOffsets: ClockOffsets,
): OtherClock | undefined {
  const stated = readBodyClock(text, response);
  if (stated === undefined || stated.isBeyondDay === true || isNear(stated.offsetMs, signedWithMs))
    return undefined;
  // If both agree, `Date` is used, so that every later response keeps the correction up to date.
  if (date !== undefined && isNear(date.offsetMs, stated.offsetMs)) return undefined;
  const clock = clockOffsets.of(url.origin);
  return {
    offsetMs: stated.offsetMs,
    confirm() {
      if (date === undefined) clock.adopt(stated.offsetMs);
      else clock.distrust(stated.offsetMs);
      return describeDistrust(stated.offsetMs, url.host);
    },
    refute: () => undefined,
  };
}

function byDate(
  { url, signedWithMs }: RefusedSignature,
  date: ClockSample | undefined,
  clockOffsets: ClockOffsets,
): OtherClock | undefined {
  const clock = clockOffsets.of(url.origin);
  const wasDistrusted = clock.isDistrusted;
  // The refusal's own sample may have changed the offset already; only the one used for signing counts.
  if (date === undefined || !clock.adoptAfterRefusal(date, signedWithMs)) return undefined;
  return {
    offsetMs: date.offsetMs,
    confirm: () => describeCorrection(date.offsetMs, url.host),
    refute() {
      // Two of its times were refused in a row, so the next signature uses our own clock.
      if (wasDistrusted || !isNear(signedWithMs, 0)) clock.distrust();
      else clock.refuseOwn();
    },
  };
}

/** The signature was made with this `Date` and refused anyway, so `Date` may be wrong. */
function byOwnClock(
  { url, signedWithMs }: RefusedSignature,
  clockOffsets: ClockOffsets,
): OtherClock | undefined {
  const clock = clockOffsets.of(url.origin);
  if (isNear(signedWithMs, 0) || clock.isOwnRefused) return undefined;
  return {
    offsetMs: 0,
    confirm() {
      clock.distrust();
      return describeDistrust(0, url.host);
    },
    refute: () => clock.refuseOwn(),
  };
}

/** The server doesn't report its time, but another server has shown that our clock is wrong. */
function byHint({ url, signedWithMs }: RefusedSignature, clockOffsets: ClockOffsets): OtherClock | undefined {
  const hintMs = clockOffsets.hintFor(url.origin);
  if (hintMs === undefined || isNear(hintMs, signedWithMs)) return undefined;
  return {
    offsetMs: hintMs,
    confirm() {
      clockOffsets.of(url.origin).adopt(hintMs);
      return describeCorrection(hintMs, url.host);
    },
    refute: () => undefined,
  };
}

function isNear(offsetMs: number, otherMs: number): boolean {
  return Math.abs(offsetMs - otherMs) <= refusalMs;
}
