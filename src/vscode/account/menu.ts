import * as vscode from "vscode";
import { originOf } from "../../core/kernel/httpAddress.ts";
import { commandIds } from "../shell/commandIds.ts";
import { commandMenus } from "../shell/commandMenus.ts";
import { pickCommand } from "../shell/pickCommand.ts";
import type { StatusBarContext } from "./statusBar.ts";

/** The menu of the status bar item: everything about the active profile, which is named in the title. */
export async function showMenu({ credentials, models, extension }: StatusBarContext): Promise<void> {
  const profile = credentials.profiles.active;
  const title =
    profile === undefined
      ? vscode.l10n.t("No profile selected")
      : profile.production === true
        ? vscode.l10n.t("{0} (production)", profile.name)
        : profile.name;
  const descriptions: Readonly<Record<string, string | undefined>> = {
    [commandIds.selectProfile]: profile?.name,
    [commandIds.selectModel]: profile === undefined ? undefined : models.read(profile.name),
  };
  const hasModels = originOf(profile?.inferenceBaseUrl) !== undefined;
  const command = await pickCommand(extension, commandMenus.showMenu, {
    title,
    placeHolder: vscode.l10n.t("Select an action for this profile"),
    offers: (candidate) => candidate !== commandIds.selectModel || hasModels,
    describe: (candidate) => descriptions[candidate],
  });
  if (command !== undefined) await vscode.commands.executeCommand(command);
}
