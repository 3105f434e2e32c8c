import type { Credential } from "../kernel/credential.ts";
import type { CheckedCredential, CheckVerdict } from "./secretCheck.ts";

/** The verdict on a credential that was not accepted. */
export type FailedVerdict = Exclude<CheckVerdict, { readonly verdict: "valid" }>;

/** What the user decides; `tryOtherSecret` keeps the access key that was entered. */
export type Decision = "tryAgain" | "tryOtherSecret" | "storeAnyway" | "cancel";

/** Port: the person in front of the editor, and the server, for one credential of one profile. */
export interface CredentialDialog {
  /**
   * Undefined if the user cancels. Never prefilled.
   * @param known The access key for which only the API secret has to be entered again.
   */
  ask(known?: string): Promise<Credential | undefined>;
  /** Redacts the credential in the log from now on. */
  remember(credential: Credential): void;
  /** Checks the credential with the server; undefined if the user canceled the check. */
  check(credential: Credential): Promise<CheckVerdict | undefined>;
  /** Explains what is wrong. `storeAnyway` is honored only if the credential isn't known to be wrong. */
  decide(verdict: FailedVerdict): Promise<Decision>;
}

/** A credential that is to be stored, with what the server has let be known of it. */
export interface AcceptedCredential extends CheckedCredential {
  readonly credential: Credential;
}

/**
 * Asks for a credential until the server accepts it, the user wants it stored anyway, or the user cancels: then it is
 * undefined. Nothing is stored here.
 */
export async function setCredential(dialog: CredentialDialog): Promise<AcceptedCredential | undefined> {
  let known: string | undefined;
  for (;;) {
    const credential = await dialog.ask(known);
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
    if (decision !== "tryAgain" && decision !== "tryOtherSecret") return undefined;
    known =
      decision === "tryOtherSecret" && credential.kind === "accessKey" ? credential.accessKey : undefined;
  }
}
