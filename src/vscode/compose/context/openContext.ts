import * as vscode from "vscode";
import { parseContextTitle } from "../../../core/compose/context/contextPart.ts";
import { TextDocuments } from "../../shell/textDocuments.ts";
import { isWithinBoundary } from "../../shell/fileBoundary.ts";
import { exists, workspaceCandidates } from "../../shell/findFiles.ts";

/** Documents that show attached texts which have no file. */
const scheme = "inference-gateway-context";

/** Shows attachments: if the title names a file, the file at those lines, otherwise the text that is sent. */
export class ContextDocuments implements vscode.Disposable {
  readonly #documents = new TextDocuments(scheme);
  #count = 0;

  async show(title: string, text: string): Promise<void> {
    const { path, lines } = parseContextTitle(title);
    const uri = (await findFile(path)) ?? this.#documents.create(`${title}.md`, String(++this.#count), text);
    const selection = lines === undefined ? undefined : new vscode.Range(lines.first - 1, 0, lines.last, 0);
    await vscode.window.showTextDocument(uri, {
      viewColumn: vscode.window.visibleTextEditors[0]?.viewColumn ?? vscode.ViewColumn.Beside,
      ...(selection === undefined || uri.scheme === scheme ? {} : { selection }),
    });
  }

  dispose(): void {
    this.#documents.dispose();
  }
}

/**
 * The file that a title names: an open one, one in the workspace, or one outside it that the user has allowed to be
 * read. Titles come from the page and, in imported conversations, from other machines, so nothing is searched for on
 * the network.
 */
async function findFile(path: string): Promise<vscode.Uri | undefined> {
  const open = vscode.workspace.textDocuments.find(
    ({ uri }) => vscode.workspace.asRelativePath(uri) === path,
  );
  if (open !== undefined) return open.uri;
  if (path.split(/[\\/]/).includes("..")) return undefined;
  for (const uri of workspaceCandidates(path)) {
    if ((await isWithinBoundary(uri)) && (await isFile(uri))) return uri;
  }
  return undefined;
}

async function isFile(uri: vscode.Uri): Promise<boolean> {
  if (!(await exists(uri))) return false;
  return ((await vscode.workspace.fs.stat(uri)).type & vscode.FileType.File) !== 0;
}
