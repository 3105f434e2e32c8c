import { randomUUID } from "node:crypto";
import * as vscode from "vscode";

/**
 * Calls `use` with paths on this machine. Files and folders of other machines are copied into our own folder for as long
 * as that takes. Rejects if one of them can't be copied.
 */
export async function withOwnCopies<Result>(
  uris: readonly vscode.Uri[],
  storageUri: vscode.Uri,
  use: (paths: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const folder = vscode.Uri.joinPath(storageUri, `copies-${randomUUID()}`);
  const place = async (uri: vscode.Uri, index: number): Promise<string> => {
    if (uri.scheme === "file") return uri.fsPath;
    const name = uri.path.split("/").at(-1) ?? "";
    const isTaken = uris.slice(0, index).some(({ path }) => path.endsWith(`/${name}`));
    // Files that belong together stay next to each other.
    const copy = vscode.Uri.joinPath(folder, ...(isTaken ? [String(index)] : []), name);
    await vscode.workspace.fs.copy(uri, copy);
    return copy.fsPath;
  };
  try {
    return await use(await Promise.all(uris.map(place)));
  } finally {
    await Promise.resolve(vscode.workspace.fs.delete(folder, { recursive: true })).catch(() => undefined);
  }
}
