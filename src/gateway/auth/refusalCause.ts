import { t } from "@vscode/l10n";
import type { GatewayCredentialKind } from "../../core/kernel/credential.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { ErrorFacts } from "../../core/kernel/errors.ts";
import { readClockOffset, relevantOffsetMs } from "./clockOffset.ts";
import type { TimedResponse } from "./clockOffset.ts";
import { formatDuration } from "../../core/kernel/formatTime.ts";

/**
 * The refusal of a signature with its cause added, if known: the server's words may name the time or one half of the
 * pair, and its `Date` shows whether the clocks agree. If they don't, the last signature was made with that `Date`.
 */
export function explainRefusal(
  error: ServiceError,
  credential: GatewayCredentialKind,
  response: TimedResponse,
): ServiceError {
  if (error.reason !== "signature" || credential !== "accessKey") return error;
  const culprit = culpritOf(error);
  const message = `${error.message} ${culprit === undefined ? clockMessage(response, error) : culpritMessages[culprit]()}`;
  return new ServiceError(
    { ...error.facts, message, ...(culprit === undefined ? {} : { culprit }) },
    error.cause,
  );
}

function clockMessage(response: TimedResponse, error: ServiceError): string {
  const offsetMs = readClockOffset(response);
  if (offsetMs === undefined) {
    return response.isVerified !== true && response.headers["date"] !== undefined
      ? t(
          "The gateway's time can't be trusted because its certificate isn't verified, so this machine's clock may be the cause.",
        )
      : t("The gateway doesn't report its time, so this machine's clock may be the cause.");
  }
  if (blamesTime(error)) {
    return t(
      "The gateway rejected the timestamp, but the Date in its response matches the signed time. The gateway's own clocks disagree.",
    );
  }
  // The gateway may check against a different clock from the one in its Date.
  if (Math.abs(offsetMs) <= relevantOffsetMs)
    return t("This machine's clock agrees with the time in the gateway's response.");
  return t(
    "The time in the gateway's response differs by {0} from this machine's clock, and was used for signing. If it is wrong, the clock may be the cause.",
    formatDuration(Math.abs(offsetMs)),
  );
}

const culpritMessages = {
  accessKey: () => t("The gateway says the access key isn't accepted."),
  apiSecret: () => t("The gateway says the API secret is wrong."),
} as const satisfies Readonly<Record<NonNullable<ErrorFacts["culprit"]>, () => string>>;

/** The words of gateways, in lower case with spaces for underscores and hyphens: what is wrong, and how. */
const words = {
  time: ["nonce", "timestamp", "time stamp", "request", "date", "clock"],
  over: ["expired", "stale", "skew", "drift", "too old", "too new", "too far", "too large", "too early"],
  away: ["too late", "out of", "outside", "in the past", "in the future"],
  accessKey: ["access key", "accesskey", "key id", "keyid", " ak "],
  unknown: ["unknown", "invalid", "no such", "not found", "not exist", "n't exist", "inactive"],
  withdrawn: ["disabled", "revoked", "deleted"],
  secret: ["secret"],
  wrong: [
    "wrong",
    "invalid",
    "incorrect",
    "bad",
    "unknown",
    "mismatch",
    "not match",
    "n't match",
    "not valid",
  ],
  mismatch: ["match", "wrong", "incorrect"],
  signature: ["signature"],
} as const satisfies Readonly<Record<string, readonly string[]>>;

function wordsOf({ facts: { code = "", serverMessage = "" } }: ServiceError) {
  const own = code.replace(/ERR_SIGNATURE/g, "");
  const text = ` ${own} ${serverMessage.slice(0, 1_000)} `.replace(/[_-]/g, " ").toLowerCase();
  return (...names: readonly (keyof typeof words)[]): boolean =>
    names.some((name) => words[name].some((phrase) => text.includes(phrase)));
}

/** Whether it names the time alone: "mismatch or expired nonce" is inconclusive. */
function blamesTime(error: ServiceError): boolean {
  const says = wordsOf(error);
  return says("time") && says("over", "away") && !says("mismatch");
}

/** Which half of the pair is wrong, if the server's message says so: "invalid access key or secret" doesn't. */
function culpritOf(error: ServiceError): ErrorFacts["culprit"] {
  const says = wordsOf(error);
  if (says("secret")) {
    const isOnly = !says("accessKey") || says("signature");
    return isOnly && says("wrong", "withdrawn", "over") ? "apiSecret" : undefined;
  }
  return says("accessKey") && says("unknown", "withdrawn") && !says("signature") ? "accessKey" : undefined;
}
