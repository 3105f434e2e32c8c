import * as vscode from "vscode";
import type { ChatSession } from "../../core/conversation/chatSession.ts";
import { TextDocuments } from "../shell/textDocuments.ts";
import { showInformationMessage } from "../shell/window.ts";

/** Shows responses as documents, which makes all of VS Code's reading features available. */
export class ResponseDocuments implements vscode.Disposable {
  readonly #documents = new TextDocuments("inference-gateway-answer");

  /** Opens the last response of the chat; shows a message if there is none. */
  async showLast(session: ChatSession | undefined): Promise<void> {
    const response = session?.state.messages.findLast(
      ({ role, text }) => role === "assistant" && text !== "",
    );
    if (response === undefined) {
      void showInformationMessage(vscode.l10n.t("There is no response to open yet."));
      return;
    }
    const { id, model = "answer", text } = response;
    const uri = this.#documents.create(`${model}.md`, `${id}-${text.length}`, text);
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  dispose(): void {
    this.#documents.dispose();
  }
}
