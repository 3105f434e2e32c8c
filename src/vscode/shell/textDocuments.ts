import * as vscode from "vscode";

/** VS Code's own preview, as an editor of one document: others stay beside it. */
const previewEditor = "vscode.markdown.preview.editor";

/** Shows a Markdown document as a rendered preview, in a tab of its own that no other preview takes over. */
export async function showMarkdown(uri: vscode.Uri): Promise<void> {
  const isThere = vscode.extensions.getExtension("vscode.markdown-language-features") !== undefined;
  const options = { preview: false };
  // The extension with the preview can be disabled.
  if (isThere) await vscode.commands.executeCommand("vscode.openWith", uri, previewEditor, options);
  else await vscode.window.showTextDocument(uri, options);
}

/** Texts of a scheme of their own, shown as documents that only can be read; nothing of them is ever saved. */
export class TextDocuments implements vscode.Disposable {
  readonly #scheme: string;
  readonly #texts = new Map<string, string>();
  readonly #registration: vscode.Disposable;

  constructor(scheme: string) {
    this.#scheme = scheme;
    this.#registration = vscode.Disposable.from(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        provideTextDocumentContent: (uri) => this.#texts.get(uri.toString()) ?? "",
      }),
    );
  }

  /**
   * The address of a text, to be opened.
   * @param name Of the file, with its extension. Characters that can't be in a path are replaced.
   * @param id Distinguishes the text from others of the same name: VS Code caches the content of an address.
   */
  create(name: string, id: string, text: string): vscode.Uri {
    const path = `/${name
      .replaceAll(/[\\/:*?"<>|#%\s]+/g, " ")
      .trim()
      .slice(-80)}`;
    const uri = vscode.Uri.from({ scheme: this.#scheme, path, query: id });
    this.#texts.set(uri.toString(), text);
    return uri;
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
