import * as vscode from "vscode";

/** Files that are dropped at once. */
const maxFiles = 50;

/**
 * The resources that VS Code gave to a page by these addresses; those of file systems that the workspace has nothing to do
 * with are left out. A drop can't be proven: any page may send any address.
 */
export function parseDroppedUris(addresses: readonly string[]): readonly vscode.Uri[] {
  const schemes = new Set([
    "file",
    "vscode-remote",
    ...(vscode.workspace.workspaceFolders ?? []).map(({ uri }) => uri.scheme),
  ]);
  return addresses
    .slice(0, maxFiles)
    .map(parseDroppedUri)
    .filter((uri): uri is vscode.Uri => uri !== undefined && schemes.has(uri.scheme));
}

/**
 * In a remote window pages are given `vscode-remote:` addresses of what is a plain file to extensions there: as such it is
 * found in its folder, and named by it.
 */
function parseDroppedUri(address: string): vscode.Uri | undefined {
  try {
    const uri = vscode.Uri.parse(address, true);
    if (uri.scheme !== "vscode-remote") return uri;
    const isThere =
      vscode.workspace.workspaceFolders?.some((folder) => folder.uri.scheme === "file") ?? false;
    return isThere ? vscode.Uri.file(uri.path) : uri;
  } catch {
    return undefined;
  }
}
