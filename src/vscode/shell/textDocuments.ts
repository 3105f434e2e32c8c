import * as vscode from "vscode";

/** VS Code's own preview as an editor for a single document, so that other previews stay open. */
const previewEditor = "vscode.markdown.preview.editor";

/** Shows a Markdown document as a rendered preview, in a separate tab that no other preview reuses. */
export async function showMarkdown(uri: vscode.Uri): Promise<void> {
  const isThere = vscode.extensions.getExtension("vscode.markdown-language-features") !== undefined;
  const options = { preview: false };
  // The extension with the preview can be disabled.
  if (isThere) await vscode.commands.executeCommand("vscode.openWith", uri, previewEditor, options);
  else await vscode.window.showTextDocument(uri, options);
}

/** Texts with a URI scheme of their own, shown as read-only documents that are never saved. */
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
   * Creates a URI for opening the text.
   * @param name The file name with its extension. Characters that aren't allowed in a path are replaced.
   * @param id Distinguishes the text from others with the same name, because VS Code caches content by URI.
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
