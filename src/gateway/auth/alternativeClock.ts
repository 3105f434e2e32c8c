import type { ClockOffsets } from "./clockOffset.ts";
import { describeCorrection, describeDistrust, refusalMs } from "./clockOffset.ts";
import type { ClockSample } from "./clockSample.ts";
import { readBodyClock, readClockSample } from "./clockSample.ts";
import type { HttpResponse } from "../http/transport.ts";

/** A refused signature, and the time by which it was made. */
export interface RefusedSignature {
  readonly url: URL;
  readonly response: HttpResponse;
  /** The body of the refusal. */
  readonly text: string;
  /** The correction of our clock that signed, in milliseconds. */
  readonly signedWithMs: number;
}

/** Another time to sign with, once. Both functions return a sentence for the user if there is something to report. */
export interface OtherClock {
  readonly offsetMs: number;
  /** The signature by it was accepted. */
  confirm(): string | undefined;
  /** It was refused too. */
  refute(): void;
}

/** Another time to sign by, where the one that was refused can have been wrong; undefined where time is not the cause. */
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
  // Where both agree it is the Date's: every later answer then keeps it right.
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
  // The refusal's own sample may have moved the offset already; what counts is the one that signed.
  if (date === undefined || !clock.adoptAfterRefusal(date, signedWithMs)) return undefined;
  return {
    offsetMs: date.offsetMs,
    confirm: () => describeCorrection(date.offsetMs, url.host),
    refute() {
      // Two of its times were refused, one after the other: the next signature is made by our own.
      if (wasDistrusted || !isNear(signedWithMs, 0)) clock.distrust();
      else clock.refuseOwn();
    },
  };
}

/** A Date by which the signature was made, and refused all the same: it may lie. */
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

/** It doesn't report its time, but another server has shown that our clock is wrong. */
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
