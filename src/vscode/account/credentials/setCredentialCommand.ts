import * as vscode from "vscode";
import type { Credential, SecretKind } from "../../../core/kernel/credential.ts";
import { lastFour, readCredentialExpiry } from "../../../core/account/storedSecret.ts";
import type { Profile } from "../../../core/account/profile.ts";
import { secretOrigin } from "../../../core/account/secretEntries.ts";
import {
  credentialKinds,
  isGatewayKind,
  isSameKey,
  secretKinds,
  secretTexts,
} from "../../../core/account/credentialKinds.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { ensureProfile } from "../profiles/chooseProfile.ts";
import { showProfileSettings } from "../profiles/profileSettings.ts";
import type { Profiles } from "../profiles/profiles.ts";
import { askExpiry } from "./askCredential.ts";
import { acceptCredential } from "./acceptCredential.ts";
import type { AcceptedCredential } from "./acceptCredential.ts";
import type { CredentialContext } from "./checkCredential.ts";
import {
  showConfirmation,
  showErrorMessage,
  showInformationMessage,
  withProgress,
  showQuickPick,
} from "../../shell/window.ts";

/** Asks which kind of credential to set; undefined if the user cancels. */
export async function chooseKind(): Promise<SecretKind | undefined> {
  const items = secretKinds.map((kind) => ({ label: credentialKinds[kind].label(), secretKind: kind }));
  return (await showQuickPick(items, { title: vscode.l10n.t("Set Credential") }))?.secretKind;
}

/** Asks for a credential for the named or active profile, checks it against the server and stores it. */
export async function runSetCredential(
  context: CredentialContext,
  kind: SecretKind,
  profileName?: string,
): Promise<void> {
  const target = await findTarget(context.profiles, kind, profileName);
  if (target === undefined) return;
  const { profile, origin } = target;
  if (profile.credentialSources?.[kind] !== undefined) return renewSupplied(context, profile, kind);
  const current = await context.vault.read(profile, kind);
  const isPair = current.state === "present" && current.credential.kind === "accessKey";
  const stored = isPair ? secretTexts(current.credential)[0] : undefined;
  const accepted = await acceptCredential(context, {
    profile,
    kind,
    origin,
    stored,
  });
  if (accepted === undefined) return;
  const expiresAt = await findExpiry(accepted.credential, profile.name);
  // Stores it for the address that the user was shown, even if the profile has changed since.
  await context.vault.store(profile, accepted.credential, expiresAt);
  const replaced = current.state === "present" ? revokeNotes(current.credential, accepted.credential) : [];
  void notifyStored(context.profiles, target, { ...accepted, notes: [...accepted.notes, ...replaced] });
}

/** A key stays valid until it is revoked: create a new one, use it, revoke the old one (interface section 5.5). */
function revokeNotes(old: Credential, credential: Credential): readonly string[] {
  if (credentialKinds[old.kind].lifetime !== "key" || isSameKey(old, credential)) return [];
  const noun = credentialKinds[old.kind].noun();
  const tail = lastFour(old);
  return [
    vscode.l10n.t(
      "Now revoke the old {0} in the console.",
      tail === undefined ? noun : `${noun} ····${tail}`,
    ),
  ];
}

/** A source in the profile takes precedence over what the user would enter, so it is asked again instead. */
async function renewSupplied(
  { vault }: CredentialContext,
  profile: Profile,
  kind: SecretKind,
): Promise<void> {
  const noun = credentialKinds[kind].noun();
  const title = vscode.l10n.t("Getting the {0} for “{1}”…", noun, profile.name);
  const result = await withProgress({ location: vscode.ProgressLocation.Notification, title }, async () =>
    vault.allowSource(profile, kind),
  );
  if (result?.state === "present") {
    showConfirmation(vscode.l10n.t("The {0} for “{1}” was renewed.", noun, profile.name));
  } else if (result?.state === "unavailable" && result.isAllowed) {
    const edit = vscode.l10n.t("Edit Profiles");
    if ((await showErrorMessage(result.problem, edit)) === edit) await showProfileSettings();
  }
}

/** An STS token expires soon (interface section 5.4). If it doesn't contain the time, the user can enter it. */
async function findExpiry(credential: Credential, profileName: string): Promise<number | undefined> {
  const { lifetime } = credentialKinds[credential.kind];
  if (lifetime !== "shortToken" || readCredentialExpiry(credential) !== undefined) return undefined;
  return (await askExpiry(credential.kind, profileName))?.expiresAt;
}

interface Target {
  readonly profile: Profile;
  readonly origin: string;
}

/** The profile and origin that the credential is for. If it has no such address yet, the form of the profile opens. */
async function findTarget(
  profiles: Profiles,
  kind: SecretKind,
  profileName: string | undefined,
): Promise<Target | undefined> {
  const profile = profileName === undefined ? await ensureProfile(profiles) : profiles.find(profileName);
  if (profile === undefined) return undefined;
  const origin = secretOrigin(profile, kind);
  if (origin !== undefined) return { profile, origin };
  await vscode.commands.executeCommand(commandIds.editProfile, profile.name);
  return undefined;
}

async function notifyStored(
  profiles: Profiles,
  { profile, origin }: Target,
  { credential, notes }: AcceptedCredential,
): Promise<void> {
  const { kind } = credential;
  const stored = vscode.l10n.t(
    "The {0} for “{1}” was saved for use with {2} only.",
    credentialKinds[kind].noun(),
    profile.name,
    origin,
  );
  const message = [stored, ...notes].join(" ");
  if (!isGatewayKind(kind)) {
    const newChat = vscode.l10n.t("New Chat");
    const picked = await showInformationMessage(message, newChat);
    if (picked === newChat) await vscode.commands.executeCommand(commandIds.newChat);
    return;
  }
  if (profile.gatewayCredential === kind) {
    // Anything else that the check found, such as another signature format, should not go unnoticed.
    if (notes.length === 0) showConfirmation(message);
    else await showInformationMessage(message);
    return;
  }
  const use = vscode.l10n.t("Use New Credential");
  const question = vscode.l10n.t(
    "The profile currently uses the {0} for its servers.",
    credentialKinds[profile.gatewayCredential].noun(),
  );
  const picked = await showInformationMessage(`${message} ${question}`, use);
  if (picked === use) await profiles.put({ name: profile.name, gatewayCredential: kind });
}
