import * as vscode from "vscode";

const scheme = "inference-gateway-response";

/** Answers as read-only documents; nothing of them is ever saved. */
export class ResponseDocuments implements vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registration: vscode.Disposable;
  #count = 0;

  constructor() {
    this.#registration = vscode.Disposable.from(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        provideTextDocumentContent: (uri) => this.#texts.get(uri.toString()) ?? "",
      }),
    );
  }

  async show(name: string, text: string, languageId: string): Promise<void> {
    // The number makes another address of each answer: VS Code keeps what it has read of an address.
    const path = `/${name.replace(/[\\/:*?"<>|#%\s]+/g, "-").slice(0, 80)}.${languageId === "jsonc" ? "jsonc" : "txt"}`;
    const uri = vscode.Uri.from({ scheme, path, query: String(++this.#count) });
    this.#texts.set(uri.toString(), text);
    const document = await vscode.workspace.openTextDocument(uri);
    if (document.languageId !== languageId)
      await vscode.languages.setTextDocumentLanguage(document, languageId);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
