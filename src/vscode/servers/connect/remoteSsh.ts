import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { isRecord } from "../../../core/json.ts";

/** The scheme that Remote-SSH and what stands in for it in other editors resolve. */
const resolves = "onResolveRemoteAuthority:ssh-remote";

/** Whether an extension of this window can open windows over SSH: Microsoft's, or one of the free ones. */
export function hasRemoteSsh(): boolean {
  return vscode.extensions.all.some(({ packageJSON }: vscode.Extension<unknown>) => {
    const manifest: unknown = packageJSON;
    const events = isRecord(manifest) ? manifest["activationEvents"] : undefined;
    return Array.isArray(events) && events.includes(resolves);
  });
}

/** The configuration that Remote-SSH reads: the user's own, or the one of its setting. */
export function sshConfigPath(): string {
  const setting: unknown = vscode.workspace.getConfiguration("remote.SSH").get("configFile");
  const path = typeof setting === "string" ? setting.trim().replace(/^~(?=[\\/])/, homedir()) : "";
  return isAbsolute(path) ? path : join(homedir(), ".ssh", "config");
}

/** The file of our own that it includes. */
export function sshHostsPath(storageUri: vscode.Uri): string {
  return vscode.Uri.joinPath(storageUri, "ssh", "servers.config").fsPath;
}

/** Keeps the context keys of the commands for Remote-SSH: whether it is installed, and whether there is something to remove. */
export function watchRemoteSsh(storageUri: vscode.Uri): vscode.Disposable {
  const tell = (): void => {
    tellKey("hasRemoteSsh", hasRemoteSsh());
    tellSshHosts(existsSync(sshHostsPath(storageUri)));
  };
  tell();
  return vscode.extensions.onDidChange(tell);
}

export function tellSshHosts(exist: boolean): void {
  tellKey("hasSshHosts", exist);
}

function tellKey(name: string, value: boolean): void {
  void vscode.commands.executeCommand("setContext", `inferenceGateway.${name}`, value);
}
