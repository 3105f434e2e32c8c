import * as vscode from "vscode";

/** Shows text that was cut in the page, whole, as a document that isn't saved anywhere. */
export async function showWholeText(content: string): Promise<void> {
  const language = looksLikeJson(content) ? "json" : "plaintext";
  const document = await vscode.workspace.openTextDocument({ content, language });
  await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
}

function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text.slice(-100));
}
