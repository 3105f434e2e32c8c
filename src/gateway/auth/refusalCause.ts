import { t } from "@vscode/l10n";
import { assertNever } from "../../core/kernel/assertNever.ts";
import type { GatewayCredentialKind } from "../../core/kernel/credential.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { ErrorFacts } from "../../core/kernel/errors.ts";
import { formatOffset, readClockSample } from "./clockOffset.ts";
import type { TimedResponse } from "./clockOffset.ts";

/** What a refusal reveals about the server's clock: trusted, missing, not trusted, or too far off to be corrected. */
type ClockKnowledge = "known" | "untold" | "unverified" | "beyondDay";

/** What is known besides the refusal itself. */
interface RefusalEvidence {
  readonly credential?: GatewayCredentialKind;
  /** How far the server's clock is from ours, in milliseconds. 0 if unknown. */
  readonly offsetMs: number;
  readonly serverClock: ClockKnowledge;
}

/** If the server reports its time, one of the refused signatures was made with it, whichever was the last. */
export function clockEvidence(response: TimedResponse): Pick<RefusalEvidence, "serverClock" | "offsetMs"> {
  const sample = readClockSample(response);
  if (sample !== undefined) {
    return { serverClock: sample.isBeyondDay === true ? "beyondDay" : "known", offsetMs: sample.offsetMs };
  }
  const isUnverified = response.isVerified !== true && response.headers["date"] !== undefined;
  return { serverClock: isUnverified ? "unverified" : "untold", offsetMs: 0 };
}

/** The refusal with its cause added, if known: the clock was checked before, and one half of the pair may be wrong. */
export function explainRefusal(error: ServiceError, evidence: RefusalEvidence): ServiceError {
  if (error.reason !== "signature" || evidence.credential !== "accessKey") return error;
  const message = [error.message, clockMessage(evidence, error), culpritMessage(error)]
    .filter((sentence) => sentence !== "")
    .join(" ");
  const culprit = culpritOf(error);
  return new ServiceError(
    { ...error.facts, message, ...(culprit === undefined ? {} : { culprit }) },
    error.cause,
  );
}

function clockMessage({ offsetMs, serverClock }: RefusalEvidence, error: ServiceError): string {
  switch (serverClock) {
    case "untold":
      return t("The gateway doesn't report its time, so this machine's clock may be the cause.");
    case "unverified":
      return t(
        "The gateway's time can't be trusted because its certificate isn't verified, so this machine's clock may be the cause.",
      );
    case "beyondDay":
      return t(
        "This machine's clock differs from the gateway's by more than a day, which can't be corrected automatically. Set the correct time on this machine.",
      );
    case "known":
      if (blamesTime(error)) {
        return t(
          "The gateway rejected the timestamp, but the Date in its response matches the signed time. The gateway's own clocks disagree.",
        );
      }
      // The gateway may check against a different clock from the one in its Date.
      if (Math.abs(offsetMs) < 3_000) {
        return t("This machine's clock agrees with the time in the gateway's response.");
      }
      return t(
        "The time in the gateway's response differs by {0} from this machine's clock, and was used for signing. If it is wrong, the clock may be the cause.",
        formatOffset(Math.abs(offsetMs)),
      );
    default:
      return assertNever(serverClock);
  }
}

const aboutTime =
  /\b(?:nonce|timestamp|request|time|date)\b.{0,30}\b(?:expired|stale|skew(?:ed)?|drift|too (?:old|new|far|large|early|late)|out(?:side)? of|in the (?:past|future))\b|\bexpired (?:nonce|timestamp|request)\b|\bclock[ _-]?(?:skew|drift)\b/i;

/** Whether it names the time alone: "mismatch or expired nonce" is inconclusive. */
function blamesTime({ facts: { code = "", serverMessage = "" } }: ServiceError): boolean {
  const words = `${code.replaceAll("_", " ")} ${serverMessage}`;
  return aboutTime.test(words) && !/mismatch|match|\bwrong|incorrect/i.test(words);
}

const unknownKey =
  /(?:unknown|invalid|no such|not (?:found|exist)|does(?:n't| not) exist|disabled|revoked|inactive).{0,30}(?:access[ _-]?key|\bak\b|key[ _-]?id)|(?:access[ _-]?key|\bak\b|key[ _-]?id).{0,40}(?:unknown|invalid|not (?:found|exist)|does(?:n't| not) exist|disabled|revoked|inactive)/i;
const wrongSecret =
  /(?:wrong|invalid|incorrect|bad|unknown|mismatch\w{0,5}|expired|revoked).{0,20}(?:api[ _-]?)?secret|secret(?:[ _-]?key)?.{0,30}(?:wrong|invalid|incorrect|mismatch|(?:does|did)(?:n't| not) match|not valid|expired|revoked)|signature.{0,40}(?:mismatch|(?:does|did)(?:n't| not) match|incorrect|wrong).{0,80}\bsecret/i;

/** Which half of the pair is wrong, if the server's message says so. */
function culpritOf({ facts: { code = "", serverMessage = "" } }: ServiceError): ErrorFacts["culprit"] {
  const words = `${code.replace(/ERR_SIGNATURE/g, "").replaceAll("_", " ")} ${serverMessage}`.slice(0, 1_000);
  if (unknownKey.test(words)) return "accessKey";
  return wrongSecret.test(words) ? "apiSecret" : undefined;
}

function culpritMessage(error: ServiceError): string {
  const culprit = culpritOf(error);
  if (culprit === undefined) return "";
  return culprit === "accessKey"
    ? t("The gateway says the access key isn't accepted.")
    : t("The gateway says the API secret is wrong.");
}
