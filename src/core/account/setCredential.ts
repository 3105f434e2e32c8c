import type { Credential } from "../kernel/credential.ts";
import type { CheckVerdict } from "./secretCheck.ts";

/** What is said of a credential that was not accepted. */
export type FailedVerdict = Exclude<CheckVerdict, { readonly verdict: "valid" }>;

/** What the user decides; `tryOtherSecret` keeps the access key that was entered. */
export type Decision = "tryAgain" | "tryOtherSecret" | "storeAnyway" | "cancel";

/** Port: the person in front of the editor, and what is behind it, for one credential of one profile. */
export interface CredentialDialog {
  /**
   * Undefined if the user cancels. Never prefilled.
   * @param known The access key for which only the API secret has to be entered again.
   */
  ask(known?: string): Promise<Credential | undefined>;
  /** Keeps it out of the log from here on. */
  remember(credential: Credential): void;
  /** Asks the server; undefined when the user canceled the check. */
  check(credential: Credential): Promise<CheckVerdict | undefined>;
  /** Says what is wrong. `storeAnyway` counts only for what is not known to be wrong. */
  decide(verdict: FailedVerdict): Promise<Decision>;
  store(credential: Credential): Promise<void>;
}

export type CredentialOutcome =
  | { readonly outcome: "stored"; readonly credential: Credential; readonly notes: readonly string[] }
  | { readonly outcome: "cancelled" };

const cancelled: CredentialOutcome = { outcome: "cancelled" };

/** Asks for a credential until the server accepts it, the user stores it anyway, or the user cancels. */
export async function setCredential(dialog: CredentialDialog): Promise<CredentialOutcome> {
  let known: string | undefined;
  for (;;) {
    const credential = await dialog.ask(known);
    if (credential === undefined) return cancelled;
    dialog.remember(credential);
    const verdict = await dialog.check(credential);
    if (verdict === undefined) return cancelled;
    if (verdict.verdict === "valid") return store(dialog, credential, verdict.notes);
    const decision = await dialog.decide(verdict);
    if (decision === "storeAnyway" && verdict.verdict !== "wrong") return store(dialog, credential, []);
    if (decision !== "tryAgain" && decision !== "tryOtherSecret") return cancelled;
    known =
      decision === "tryOtherSecret" && credential.kind === "accessKey" ? credential.accessKey : undefined;
  }
}

async function store(
  dialog: CredentialDialog,
  credential: Credential,
  notes: readonly string[],
): Promise<CredentialOutcome> {
  await dialog.store(credential);
  return { outcome: "stored", credential, notes };
}
