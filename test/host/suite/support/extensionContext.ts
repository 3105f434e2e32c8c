import * as vscode from "vscode";

/** The API exposed only to tests: the extension exports its context only in VS Code's test mode. */
export interface TestedExtension {
  readonly context: vscode.ExtensionContext;
}

/** Activates the extension and returns its real secret storage and global state. */
export async function activateExtension(): Promise<vscode.ExtensionContext> {
  const extension = vscode.extensions.getExtension<TestedExtension | undefined>(
    "inference-gateway.inference-gateway",
  );
  if (extension === undefined) throw new Error("The extension is not installed.");
  const tested = await extension.activate();
  if (tested === undefined) throw new Error("The extension exports no context in the test mode of VS Code.");
  return tested.context;
}

/** Everything that the extension stores in plain text: its settings, its state and the names in its own folders. */
export function readClearText(context: vscode.ExtensionContext): string {
  const states = [context.globalState, context.workspaceState].map((state) =>
    state.keys().map((key) => [key, state.get<unknown>(key)]),
  );
  const settings = vscode.workspace.getConfiguration().get<unknown>("inferenceGateway");
  return JSON.stringify([states, settings, vscode.workspace.getConfiguration().inspect("inferenceGateway")]);
}
