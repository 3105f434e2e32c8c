import * as vscode from "vscode";
import type { CredentialAction } from "../../../core/account/credentialRow.ts";
import { credentialNoun } from "../../../core/account/credentialRow.ts";
import type { StoredSecret } from "../../../core/account/storedSecret.ts";
import { askExpiry, askCredential } from "./askCredential.ts";
import { runSetCredential } from "./setCredentialCommand.ts";
import type { CredentialContext } from "./checkCredential.ts";
import {
  showWarningMessage,
  showErrorMessage,
  showInformationMessage,
  showConfirmation,
} from "../../shell/window.ts";
import type { Credential, SecretKind } from "../../../core/kernel/credential.ts";
import { isSameKey, credentialKinds } from "../../../core/account/credentialKinds.ts";
import { lastFour } from "../../../core/account/storedSecret.ts";
import type { Profile } from "../../../core/account/profile.ts";
import { secretOrigin } from "../../../core/account/secretEntries.ts";
import { acceptCredential } from "./acceptCredential.ts";
import type { CheckVerdict } from "../../../core/account/secretCheck.ts";
import { checkWithProgress } from "./checkCredential.ts";

/**
 * Deletes the old secret of a rotation once the user says that it is revoked. A request checks whether that is so. If
 * the server still accepts the secret, the user is informed and decides. True once the old secret is deleted.
 */
async function confirmRevoked(context: CredentialContext, secret: StoredSecret): Promise<boolean> {
  const { profileName, kind } = secret;
  const verdict = await askServer(context, secret);
  if (verdict === undefined) return false;
  if (verdict !== "wrong" && !(await forgetAnyway(secret, verdict))) return false;
  await context.vault.removeSlot(profileName, kind, "previous");
  context.log.info(`The old ${kind} of “${profileName}” is revoked (${verdict}) and was deleted`);
  const message = vscode.l10n.t("Removed the old {0} for “{1}”.", credentialNoun(secret), profileName);
  showConfirmation(message);
  return true;
}

/** Checks whether the server still accepts the old secret. Undefined if the user cancels. */
async function askServer(
  { profiles, vault, check }: CredentialContext,
  { profileName, kind }: StoredSecret,
): Promise<CheckVerdict["verdict"] | undefined> {
  const profile = profiles.find(profileName);
  const origin = profile === undefined ? undefined : secretOrigin(profile, kind);
  if (profile === undefined || origin === undefined) return "unclear";
  const reading = await vault.read(profile, kind, "previous");
  if (reading.state !== "present") return "unclear";
  return (await checkWithProgress(check, profile, reading.credential, origin))?.verdict;
}

async function forgetAnyway(
  secret: StoredSecret,
  verdict: "valid" | "unreachable" | "unclear",
): Promise<boolean> {
  const noun = credentialNoun(secret);
  const question =
    verdict === "valid"
      ? vscode.l10n.t("The server still accepts the old {0} for “{1}”.", noun, secret.profileName)
      : vscode.l10n.t(
          "Couldn't determine whether the old {0} for “{1}” is revoked.",
          noun,
          secret.profileName,
        );
  const detail =
    verdict === "valid"
      ? vscode.l10n.t("Revoke it in the console first. After it's removed here, you won't be reminded again.")
      : vscode.l10n.t(
          "Have you revoked it in the console? After it's removed here, you won't be reminded again.",
        );
  const forget = vscode.l10n.t("Remove Old Key");
  return (await showWarningMessage(question, { modal: true, detail }, forget)) === forget;
}

/**
 * Create the new key, use it, revoke the old one (interface section 5.5): asks for the new key, starts using it only
 * once the server has accepted it, and keeps the old one until the user says that it is revoked.
 */
async function rotateCredential(context: CredentialContext, old: StoredSecret): Promise<void> {
  const { profiles, vault, log } = context;
  const { kind, profileName } = old;
  const profile = profiles.find(profileName);
  const origin = profile === undefined ? undefined : secretOrigin(profile, kind);
  if (profile === undefined || origin === undefined) return;
  const secrets = await vault.list();
  const unrevoked = secrets.find(
    (secret) => secret.profileName === profileName && secret.kind === kind && secret.slot === "previous",
  );
  if (unrevoked !== undefined && !(await confirmRevoked(context, unrevoked))) return;
  const title = vscode.l10n.t("New {0} for “{1}”", credentialKinds[kind].label(), profileName);
  const accepted = await acceptCredential(context, {
    profile,
    kind,
    origin,
    mayStoreUnchecked: false,
    ask: (known) =>
      askNewKey(context, profile, kind, () => askCredential(kind, profile, origin, title, known)),
  });
  if (accepted === undefined) return;
  await vault.rotate(profile, accepted.credential);
  log.info(`${kind} of “${profileName}” rotated`);
  void notifyRotated(context, old, lastFour(accepted.credential));
}

/** Asks until the key differs from the one in use: otherwise, revoking the old key would disable both. */
async function askNewKey(
  { vault }: CredentialContext,
  profile: Profile,
  kind: SecretKind,
  ask: () => Promise<Credential | undefined>,
): Promise<Credential | undefined> {
  const current = await vault.read(profile, kind);
  for (;;) {
    const credential = await ask();
    if (credential === undefined || current.state !== "present") return credential;
    if (!isSameKey(credential, current.credential)) return credential;
    const tryAgain = vscode.l10n.t("Try Again");
    const detail = vscode.l10n.t("Create a new key in the console first, then enter the new one here.");
    const message = vscode.l10n.t("This {0} is already in use.", credentialKinds[kind].noun());
    const picked = await showErrorMessage(message, { modal: true, detail }, tryAgain);
    if (picked !== tryAgain) return undefined;
  }
}

async function notifyRotated(
  context: CredentialContext,
  old: StoredSecret,
  newTail: string | undefined,
): Promise<void> {
  const revoked = vscode.l10n.t("Yes, It's Revoked");
  const message = vscode.l10n.t(
    "The new {0} for “{1}” was accepted and is in use. Now revoke the old one ({2}) in the console. It is kept here until you confirm.",
    newTail === undefined
      ? credentialKinds[old.kind].noun()
      : `${credentialKinds[old.kind].noun()} ····${newTail}`,
    old.profileName,
    credentialNoun(old),
  );
  const picked = await showInformationMessage(message, revoked);
  if (picked === revoked) await confirmRevoked(context, { ...old, slot: "previous" });
}

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
