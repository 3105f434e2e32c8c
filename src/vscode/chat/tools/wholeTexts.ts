import * as vscode from "vscode";

/** Of documents that are arguments or results of tools; nothing of them is ever saved. */
const scheme = "inference-gateway-tool";

/** Shows text that was cut in the page, whole, as a document that only can be read. */
export class WholeTexts implements vscode.Disposable {
  readonly #texts = new Map<string, string>();
  readonly #registration: vscode.Disposable;

  constructor() {
    this.#registration = vscode.Disposable.from(
      vscode.workspace.onDidCloseTextDocument(({ uri }) => this.#texts.delete(uri.toString())),
      vscode.workspace.registerTextDocumentContentProvider(scheme, {
        provideTextDocumentContent: (uri) => this.#texts.get(uri.toString()) ?? "",
      }),
    );
  }

  /** @param id Tells the text from every other one of the same name. */
  async show(name: string, id: string, text: string): Promise<void> {
    const path = `/${name.replaceAll("/", " ")}.${looksLikeJson(text) ? "json" : "txt"}`;
    const uri = vscode.Uri.from({ scheme, path, query: id });
    this.#texts.set(uri.toString(), text);
    await vscode.window.showTextDocument(uri, { preview: true, viewColumn: vscode.ViewColumn.Beside });
  }

  dispose(): void {
    this.#registration.dispose();
  }
}

function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text.slice(-100));
}
