import * as vscode from "vscode";
import type { Credential } from "../../../core/kernel/credential.ts";
import type { Profile } from "../../../core/account/profile.ts";
import { classifyFailure } from "../../../core/account/secretCheck.ts";
import type { CheckedCredential, CheckVerdict } from "../../../core/account/secretCheck.ts";
import type { Redaction } from "../../../core/account/redaction.ts";
import type { SecretVault } from "../../../core/account/secretVault.ts";
import type { Log } from "../../../core/kernel/log.ts";
import type { Profiles } from "../profiles/profiles.ts";
import { withLateProgress } from "../../shell/window.ts";

/**
 * Port: sends a request to check whether the server accepts the credential, which isn't stored yet. Rejects with a
 * ServiceError, or when the signal is aborted.
 */
export type CheckCredential = (
  profile: Profile,
  credential: Credential,
  signal: AbortSignal,
) => Promise<CheckedCredential>;

/** What every command for credentials works with. */
export interface CredentialContext {
  readonly profiles: Profiles;
  readonly vault: SecretVault;
  readonly redaction: Redaction;
  readonly log: Log;
  /** Loads the network code at the first call. */
  readonly check: CheckCredential;
}

/** Runs the check with a progress notification; undefined if the user cancels. */
export async function checkWithProgress(
  check: CheckCredential,
  profile: Profile,
  credential: Credential,
  origin: string,
): Promise<CheckVerdict | undefined> {
  return withLateProgress(vscode.l10n.t("Checking with {0}…", origin), async ({ signal }) => {
    try {
      return { verdict: "valid", ...(await check(profile, credential, signal)) };
    } catch (error) {
      return signal.aborted ? undefined : classifyFailure(error);
    }
  });
}
