import * as vscode from "vscode";

/** VS Code's own preview, as an editor of one document: others stay beside it. */
const previewEditor = "vscode.markdown.preview.editor";

/** Shows a Markdown document rendered, in a tab of its own that no other preview takes over. */
export async function showMarkdown(uri: vscode.Uri): Promise<void> {
  const isThere = vscode.extensions.getExtension("vscode.markdown-language-features") !== undefined;
  const options = { preview: false };
  // The extension with the preview can be disabled.
  if (isThere) await vscode.commands.executeCommand("vscode.openWith", uri, previewEditor, options);
  else await vscode.window.showTextDocument(uri, options);
}
