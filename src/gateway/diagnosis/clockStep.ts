import { t } from "@vscode/l10n";
import type { Fact, Finding } from "../../core/diagnosis/diagnosis.ts";
import { readErrorText } from "../http/errorResponse.ts";
import {
  describeCorrection,
  describeDistrust,
  describeOffset,
  formatOffset,
  readClockSample,
} from "../auth/clockOffset.ts";
import type { ClockSample, TimedResponse } from "../auth/clockOffset.ts";
import { requestBare } from "./target.ts";
import type { DiagnosisStep } from "./runSteps.ts";
import type { Target } from "./target.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";

/** Number of additional responses to compare, because a single one may be wrong. */
const moreSamples = 2;
/** Samples that are further apart than this, in milliseconds, can't all be right. */
const jitterMs = 3_000;

/** Checks how far the server's clock is from ours, and whether what it reports is reliable. */
export const clockStep: DiagnosisStep<Target> = {
  title: () => t("Clock"),
  async run(target, signal): Promise<Finding> {
    const heads = target.answer === undefined ? [] : [target.answer];
    for (let count = 0; count < moreSamples; count++) {
      const response = await requestBare(target, target.url, signal);
      heads.push(response);
      await readErrorText(response);
    }
    const last = heads.at(-1);
    const samples = heads.flatMap((head) => readClockSample(head) ?? []);
    const facts = [...timeFacts(last), ...samples.map(sampleFact)];
    const best = fastest(samples);
    if (best === undefined) return unknownClock(target, last, facts);
    const spread = spreadOf(samples);
    if (spread > jitterMs + best.uncertaintyMs) {
      const summary = t(
        "The server's clock jumps by {0} between responses and is ignored.",
        formatOffset(spread),
      );
      return { status: signs(target) ? "warning" : "passed", summary, facts };
    }
    return classify(target, best, facts);
  },
};

/** Only signed requests contain the time (interface section 5.3). */
function signs({ role, profile }: Target): boolean {
  return role === "gateway" && profile.gatewayCredential === "accessKey";
}

function classify(target: Target, best: ClockSample, facts: readonly Fact[]): Finding {
  const { ports, url } = target;
  const clock = ports.clockOffsets.of(url.origin);
  clock.observe(best, { wallMs: ports.now(), monotonicMs: performance.now() });
  const correction: Fact = {
    label: t("Clock correction used for signing"),
    value: t("{0} ms", formatNumber(Math.round(clock.offsetMs))),
  };
  if (best.isBeyondDay === true) {
    const summary = t(
      "The server's Date header and this machine's clock differ by more than a day, which isn't corrected automatically. One of them is wrong.",
    );
    return { status: "warning", summary, facts };
  }
  if (!signs(target)) return { status: "passed", summary: describeOffset(best.offsetMs, url.host), facts };
  if (clock.isDistrusted) {
    return {
      status: "warning",
      summary: describeDistrust(clock.offsetMs, url.host),
      facts: [...facts, correction],
    };
  }
  // A token doesn't depend on the time; a signature that is more than 30 s off is refused.
  return {
    status: Math.abs(best.offsetMs) > 30_000 ? "warning" : "passed",
    summary:
      clock.offsetMs === 0
        ? describeOffset(best.offsetMs, url.host)
        : describeCorrection(clock.offsetMs, url.host),
    facts: [...facts, correction],
  };
}

function unknownClock(target: Target, head: TimedResponse | undefined, facts: readonly Fact[]): Finding {
  return { status: signs(target) ? "warning" : "passed", summary: whyUnknown(head), facts };
}

function whyUnknown(head: TimedResponse | undefined): string {
  if (head?.headers["date"] === undefined) {
    return t(
      "The server sends no Date header, so the clocks can't be compared. It rejects signatures that are more than 30 s off.",
    );
  }
  if (head.headers["age"] !== undefined)
    return t("The response came from a cache, so its Date header isn't meaningful.");
  if (head.isVerified !== true) return t("The Date header is ignored because the certificate isn't trusted.");
  return t("The Date header is unreadable, or the response was too slow for it to be useful.");
}

function timeFacts(head: TimedResponse | undefined): readonly Fact[] {
  if (head === undefined) return [];
  const own = { label: t("Local time"), value: new Date(head.receivedAt).toUTCString() };
  const date = head.headers["date"];
  return date === undefined ? [own] : [own, { label: t("Server time (Date)"), value: date }];
}

function sampleFact({ offsetMs, uncertaintyMs, roundTripMs }: ClockSample): Fact {
  const rounded = [offsetMs, uncertaintyMs, roundTripMs].map((ms) => formatNumber(Math.round(ms)));
  return {
    label: t("Measured offset"),
    value: t("{0} ms ± {1} ms, round trip {2} ms", ...rounded),
  };
}

function fastest(samples: readonly ClockSample[]): ClockSample | undefined {
  return samples.toSorted((a, b) => a.roundTripMs - b.roundTripMs)[0];
}

function spreadOf(samples: readonly ClockSample[]): number {
  const offsets = samples.map(({ offsetMs }) => offsetMs);
  return Math.max(...offsets) - Math.min(...offsets);
}
