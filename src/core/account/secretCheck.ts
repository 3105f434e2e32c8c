import { t } from "@vscode/l10n";
import { assertNever } from "../kernel/assertNever.ts";
import { ServiceError } from "../kernel/errors.ts";
import type { SignatureOptions } from "../kernel/credential.ts";
import type { ErrorFacts, ErrorReason } from "../kernel/errors.ts";
import { isRefusalReason } from "./credentialKinds.ts";

/** Details of a credential that was accepted. */
export interface CheckedCredential {
  /** Sentences for the user, such as one about a corrected clock. */
  readonly notes: readonly string[];
  /** How many models or servers were listed with it, if the list could be read. */
  readonly listed?: number;
  /** How the gateway expects requests to be signed, if that differs from the profile. */
  readonly signature?: SignatureOptions;
}

/**
 * The verdict of a live check.
 * - `valid` store it.
 * - `wrong` the server rejected it, so it is never stored.
 * - `unreachable` there was no response, so nothing is known and the user decides.
 * - `unclear` there was a response, but neither yes nor no: the user decides.
 */
export type CheckVerdict =
  | ({ readonly verdict: "valid" } & CheckedCredential)
  | { readonly verdict: "wrong" | "unreachable" | "unclear"; readonly error: ErrorFacts };

/** What a failed check means for the credential. Network and certificate failures never count against it. */
export function classifyFailure(error: unknown): CheckVerdict {
  if (error instanceof ServiceError) return classifyFacts(error.facts);
  return {
    verdict: "unclear",
    error: { reason: "malformed", message: t("The check failed. See the log for details.") },
  };
}

function classifyFacts(error: ErrorFacts): CheckVerdict {
  // The account is out of credit, but the key was recognized.
  if (error.reason === "payment") return { verdict: "valid", notes: [error.message] };
  // The signature format is right if the server says which half of the pair is wrong.
  if (error.culprit !== undefined) return { verdict: "wrong", error };
  return { verdict: verdictOf(error.reason), error };
}

function verdictOf(reason: ErrorReason): "wrong" | "unreachable" | "unclear" {
  if (isRefusalReason(reason)) {
    // The key may be right and the signature format different (interface section 5.3 leaves it open).
    return reason === "signature" ? "unclear" : "wrong";
  }
  switch (reason) {
    case "unreachable":
    case "tls":
    case "wrongScheme":
    case "proxy":
    case "timeout":
    case "unavailable":
    case "overloaded":
      return "unreachable";
    case "insecure":
    case "redirected":
    case "authenticationType":
    case "forbidden":
    case "payment":
    case "rateLimit":
    case "contextLength":
    case "contentFilter":
    case "unknownModel":
    case "unsupportedParameter":
    case "notFound":
    case "badRequest":
    case "service":
    case "truncated":
    case "malformed":
    case "missingCredential":
    case "budget":
    case "configuration":
      return "unclear";
    default:
      return assertNever(reason);
  }
}
