import * as vscode from "vscode";
import { TextDocuments } from "../../shell/textDocuments.ts";

/** Shows text that was cut in the page, whole, as a document that only can be read. */
export class WholeTexts implements vscode.Disposable {
  readonly #documents = new TextDocuments("inference-gateway-tool");

  /** @param id Tells the text from every other one of the same name. */
  async show(name: string, id: string, text: string): Promise<void> {
    const uri = this.#documents.create(`${name}.${looksLikeJson(text) ? "json" : "txt"}`, id, text);
    await vscode.window.showTextDocument(uri, { preview: true, viewColumn: vscode.ViewColumn.Beside });
  }

  dispose(): void {
    this.#documents.dispose();
  }
}

function looksLikeJson(text: string): boolean {
  return /^\s*[[{]/.test(text) && /[\]}]\s*$/.test(text.slice(-100));
}
