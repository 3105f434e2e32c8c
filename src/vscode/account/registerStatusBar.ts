import * as vscode from "vscode";
import { commandIds } from "../shell/commandIds.ts";
import type { StatusBarContext } from "./statusBar.ts";

/** Registers the status bar item with its menu. Both are loaded once the extension is active, not before. */
export function registerStatusBar(context: StatusBarContext): vscode.Disposable {
  let isDisposed = false;
  let statusBar: vscode.Disposable | undefined;
  const timer = setTimeout(() => {
    void import("./statusBar.ts").then(({ StatusBar }) => {
      if (!isDisposed) statusBar = new StatusBar(context);
    });
  });
  return vscode.Disposable.from(
    vscode.commands.registerCommand(commandIds.showMenu, async () => {
      const { showMenu } = await import("./menu.ts");
      await showMenu(context);
    }),
    {
      dispose() {
        isDisposed = true;
        clearTimeout(timer);
        statusBar?.dispose();
      },
    },
  );
}
