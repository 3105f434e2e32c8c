// Part of `npm start` alone: opens what a newcomer came for. Afterwards VS Code itself restores what was open.
import * as vscode from "vscode";

export async function activate(context) {
  if (context.workspaceState.get("hasOpened") === true) return;
  await vscode.commands.executeCommand("inferenceGateway.servers.focus");
  await vscode.commands.executeCommand("inferenceGateway.newChat");
  await context.workspaceState.update("hasOpened", true);
}
