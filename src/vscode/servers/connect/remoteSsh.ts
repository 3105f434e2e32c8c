import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import * as vscode from "vscode";
import { expandHome } from "../../../core/kernel/homeFolder.ts";
import { isRecord, stringsIn } from "../../../core/kernel/json.ts";
import { hasPrivateFile } from "../../../storage/files/privateFile.ts";
import { setContextKey } from "../../shell/contextKey.ts";

/**
 * The activation event that Remote-SSH and its equivalents in other editors declare, and the best-known IDs in case
 * they don't.
 */
const resolves = "onResolveRemoteAuthority:ssh-remote";
const knownIds = new Set([
  "ms-vscode-remote.remote-ssh",
  "jeanp413.open-remote-ssh",
  "anysphere.remote-ssh",
  "codeium.windsurf-remote-openssh",
]);

/** Whether an extension in this window can open windows over SSH: Microsoft's or an open source one. */
export function hasRemoteSsh(): boolean {
  return vscode.extensions.all.some(({ id, packageJSON }: vscode.Extension<unknown>) => {
    if (knownIds.has(id.toLowerCase())) return true;
    const manifest: unknown = packageJSON;
    const events = isRecord(manifest) ? manifest["activationEvents"] : undefined;
    return Array.isArray(events) && events.includes(resolves);
  });
}

/** The configuration that Remote-SSH reads: the user's own, or the one in its setting. */
export function sshConfigPath(): string {
  const setting: unknown = vscode.workspace.getConfiguration("remote.SSH").get("configFile");
  const path = typeof setting === "string" ? expandHome(setting.trim(), homedir()) : "";
  return isAbsolute(path) ? path : usualSshConfigPath();
}

/** The configuration that \`ssh\` reads unless it is started with another. */
export function usualSshConfigPath(): string {
  return join(homedir(), ".ssh", "config");
}

const windowsFileName = "inference-gateway.config";

/**
 * Our own file, which that configuration includes. On Windows it is in the user's own folder for SSH: elsewhere, `ssh`
 * may find that others can change it, and then refuses to connect to any host.
 */
export function sshHostsPath(storageUri: vscode.Uri): string {
  return process.platform === "win32"
    ? join(homedir(), ".ssh", windowsFileName)
    : vscode.Uri.joinPath(storageUri, "ssh", "servers.config").fsPath;
}

/** The path by which it is included. Older versions of `ssh` don't know that `C:/` begins an absolute path. */
export function sshIncludePath(storageUri: vscode.Uri): string {
  return process.platform === "win32" ? windowsFileName : sshHostsPath(storageUri);
}

const includedKey = "inferenceGateway.sshConfigurations";

/** The configurations to which we have added our file, and the one that Remote-SSH currently reads. */
export function includingConfigs(globalState: vscode.Memento): readonly string[] {
  return [...new Set([sshConfigPath(), ...stringsIn(globalState.get(includedKey))])];
}

/** Remembers which SSH configurations include our file, so that the line can be removed even from a former one. */
export async function rememberConfigs(globalState: vscode.Memento, paths: readonly string[]): Promise<void> {
  await globalState.update(includedKey, paths.length === 0 ? undefined : paths);
}

/**
 * Keeps the context keys of the Remote-SSH commands up to date: whether it is installed, and whether there is anything
 * to remove.
 */
export function watchRemoteSsh(storageUri: vscode.Uri): vscode.Disposable {
  const updateKeys = (): void => {
    setContextKey("inferenceGateway.hasRemoteSsh", hasRemoteSsh());
    updateSshHostsContext(hasPrivateFile(sshHostsPath(storageUri)));
  };
  updateKeys();
  return vscode.extensions.onDidChange(updateKeys);
}

/** Updates the context key of the command that removes our hosts. */
export function updateSshHostsContext(exist: boolean): void {
  setContextKey("inferenceGateway.hasSshHosts", exist);
}
