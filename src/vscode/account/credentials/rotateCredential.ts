import * as vscode from "vscode";
import { credentialNoun } from "../../../core/account/credentialRow.ts";
import type { Credential, SecretKind } from "../../../core/kernel/credential.ts";
import { isSameKey, credentialKinds } from "../../../core/account/credentialKinds.ts";
import { lastFour } from "../../../core/account/storedSecret.ts";
import type { StoredSecret } from "../../../core/account/storedSecret.ts";
import type { Profile } from "../../../core/account/profile.ts";
import { secretOrigin } from "../../../core/account/secretEntries.ts";
import { acceptCredential } from "./acceptCredential.ts";
import { askCredential } from "./askCredential.ts";
import { confirmRevoked } from "./confirmRevoked.ts";
import type { CredentialContext } from "./checkCredential.ts";
import { showErrorMessage, showInformationMessage } from "../../shell/window.ts";

/**
 * Create the new key, use it, revoke the old one (interface section 5.5): asks for the new key, starts using it only
 * once the server has accepted it, and keeps the old one until the user says that it is revoked.
 */
export async function rotateCredential(context: CredentialContext, old: StoredSecret): Promise<void> {
  const { profiles, vault, log } = context;
  const { kind, profileName } = old;
  const profile = profiles.find(profileName);
  const origin = profile === undefined ? undefined : secretOrigin(profile, kind);
  if (profile === undefined || origin === undefined) return;
  const secrets = await vault.list([profileName]);
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
