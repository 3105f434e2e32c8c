import * as vscode from "vscode";
import type { SecretKind } from "../../core/credential.ts";
import { commandIds } from "../commandIds.ts";
import { ensureProfile } from "../profiles/profileCommands.ts";
import { kindLabel } from "./credentialTexts.ts";
import type { CredentialContext } from "./setCredentialCommand.ts";

const setCommands: readonly (readonly [string, SecretKind])[] = [
  [commandIds.setApiKey, "apiKey"],
  [commandIds.setAccessKey, "accessKey"],
  [commandIds.setSessionToken, "sessionToken"],
  [commandIds.setStsToken, "stsToken"],
];

const removeCommands: readonly (readonly [string, SecretKind])[] = [
  [commandIds.removeApiKey, "apiKey"],
  [commandIds.removeAccessKey, "accessKey"],
  [commandIds.removeSessionToken, "sessionToken"],
  [commandIds.removeStsToken, "stsToken"],
];

/** Registers what the palette offers for credentials. */
export function registerCredentialCommands(context: CredentialContext): vscode.Disposable {
  const { registerCommand } = vscode.commands;
  return vscode.Disposable.from(
    ...setCommands.map(([id, kind]) =>
      registerCommand(id, async () => {
        const { runSetCredential } = await import("./setCredentialCommand.ts");
        await runSetCredential(context, kind);
      }),
    ),
    ...removeCommands.map(([id, kind]) => registerCommand(id, () => removeCredential(context, kind))),
    registerCommand(commandIds.signOut, () => signOut(context)),
  );
}

async function removeCredential(
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

async function signOut({ profiles, vault, log }: CredentialContext): Promise<void> {
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
