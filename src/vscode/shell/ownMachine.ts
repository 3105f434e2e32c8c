import * as vscode from "vscode";
import { homedir } from "node:os";
import { isAbsolute, join, normalize } from "node:path";
import { expandHome } from "../../core/kernel/homeFolder.ts";
import { createPrivateFolder } from "../../storage/files/privateFile.ts";

/**
 * The name of the remote machine that runs the extension; undefined if that is the user's own machine. VS Code runs it
 * remotely only where it can't run locally, such as for a window in a browser.
 */
export function remoteHostName(): string | undefined {
  const extension = vscode.extensions.getExtension("inference-gateway.inference-gateway");
  return extension?.extensionKind === vscode.ExtensionKind.Workspace ? vscode.env.remoteName : undefined;
}

/**
 * The user's home folder on the machine that runs the extension. In a remote window, VS Code's dialogs show that
 * machine's files, and not the workspace's, if they start in it.
 */
function ownHome(): vscode.Uri {
  return vscode.Uri.file(homedir());
}

/**
 * The folder on this machine that a setting names, as a path; undefined if it is empty. `~` is the home folder.
 * `relative`: the path isn't absolute, so it could be anywhere.
 */
export function settingFolder(value: unknown): { readonly path: string } | "relative" | undefined {
  if (typeof value !== "string" || value.trim() === "") return undefined;
  const path = expandHome(value.trim(), homedir());
  return isAbsolute(path) ? { path: normalize(path) } : "relative";
}

/** The URI of the open workspace, or of its first folder while it isn't saved; undefined if no folder is open. */
export function openWorkspace(): string | undefined {
  const { workspaceFile, workspaceFolders = [] } = vscode.workspace;
  const isSaved = workspaceFile !== undefined && workspaceFile.scheme !== "untitled";
  return (isSaved ? workspaceFile : workspaceFolders[0]?.uri)?.toString();
}

/** Where an export is saved unless the user chooses otherwise: the workspace if it is on this machine. */
export function exportFolder(): vscode.Uri {
  const [folder] = vscode.workspace.workspaceFolders ?? [];
  return folder?.uri.scheme === "file" ? folder.uri : ownHome();
}

/**
 * Opens a terminal on the machine that runs the extension, whose keys and ports it needs. By default, the terminals of
 * a remote window open on the machine of the workspace; a folder of the scheme `file` makes them open here.
 */
export function openOwnTerminal(name: string): vscode.Terminal {
  const terminal = vscode.window.createTerminal({ name, cwd: ownHome() });
  terminal.show();
  return terminal;
}

/**
 * Calls `use` with paths on this machine. Files and folders of other machines are copied into a private temporary
 * folder for as long as that takes. Rejects if one of them can't be copied.
 */
export async function withOwnCopies<Result>(
  uris: readonly vscode.Uri[],
  use: (paths: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const folder = createPrivateFolder();
  const place = async (uri: vscode.Uri, index: number): Promise<string> => {
    if (uri.scheme === "file") return uri.fsPath;
    const name = uri.path.split("/").at(-1) ?? "";
    const isTaken = uris.slice(0, index).some(({ path }) => path.endsWith(`/${name}`));
    // Files that belong together stay next to each other.
    const copy = vscode.Uri.file(join(folder, ...(isTaken ? [String(index)] : []), name));
    await vscode.workspace.fs.copy(uri, copy);
    return copy.fsPath;
  };
  try {
    return await use(await Promise.all(uris.map(place)));
  } finally {
    await deleteFolder(folder);
  }
}

/**
 * Calls `write` with the path of a file on this machine. A file of another machine is written in a private
 * temporary folder first, and copied if `write` has returned true. Rejects if it can't be written or copied.
 */
export async function writeOnOwnMachine(
  uri: vscode.Uri,
  write: (path: string) => Promise<boolean>,
): Promise<boolean> {
  if (uri.scheme === "file") return await write(uri.fsPath);
  const folder = createPrivateFolder();
  try {
    const copy = join(folder, "export");
    if (!(await write(copy))) return false;
    await vscode.workspace.fs.copy(vscode.Uri.file(copy), uri, { overwrite: true });
    return true;
  } finally {
    await deleteFolder(folder);
  }
}

async function deleteFolder(path: string): Promise<void> {
  const folder = vscode.Uri.file(path);
  await Promise.resolve(vscode.workspace.fs.delete(folder, { recursive: true })).catch(() => undefined);
}
