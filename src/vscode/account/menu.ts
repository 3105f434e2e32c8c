import * as vscode from "vscode";
import { originOf } from "../../core/kernel/httpAddress.ts";
import { commandIds } from "../shell/commandIds.ts";
import type { StatusBarContext } from "./statusBar.ts";
import { showQuickPick } from "../shell/window.ts";

interface MenuItem extends vscode.QuickPickItem {
  readonly command?: string;
}

/** What the item in the status bar opens: everything about the profile in use, which the title names. */
export async function showMenu({ credentials, models }: StatusBarContext): Promise<void> {
  const { profiles } = credentials;
  const profile = profiles.active;
  const title =
    profile === undefined
      ? vscode.l10n.t("No profile selected")
      : profile.production === true
        ? vscode.l10n.t("{0} (production)", profile.name)
        : profile.name;
  const model = profile === undefined ? undefined : models.read(profile.name);
  const items = createItems(profile?.name, model, originOf(profile?.inferenceBaseUrl));
  const picked = await showQuickPick(items, {
    title,
    placeHolder: vscode.l10n.t("Choose what to do with this profile"),
    matchOnDescription: true,
  });
  if (picked?.command !== undefined) await vscode.commands.executeCommand(picked.command);
}

function createItems(
  profileName: string | undefined,
  model: string | undefined,
  origin: string | undefined,
): readonly MenuItem[] {
  const item = (icon: string, label: string, command: string, description = ""): MenuItem => ({
    label,
    description,
    iconPath: new vscode.ThemeIcon(icon),
    command,
  });
  const separator: MenuItem = { label: "", kind: vscode.QuickPickItemKind.Separator };
  const { l10n } = vscode;
  return [
    item("account", l10n.t("Select Profile…"), commandIds.selectProfile, profileName),
    ...(origin === undefined
      ? []
      : [item("sparkle", l10n.t("Select Model…"), commandIds.selectModel, model)]),
    item("key", l10n.t("Manage Credentials…"), commandIds.manageCredentials),
    separator,
    item("pulse", l10n.t("Diagnose Connection"), commandIds.diagnoseConnection),
    item("output", l10n.t("Show Log"), commandIds.showLog),
    separator,
    item("add", l10n.t("Add Profile…"), commandIds.addProfile),
    item("cloud-download", l10n.t("Import Profiles…"), commandIds.importProfiles),
    item("cloud-upload", l10n.t("Export Profiles…"), commandIds.exportProfiles),
  ];
}
