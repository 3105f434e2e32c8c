import * as vscode from "vscode";
import type { CredentialAction } from "../../../core/account/credentialRow.ts";
import { credentialNoun } from "../../../core/account/credentialRow.ts";
import type { StoredSecret } from "../../../core/account/storedSecret.ts";
import { askExpiry } from "./askCredential.ts";
import { runSetCredential } from "./setCredentialCommand.ts";
import type { CredentialContext } from "./checkCredential.ts";
import { showWarningMessage } from "../../shell/window.ts";

type RunAction = (context: CredentialContext, secret: StoredSecret) => Promise<void>;

/** The actions of the "Credentials" page on a stored secret. */
export const credentialActions: Readonly<Record<CredentialAction, RunAction>> = {
  replace: (context, { kind, profileName }) => runSetCredential(context, kind, profileName),
  async setExpiry({ vault }, { profileName, kind }) {
    const answer = await askExpiry(kind, profileName);
    if (answer !== undefined) await vault.setExpiry(profileName, kind, answer.expiresAt);
  },
  async remove({ vault, log }, secret) {
    const { profileName, kind } = secret;
    const question = vscode.l10n.t("Remove the {0} from “{1}”?", credentialNoun(secret), profileName);
    const detail = vscode.l10n.t(
      "The credential is deleted from this machine only. It stays valid until you revoke it on the server.",
    );
    const removeIt = vscode.l10n.t("Remove");
    if ((await showWarningMessage(question, { modal: true, detail }, removeIt)) !== removeIt) return;
    await vault.remove(profileName, kind);
    log.info(`${kind} of “${profileName}” removed`);
  },
};
