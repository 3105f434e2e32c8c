import * as vscode from "vscode";
import { registerCommands } from "../shell/registerCommands.ts";
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
    registerCommands("statusBar", {
      async showMenu() {
        const { showMenu } = await import("./menu.ts");
        await showMenu(context);
      },
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
