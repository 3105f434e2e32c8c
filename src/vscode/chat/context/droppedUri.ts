import * as vscode from "vscode";

/**
 * The resource that VS Code gave to a page by this address. In a remote window pages are given `vscode-remote:`
 * addresses of what is a plain file to extensions there: as such it is found in its folder, and named by it.
 */
export function parseDroppedUri(address: string): vscode.Uri {
  const uri = vscode.Uri.parse(address);
  if (uri.scheme !== "vscode-remote") return uri;
  const isThere = vscode.workspace.workspaceFolders?.some((folder) => folder.uri.scheme === "file") ?? false;
  return isThere ? vscode.Uri.file(uri.path) : uri;
}
