import * as vscode from "vscode";
import { TextDocuments } from "../../shell/textDocuments.ts";

/** Answers as read-only documents; nothing of them is ever saved. */
export class ResponseDocuments implements vscode.Disposable {
  readonly #documents = new TextDocuments("inference-gateway-response");
  #count = 0;

  async show(name: string, text: string, languageId: string): Promise<void> {
    const extension = languageId === "jsonc" ? "jsonc" : "txt";
    const uri = this.#documents.create(`${name}.${extension}`, String(++this.#count), text);
    const document = await vscode.workspace.openTextDocument(uri);
    if (document.languageId !== languageId)
      await vscode.languages.setTextDocumentLanguage(document, languageId);
    await vscode.window.showTextDocument(document, { preview: true });
  }

  dispose(): void {
    this.#documents.dispose();
  }
}
