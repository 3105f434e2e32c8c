import * as vscode from "vscode";
import { commandIds } from "./commandIds.ts";

type PlainMenu = "chatActions" | "moveChat" | "setCredential" | "arrangeServers";

/** Registers the pickers that offer commands unchanged. Their implementation is loaded with the first one. */
export function registerCommandMenus(extension: vscode.Extension<unknown>): vscode.Disposable {
  const register = (menu: PlainMenu, title: () => string): vscode.Disposable =>
    vscode.commands.registerCommand(commandIds[menu], async () => {
      const [{ commandMenus }, { pickCommand }] = await Promise.all([
        import("./commandMenus.ts"),
        import("./pickCommand.ts"),
      ]);
      const command = await pickCommand(extension, commandMenus[menu], { title: title() });
      if (command !== undefined) await vscode.commands.executeCommand(command);
    });
  return vscode.Disposable.from(
    register("chatActions", () => vscode.l10n.t("Chat Actions")),
    register("moveChat", () => vscode.l10n.t("Move Chat")),
    register("setCredential", () => vscode.l10n.t("Set Credential")),
    register("arrangeServers", () => vscode.l10n.t("Arrange Servers")),
  );
}
