import * as vscode from "vscode";
import { credentialKinds, secretKinds } from "../../../core/account/credentialKinds.ts";
import { credentialLabel, credentialNoun } from "../../../core/account/credentialRow.ts";
import type { StoredSecret } from "../../../core/account/storedSecret.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { pickItem } from "../../shell/pickItem.ts";
import { showConfirmation, showWarningMessage } from "../../shell/window.ts";
import type { Profiles } from "../profiles/profiles.ts";
import type { CredentialContext } from "./checkCredential.ts";

/** Deletes all secrets of one profile, or of all if the user wants that, after confirmation. */
export async function signOut(context: CredentialContext): Promise<void> {
  const { profiles, vault, log } = context;
  const secrets = await vault.list();
  if (secrets.length === 0) return removeEverything(context);
  const owner = await chooseOwner(secrets, profiles);
  if (owner === undefined) return;
  const name = owner.profileName;
  if (name === undefined) return removeEverything(context);
  const question = vscode.l10n.t("Sign out of “{0}”?", name);
  const detail = vscode.l10n.t(
    "These credentials are deleted from this machine: {0}. So is the record of what its servers have cost. The profile, its conversations, and the requests in “Show Requests…” are kept.",
    nounsOf(name, secrets),
  );
  const confirm = vscode.l10n.t("Sign Out");
  if ((await showWarningMessage(question, { modal: true, detail }, confirm)) !== confirm) return;
  const count = await vault.wipe(name);
  log.info(`Signed out of “${name}”: ${count} secrets deleted`);
  notifySignedOut(count);
}

/** Deletes all secrets of all profiles after confirmation, including those of profiles that no longer exist. */
export async function removeEverything({ vault, log }: CredentialContext): Promise<void> {
  if ((await vault.list()).length === 0) {
    showConfirmation(vscode.l10n.t("You're already signed out. No credentials are stored."));
    return;
  }
  const confirm = vscode.l10n.t("Sign Out");
  const detail = vscode.l10n.t(
    "This deletes every credential ({0}) from this machine, including those of deleted profiles, and the record of what servers have cost. Profiles, conversations, and the requests in “Show Requests…” are kept.",
    secretKinds.map((kind) => credentialKinds[kind].noun()).join(", "),
  );
  const question = vscode.l10n.t("Sign out of Inference Gateway?");
  const picked = await showWarningMessage(question, { modal: true, detail }, confirm);
  if (picked !== confirm) return;
  const count = await vault.wipe();
  log.info(`Signed out: ${count} secrets deleted`);
  notifySignedOut(count);
}

function notifySignedOut(count: number): void {
  showConfirmation(
    count === 1
      ? vscode.l10n.t("You're signed out. One secret was deleted.")
      : vscode.l10n.t("You're signed out. {0} secrets were deleted.", formatNumber(count)),
  );
}

/** The profiles that these secrets belong to, the active one first, including those that no longer exist. */
function ownersOf(secrets: readonly StoredSecret[], profiles: Profiles): readonly string[] {
  const names = [...new Set(secrets.map(({ profileName }) => profileName))];
  const known = profiles.names.filter((name) => names.includes(name));
  const active = known.filter((name) => name === profiles.active?.name);
  return [...new Set([...active, ...known, ...names])];
}

/** A row in the picker. */
interface OwnerItem extends vscode.QuickPickItem {
  /** Undefined means all of them. */
  readonly profileName?: string;
}

/** Asks which of several profiles to sign out of, or of all. Undefined if the user cancels. */
async function chooseOwner(
  secrets: readonly StoredSecret[],
  profiles: Profiles,
): Promise<OwnerItem | undefined> {
  const owners = ownersOf(secrets, profiles).map((name) => createItem(name, secrets, profiles));
  if (owners.length <= 1) return owners[0];
  const all = {
    label: vscode.l10n.t("$(clear-all) All Profiles"),
    description: vscode.l10n.t("including deleted profiles"),
  };
  const title = vscode.l10n.t("Sign Out");
  const placeholder = vscode.l10n.t("Select a profile");
  return (await pickItem<OwnerItem>([...owners, all], { title, placeholder }))?.item;
}

/** The credentials of a profile as part of a sentence: their kinds with their last characters. */
function nounsOf(profileName: string, secrets: readonly StoredSecret[]): string {
  const own = secrets.filter((secret) => secret.profileName === profileName);
  return own.map((secret) => credentialNoun(secret)).join(", ");
}

function createItem(name: string, secrets: readonly StoredSecret[], profiles: Profiles): OwnerItem {
  const profile = profiles.find(name);
  const states = [
    ...(profile === undefined ? [vscode.l10n.t("profile deleted")] : []),
    ...(profile?.production === true ? [vscode.l10n.t("production")] : []),
    ...(name === profiles.active?.name ? [vscode.l10n.t("in use")] : []),
  ];
  return {
    label: escapeCodicons(name),
    description: states.join(" · "),
    detail: secrets
      .filter((secret) => secret.profileName === name)
      .map((secret) => credentialLabel(secret))
      .join(", "),
    profileName: name,
  };
}
