import * as vscode from "vscode";
import type { FileLink } from "../../core/kernel/fileLink.ts";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import { mayOpenFile } from "./fileBoundary.ts";
import { workspaceCandidates } from "./findFiles.ts";
import { showWarningMessage } from "./window.ts";

const schemes: ReadonlySet<string> = new Set(["http", "https", "mailto"]);

/** The page has shown where the link leads. VS Code asks again before opening an unknown site. */
export async function openLink(href: string): Promise<void> {
  const uri = parseLink(href);
  if (uri !== undefined && schemes.has(uri.scheme) && (await openExternal(uri))) return;
  const words = vscode.l10n.t("This link can't be opened: {0}", sanitizeLabel(href, 120));
  void showWarningMessage(words);
}

/**
 * Opens the file at its lines, or reveals the folder. Outside the workspace, the user is asked first, because VS Code
 * itself doesn't ask when an extension opens a file.
 */
export async function openFileLink({ path, lines }: FileLink): Promise<void> {
  for (const uri of workspaceCandidates(path)) {
    const type = await vscode.workspace.fs.stat(uri).then(
      (found) => found.type,
      () => undefined,
    );
    if (type === undefined) continue;
    if (!(await mayOpenFile(uri))) return;
    if ((type & vscode.FileType.Directory) !== 0)
      return void (await vscode.commands.executeCommand("revealInExplorer", uri));
    const selection = lines && new vscode.Range(lines.first - 1, 0, lines.last - 1, 0);
    const viewColumn = vscode.window.visibleTextEditors[0]?.viewColumn ?? vscode.ViewColumn.Beside;
    await vscode.commands.executeCommand("vscode.open", uri, { viewColumn, ...(selection && { selection }) });
    return;
  }
  void showWarningMessage(
    vscode.l10n.t("The file “{0}” wasn't found in the workspace.", sanitizeLabel(path, 200)),
  );
}

/** VS Code rejects some URLs that look valid, such as `https:////a`. */
function parseLink(href: string): vscode.Uri | undefined {
  try {
    return vscode.Uri.parse(href, true);
  } catch {
    return undefined;
  }
}

/** True if the link has been opened, or the user decided not to. */
async function openExternal(uri: vscode.Uri): Promise<boolean> {
  try {
    await vscode.env.openExternal(uri);
    return true;
  } catch {
    return false;
  }
}
