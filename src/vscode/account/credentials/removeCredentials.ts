import * as vscode from "vscode";
import { credentialLabel, credentialNoun } from "../../../core/account/credentialRow.ts";
import type { StoredSecret } from "../../../core/account/storedSecret.ts";
import type { SecretKind } from "../../../core/kernel/credential.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { pickItem } from "../../shell/pickItem.ts";
import { showConfirmation, showWarningMessage } from "../../shell/window.ts";
import type { Profiles } from "../profiles/profiles.ts";
import type { CredentialContext } from "./checkCredential.ts";
import { credentialKinds } from "../../../core/account/credentialKinds.ts";

/** Deletes one profile's secrets of one kind after confirmation. If several profiles have some, the user picks one. */
export async function removeCredential(
  { profiles, vault, log }: CredentialContext,
  kind: SecretKind,
): Promise<void> {
  const { label, noun } = credentialKinds[kind];
  const secrets = (await vault.list(profiles.names)).filter((secret) => secret.kind === kind);
  if (secrets.length === 0) {
    showConfirmation(vscode.l10n.t("There is no {0} to remove.", noun()));
    return;
  }
  const owner = await chooseOwner(secrets, profiles, vscode.l10n.t("Remove {0}", label()));
  const name = owner?.profileName;
  if (name === undefined) return;
  const question = vscode.l10n.t("Remove the {0} from “{1}”?", nounsOf(name, secrets), name);
  const detail = vscode.l10n.t(
    "The credential is deleted from this machine only. It stays valid until you revoke it on the server.",
  );
  const remove = vscode.l10n.t("Remove");
  if ((await showWarningMessage(question, { modal: true, detail }, remove)) !== remove) return;
  await vault.remove(name, kind);
  log.info(`${kind} of “${name}” removed`);
  showConfirmation(vscode.l10n.t("The {0} for “{1}” was removed.", noun(), name));
}

/** Deletes all secrets of one profile, or of all if the user wants that, after confirmation. */
export async function signOut(context: CredentialContext): Promise<void> {
  const { profiles, vault, log } = context;
  const secrets = await vault.list(profiles.names);
  if (secrets.length === 0) return removeEverything(context);
  const all = {
    label: vscode.l10n.t("$(clear-all) All Profiles"),
    description: vscode.l10n.t("including deleted profiles"),
  };
  const owner = await chooseOwner(secrets, profiles, vscode.l10n.t("Sign Out"), [all]);
  if (owner === undefined) return;
  const name = owner.profileName;
  if (name === undefined) return removeEverything(context);
  const question = vscode.l10n.t("Sign out of “{0}”?", name);
  const detail = vscode.l10n.t(
    "These credentials are deleted from this machine: {0}. The profile, its conversations, and the requests in “Show Requests…” are kept.",
    nounsOf(name, secrets),
  );
  const confirm = vscode.l10n.t("Sign Out");
  if ((await showWarningMessage(question, { modal: true, detail }, confirm)) !== confirm) return;
  const count = await vault.wipe([], name);
  log.info(`Signed out of “${name}”: ${count} secrets deleted`);
  notifySignedOut(count);
}

/** Deletes all secrets of all profiles after confirmation, including those of profiles that no longer exist. */
export async function removeEverything({ profiles, vault, log }: CredentialContext): Promise<void> {
  if (await vault.isEmpty(profiles.names)) {
    showConfirmation(vscode.l10n.t("You're already signed out. No credentials are stored."));
    return;
  }
  const confirm = vscode.l10n.t("Sign Out");
  const detail = vscode.l10n.t(
    "This deletes all API keys, access keys, session tokens, and STS tokens from this machine, including those of deleted profiles. Profiles, conversations, and the requests in “Show Requests…” are kept.",
  );
  const question = vscode.l10n.t("Sign out of Inference Gateway?");
  const picked = await showWarningMessage(question, { modal: true, detail }, confirm);
  if (picked !== confirm) return;
  const count = await vault.wipe(profiles.names);
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

/** Asks which of several profiles a command applies to. Undefined if the user cancels. */
async function chooseOwner(
  secrets: readonly StoredSecret[],
  profiles: Profiles,
  title: string,
  more: readonly OwnerItem[] = [],
): Promise<OwnerItem | undefined> {
  const owners = ownersOf(secrets, profiles).map((name) => createItem(name, secrets, profiles));
  if (owners.length <= 1) return owners[0];
  const placeholder = vscode.l10n.t("Select a profile");
  return (await pickItem([...owners, ...more], { title, placeholder }))?.item;
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
