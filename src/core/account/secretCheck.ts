import { t } from "@vscode/l10n";
import type { Credential, SignatureOptions } from "../kernel/credential.ts";
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

/** What the user decides. */
export type Decision = "tryAgain" | "storeAnyway" | "cancel";

/** Port: the person in front of the editor, and the server, for one credential of one profile. */
export interface CredentialDialog {
  /**
   * Undefined if the user cancels. Never prefilled.
   * @param kept The access key that was entered before, which the user can keep.
   */
  ask(kept?: string): Promise<Credential | undefined>;
  /** Redacts the credential in the log from now on. */
  remember(credential: Credential): void;
  /** Checks the credential with the server; undefined if the user canceled the check. */
  check(credential: Credential): Promise<CheckVerdict | undefined>;
  /** Explains what is wrong. `storeAnyway` is honored only if the credential isn't known to be wrong. */
  decide(verdict: FailedVerdict): Promise<Decision>;
}

/** A credential to be stored, with what the server revealed about it. */
export interface AcceptedCredential extends CheckedCredential {
  readonly credential: Credential;
}

/**
 * Asks for a credential until the server accepts it, the user wants it stored anyway, or the user cancels: then it is
 * undefined. Nothing is stored here.
 */
export async function setCredential(dialog: CredentialDialog): Promise<AcceptedCredential | undefined> {
  let kept: string | undefined;
  for (;;) {
    const credential = await dialog.ask(kept);
    if (credential === undefined) return undefined;
    dialog.remember(credential);
    const verdict = await dialog.check(credential);
    if (verdict === undefined) return undefined;
    if (verdict.verdict === "valid") {
      const { notes, signature } = verdict;
      return { credential, notes, ...(signature === undefined ? {} : { signature }) };
    }
    const decision = await dialog.decide(verdict);
    if (decision === "storeAnyway" && verdict.verdict !== "wrong") return { credential, notes: [] };
    if (decision !== "tryAgain") return undefined;
    kept = credential.kind === "accessKey" ? credential.accessKey : undefined;
  }
}
