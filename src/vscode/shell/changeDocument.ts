import * as vscode from "vscode";
import { changedPart } from "../../core/responses/code/applyCode.ts";

/** Why the document can't be changed; undefined if it can. A document can become read-only while it is open. */
export async function whyNotEditable(document: vscode.TextDocument): Promise<string | undefined> {
  const uri = notebookCellOf(document)?.notebook.uri ?? document.uri;
  if (uri.scheme === "untitled") return undefined;
  const name = document.uri.path.split("/").at(-1) ?? "";
  const refusal = vscode.l10n.t("{0} is read-only and can't be edited.", name);
  // Documents of a content provider, such as an old version of a file, have no file system.
  if (vscode.workspace.fs.isWritableFileSystem(uri.scheme) !== true) return refusal;
  const stat = await vscode.workspace.fs.stat(uri).then(
    (found) => found,
    () => undefined,
  );
  return ((stat?.permissions ?? 0) & vscode.FilePermission.Readonly) !== 0 ? refusal : undefined;
}

/** The notebook cell that contains the document. */
export function notebookCellOf(document: vscode.TextDocument): vscode.NotebookCell | undefined {
  if (document.uri.scheme !== "vscode-notebook-cell") return undefined;
  const cells = vscode.workspace.notebookDocuments.flatMap((notebook) => notebook.getCells());
  return cells.find((cell) => cell.document === document);
}

/**
 * Gives the document this text by replacing only the part that differs, in one step that can be undone. Doesn't save
 * it. Resolves to whether the document has the text now.
 */
export async function changeDocument(document: vscode.TextDocument, text: string): Promise<boolean> {
  const part = changedPart(document.getText(), text);
  if (part === undefined) return true;
  const range = new vscode.Range(document.positionAt(part.start), document.positionAt(part.end));
  const edit = new vscode.WorkspaceEdit();
  edit.replace(document.uri, range, part.text);
  return await vscode.workspace.applyEdit(edit);
}
