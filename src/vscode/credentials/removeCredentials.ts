import * as vscode from "vscode";
import type { SecretKind } from "../../core/credential.ts";
import { ensureProfile } from "../profiles/chooseProfile.ts";
import { kindLabel } from "./credentialTexts.ts";
import type { CredentialContext } from "./setCredentialCommand.ts";

/** Forgets one secret of the profile in use. */
export async function removeCredential(
  { profiles, vault, log }: CredentialContext,
  kind: SecretKind,
): Promise<void> {
  const profile = await ensureProfile(profiles);
  if (profile === undefined) return;
  const { name } = profile;
  const isStored = (await vault.kinds(name)).has(kind);
  await vault.remove(name, kind);
  if (isStored) log.info(`${kind} of “${name}” removed`);
  void vscode.window.showInformationMessage(
    isStored
      ? vscode.l10n.t("The {0} of “{1}” was removed.", kindLabel(kind), name)
      : vscode.l10n.t("There is no {0} of “{1}” to remove.", kindLabel(kind), name),
  );
}

/** Forgets every secret, once the user has confirmed it. */
export async function signOut({ profiles, vault, log }: CredentialContext): Promise<void> {
  if (await vault.isEmpty(profiles.names)) {
    void vscode.window.showInformationMessage(
      vscode.l10n.t("You are signed out already: there are no secrets."),
    );
    return;
  }
  const confirm = vscode.l10n.t("Sign Out");
  const detail = vscode.l10n.t(
    "The API keys, access keys, session tokens and STS tokens of all profiles are deleted from this machine, also those of profiles that don't exist any more. Profiles and conversations stay.",
  );
  const question = vscode.l10n.t("Sign out of Inference Gateway?");
  const picked = await vscode.window.showWarningMessage(question, { modal: true, detail }, confirm);
  if (picked !== confirm) return;
  const count = await vault.wipe(profiles.names);
  log.info(`Signed out: ${count} secrets deleted`);
  void vscode.window.showInformationMessage(
    count === 1
      ? vscode.l10n.t("You are signed out. One secret was deleted.")
      : vscode.l10n.t("You are signed out. {0} secrets were deleted.", count),
  );
}
