import * as vscode from "vscode";

/** Sets a key that `when` clauses in package.json read. Its full name, so that a search finds both. */
export function setContextKey(name: `inferenceGateway.${string}`, value: unknown): void {
  void vscode.commands.executeCommand("setContext", name, value);
}
