import * as vscode from "vscode";
import { describeSource } from "../../../core/account/formatSource.ts";
import { describeProfile } from "../../../core/account/profile.ts";
import type { Profile } from "../../../core/account/profile.ts";
import { createProfileEntry, placeProfile, readProfileFile } from "../../../core/account/profileFile.ts";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { exportFolder } from "../../shell/ownMachine.ts";
import { showInformationMessage, showQuickPick, showWarningMessage } from "../../shell/window.ts";
import type { CredentialContext } from "../credentials/checkCredential.ts";
import { profileIcon } from "../profileIcon.ts";

const largestBytes = 1_000_000;

/** Imports profiles from a file. It contains no credentials, which are set afterwards. */
export async function importProfiles({ profiles, log }: CredentialContext): Promise<void> {
  const chosen = await chooseFound(await readFile());
  if (chosen.length === 0) return;
  const names: string[] = [];
  for (const profile of chosen) {
    const { name, isNew } = placeProfile(profiles.all, profile);
    names.push(name);
    if (!isNew) continue;
    const raw = profiles.readRaw();
    const entries: readonly unknown[] = Array.isArray(raw) ? raw : [];
    await profiles.writeRaw([...entries, { ...createProfileEntry(profile), name }]);
  }
  log.info(`Imported: ${names.length} profiles`);
  const [select, set] = [vscode.l10n.t("Select Profile"), vscode.l10n.t("Set Credential…")];
  const picked = await showInformationMessage(vscode.l10n.t("Imported {0}.", names.join(", ")), select, set);
  if (picked === select) await vscode.commands.executeCommand(commandIds.selectProfile);
  if (picked === set) await vscode.commands.executeCommand(commandIds.manageCredentials);
}

async function readFile(): Promise<readonly Profile[]> {
  const [uri] =
    (await vscode.window.showOpenDialog({
      title: vscode.l10n.t("Import Profiles"),
      defaultUri: exportFolder(),
    })) ?? [];
  if (uri === undefined) return [];
  const { size } = await vscode.workspace.fs.stat(uri);
  if (size > largestBytes) {
    void showWarningMessage(vscode.l10n.t("This file is too large to be a list of profiles."));
    return [];
  }
  const text = new TextDecoder().decode(await vscode.workspace.fs.readFile(uri));
  const { profiles, problems } = readProfileFile(text);
  if (problems.length > 0) void showWarningMessage(problems.slice(0, 3).join(" "));
  return profiles;
}

/** Empty if there are none, or if the user cancels. */
async function chooseFound(found: readonly Profile[]): Promise<readonly Profile[]> {
  if (found.length === 0) return [];
  const items = found.map((profile) => ({
    label: escapeCodicons(profile.name),
    description: describeProfile(profile),
    detail: describeFound(profile),
    iconPath: profileIcon(profile),
    picked: true,
    profile,
  }));
  const picked = await showQuickPick(items, {
    title: vscode.l10n.t("Import Profiles"),
    placeHolder: vscode.l10n.t("Select the profiles to import"),
    canPickMany: true,
    ignoreFocusOut: true,
  });
  return (picked ?? []).map(({ profile }) => profile);
}

/** What a profile from elsewhere does beyond naming its addresses. */
function describeFound({ credentialSources = {}, allowInsecureHttp }: Profile): string {
  return [
    ...Object.values(credentialSources).map((source) =>
      vscode.l10n.t("gets a credential from {0}", describeSource(source)),
    ),
    ...(allowInsecureHttp ? [vscode.l10n.t("allows credentials over plain HTTP")] : []),
  ].join(" · ");
}
