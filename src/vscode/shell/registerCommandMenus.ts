import * as vscode from "vscode";
import type { CommandName } from "./commandIds.ts";
import { registerEach } from "./registerCommands.ts";

/** Registers the pickers that offer commands unchanged. Their implementation is loaded with the first one. */
export function registerCommandMenus(extension: vscode.Extension<unknown>): vscode.Disposable {
  const titles: { readonly [N in CommandName<"pickers">]: () => string } = {
    askAboutCode: () => vscode.l10n.t("Edit or Ask About Code"),
    chatActions: () => vscode.l10n.t("Chat Actions"),
    moveChat: () => vscode.l10n.t("Move Chat"),
    setCredential: () => vscode.l10n.t("Set Credential"),
    arrangeServers: () => vscode.l10n.t("Arrange Servers"),
  };
  return registerEach("pickers", (menu) => async () => {
    const [{ commandMenus }, { pickCommand }] = await Promise.all([
      import("./commandMenus.ts"),
      import("./pickCommand.ts"),
    ]);
    const command = await pickCommand(extension, commandMenus[menu], { title: titles[menu]() });
    if (command !== undefined) await vscode.commands.executeCommand(command);
  });
}
