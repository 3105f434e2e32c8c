import { t } from "@vscode/l10n";
import type { GatewayCredentialKind } from "../core/credential.ts";
import { ServiceError } from "../core/errors.ts";
import { inWords } from "./clockOffset.ts";

/** What is known beside the refusal itself. */
export interface RefusalEvidence {
  readonly credential?: GatewayCredentialKind;
  /** The correction of the clock that signed, in milliseconds. */
  readonly offsetMs: number;
  /** Whether the refusal told the server's time in a way that can be believed. */
  readonly knowsServerClock: boolean;
}

/** The same refusal with what can be said of its cause: the clock was looked at before, and which half is wrong. */
export function explainRefusal(error: ServiceError, evidence: RefusalEvidence): ServiceError {
  if (error.reason !== "signature" || evidence.credential !== "accessKey") return error;
  const message = [error.message, clockSentence(evidence), culpritSentence(error)]
    .filter((sentence) => sentence !== "")
    .join(" ");
  return new ServiceError({ ...error.facts, message }, error.cause);
}

function clockSentence({ offsetMs, knowsServerClock }: RefusalEvidence): string {
  if (!knowsServerClock) {
    return t("The gateway doesn't tell its time, so this machine's clock may be the cause.");
  }
  if (Math.abs(offsetMs) < 3_000) return t("The clock is not the cause: it agrees with the gateway's.");
  return t("The clock is not the cause: the difference of {0} was corrected.", inWords(Math.abs(offsetMs)));
}

const unknownKey =
  /(?:unknown|invalid|no such|not (?:found|exist)|does(?:n't| not) exist|disabled|revoked|inactive).{0,30}(?:access[ _-]?key|\bak\b|key[ _-]?id)|(?:access[ _-]?key|\bak\b|key[ _-]?id).{0,40}(?:unknown|invalid|not (?:found|exist)|does(?:n't| not) exist|disabled|revoked|inactive)/i;
const wrongSecret = /signature.{0,40}(?:mismatch|(?:does|did)(?:n't| not) match|incorrect|wrong)/i;

/** Told apart where the server lets us: by its own words. */
function culpritSentence({ facts: { code = "", serverMessage = "" } }: ServiceError): string {
  const words = `${code.replace(/ERR_SIGNATURE/g, "").replaceAll("_", " ")} ${serverMessage}`;
  if (unknownKey.test(words)) return t("By its words it is the access key that is not accepted.");
  return wrongSecret.test(words) && /secret/i.test(words)
    ? t("By its words it is the API secret that is wrong.")
    : "";
}
