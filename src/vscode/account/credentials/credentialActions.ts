import * as vscode from "vscode";
import type { CredentialAction } from "../../../core/account/credentialRow.ts";
import { credentialNoun } from "../../../core/account/credentialRow.ts";
import type { StoredSecret } from "../../../core/account/storedSecret.ts";
import { askExpiry } from "./askCredential.ts";
import { confirmRevoked } from "./confirmRevoked.ts";
import { rotateCredential } from "./rotateCredential.ts";
import { runSetCredential } from "./setCredentialCommand.ts";
import type { CredentialContext } from "./checkCredential.ts";
import { showWarningMessage } from "../../shell/window.ts";

type RunAction = (context: CredentialContext, secret: StoredSecret) => Promise<void>;

/** The actions of the "Credentials" page on a stored secret. */
export const credentialActions: Readonly<Record<CredentialAction, RunAction>> = {
  replace: (context, { kind, profileName }) => runSetCredential(context, kind, profileName),
  rotate: (context, secret) => rotateCredential(context, secret),
  setExpiry,
  async confirmRevoked(context, secret) {
    await confirmRevoked(context, secret);
  },
  restore,
  remove,
};

async function setExpiry({ vault }: CredentialContext, { profileName, kind }: StoredSecret): Promise<void> {
  const answer = await askExpiry(kind, profileName);
  if (answer !== undefined) await vault.setExpiry(profileName, kind, answer.expiresAt);
}

async function restore({ vault, log }: CredentialContext, secret: StoredSecret): Promise<void> {
  const { profileName, kind } = secret;
  const question = vscode.l10n.t("Use the old {0} for “{1}” again?", credentialNoun(secret), profileName);
  const detail = vscode.l10n.t(
    "The new credential, which is currently in use, will be deleted from this machine.",
  );
  const restoreIt = vscode.l10n.t("Restore Old Credential");
  if ((await showWarningMessage(question, { modal: true, detail }, restoreIt)) !== restoreIt) return;
  if (!(await vault.restorePrevious(profileName, kind))) {
    // Another window has removed it while the question was open.
    void showWarningMessage(
      vscode.l10n.t(
        "The old {0} for “{1}” is no longer stored on this machine, so it can't be used again.",
        credentialNoun(secret),
        profileName,
      ),
    );
    return;
  }
  log.info(`The old ${kind} of “${profileName}” is in use again`);
}

async function remove({ vault, log }: CredentialContext, secret: StoredSecret): Promise<void> {
  const { profileName, kind, slot } = secret;
  const question = vscode.l10n.t("Remove the {0} from “{1}”?", credentialNoun(secret), profileName);
  const detail = vscode.l10n.t(
    "The credential is deleted from this machine only. It stays valid until you revoke it on the server.",
  );
  const removeIt = vscode.l10n.t("Remove");
  if ((await showWarningMessage(question, { modal: true, detail }, removeIt)) !== removeIt) return;
  await vault.removeSlot(profileName, kind, slot);
  log.info(`${kind} of “${profileName}” removed${slot === "previous" ? " (the old one)" : ""}`);
}
