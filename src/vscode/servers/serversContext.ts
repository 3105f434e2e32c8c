import * as vscode from "vscode";
import type { ServerListSnapshot, ServerListState } from "../../core/servers/serverListState.ts";

const stateKey = "inferenceGateway.servers.state";
const failureKey = "inferenceGateway.servers.failure";
const credentialKey = "inferenceGateway.servers.missingCredential";

/**
 * Keeps the context keys that choose the welcome content: the state of the list, the reason of a failure, and which
 * credential is missing.
 */
export function keepServersContext(list: ServerListState): vscode.Disposable {
  const told = new Map<string, string>();
  const tell = ({ state, error }: ServerListSnapshot): void => {
    set(told, failureKey, error?.reason ?? "");
    set(told, credentialKey, error?.credential ?? "");
    set(told, stateKey, state);
  };
  tell(list.current);
  return new vscode.Disposable(list.onDidChange(tell));
}

function set(told: Map<string, string>, key: string, value: string): void {
  if (told.get(key) === value) return;
  told.set(key, value);
  void vscode.commands.executeCommand("setContext", key, value);
}
