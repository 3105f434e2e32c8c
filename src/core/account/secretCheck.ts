import { t } from "@vscode/l10n";
import type { SignatureOptions } from "../kernel/credential.ts";
import { ServiceError } from "../kernel/errors.ts";
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

/** Nothing is known about the credential, because the request didn't arrive or wasn't handled. */
const unreachable: ReadonlySet<ErrorReason> = new Set([
  "unreachable",
  "tls",
  "wrongScheme",
  "proxy",
  "timeout",
  "unavailable",
  "overloaded",
] as const);

function verdictOf(reason: ErrorReason): "wrong" | "unreachable" | "unclear" {
  // The key may be right and the signature format different (interface section 5.3 leaves it open).
  if (isRefusalReason(reason) && reason !== "signature") return "wrong";
  return unreachable.has(reason) ? "unreachable" : "unclear";
}

/** The verdict on a credential that was not accepted. */
export type FailedVerdict = Exclude<CheckVerdict, { readonly verdict: "valid" }>;
