import * as vscode from "vscode";
import type { Row } from "../../core/servers/serverRows.ts";
import { commandIds } from "../commandIds.ts";
import type { ServerAction, ServerCommandContext } from "./serverActions.ts";

const actions: readonly ServerAction[] = [
  "refreshServers",
  "showServerRecord",
  "copyServerId",
  "copyServerAddress",
];

/** Registers what the palette and the tree offer for servers. The tree hands its row over, the palette nothing. */
export function registerServerCommands(context: ServerCommandContext): vscode.Disposable {
  return vscode.Disposable.from(
    ...actions.map((action) =>
      vscode.commands.registerCommand(commandIds[action], async (row?: Row) => {
        const { serverActions } = await import("./serverActions.ts");
        await serverActions[action](context, row);
      }),
    ),
  );
}
