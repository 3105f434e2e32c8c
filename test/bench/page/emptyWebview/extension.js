// Part of a benchmark alone: opens a page that does nothing but accept input.
import * as vscode from "vscode";

export function activate(context) {
  context.subscriptions.push(
    vscode.commands.registerCommand("emptyWebview.open", () => {
      const options = { enableScripts: true };
      const panel = vscode.window.createWebviewPanel("empty", "Empty", vscode.ViewColumn.Active, options);
      panel.webview.html = "<!DOCTYPE html><textarea></textarea>";
    }),
  );
}
