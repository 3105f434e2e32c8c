import * as vscode from "vscode";
import { isBinary, maxTextBytes } from "../../core/compose/context/pastedText.ts";

interface FileText {
  readonly text: string;
  readonly languageId?: string;
}

/**
 * The current text of the file, including unsaved changes, or a sentence explaining why it can't be read. `named`: the
 * link that led to the file, under which it may be open in an editor.
 */
export async function readText(uri: vscode.Uri, named = uri): Promise<FileText | string> {
  const name = vscode.workspace.asRelativePath(uri);
  try {
    const open = findOpen(uri) ?? findOpen(named);
    if (open !== undefined) {
      const text = open.getText();
      return text.length > maxTextBytes ? tooLarge(name) : { text, languageId: open.languageId };
    }
    const { size, type } = await vscode.workspace.fs.stat(uri);
    if ((type & vscode.FileType.Directory) !== 0) return vscode.l10n.t("{0} is a folder.", name);
    if (size > maxTextBytes) return tooLarge(name);
    const bytes = await vscode.workspace.fs.readFile(uri);
    if (isBinary(bytes)) return vscode.l10n.t("{0} isn't a text file.", name);
    return { text: await vscode.workspace.decode(bytes, { uri }) };
  } catch {
    return vscode.l10n.t("{0} couldn't be read.", name);
  }
}

/** The document of this file if an editor or another extension has it open. */
export function findOpen(uri: vscode.Uri): vscode.TextDocument | undefined {
  return vscode.workspace.textDocuments.find((document) => document.uri.toString() === uri.toString());
}

function tooLarge(name: string): string {
  return vscode.l10n.t("{0} is larger than 1 MB. Select the relevant part and attach the selection.", name);
}
