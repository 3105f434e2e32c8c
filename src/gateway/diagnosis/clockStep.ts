import { t } from "@vscode/l10n";
import type { Finding } from "../../core/diagnosis/diagnosis.ts";
import { describeCorrection, describeOffset, readClockOffset } from "../auth/clockOffset.ts";
import type { TimedResponse } from "../auth/clockOffset.ts";
import { readErrorText } from "../http/errorResponse.ts";
import type { DiagnosisStep } from "./runSteps.ts";
import { requestBare } from "./target.ts";
import type { Target } from "./target.ts";

/** How far a signature may be off (interface section 5.3), in milliseconds. */
const allowedOffsetMs = 30_000;

/** Checks how far the server's clock is from ours. */
export const clockStep: DiagnosisStep<Target> = {
  title: () => t("Clock"),
  async run(target, signal): Promise<Finding> {
    const { url, role, profile } = target;
    const response = target.answer ?? (await askTime(target, signal));
    const offsetMs = readClockOffset(response);
    // Only signed requests contain the time (interface section 5.3).
    const isSigned = role === "gateway" && profile.gatewayCredential === "accessKey";
    if (offsetMs === undefined)
      return { status: isSigned ? "warning" : "passed", summary: whyUnknown(response) };
    return isSigned && Math.abs(offsetMs) > allowedOffsetMs
      ? { status: "warning", summary: describeCorrection(offsetMs, url.host) }
      : { status: "passed", summary: describeOffset(offsetMs, url.host) };
  },
};

async function askTime(target: Target, signal: AbortSignal): Promise<TimedResponse> {
  const response = await requestBare(target, target.url, signal);
  await readErrorText(response);
  return response;
}

function whyUnknown(head: TimedResponse): string {
  if (head.headers["date"] === undefined) {
    return t(
      "The server sends no Date header, so the clocks can't be compared. It rejects signatures that are more than 30 s off.",
    );
  }
  if (head.headers["age"] !== undefined)
    return t("The response came from a cache, so its Date header isn't meaningful.");
  if (head.isVerified !== true) return t("The Date header is ignored because the certificate isn't trusted.");
  return t("The Date header is unreadable, or the response was too slow for it to be useful.");
}
