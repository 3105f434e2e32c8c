import * as vscode from "vscode";
import type { ChatSession } from "../../core/chatSession.ts";

/** Of documents that are answers; nothing of them is ever saved. */
const scheme = "inference-gateway-answer";

/** Shows answers as documents, where every way of reading that VS Code knows is at hand. */
export class AnswerDocuments implements vscode.Disposable {
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

  /** Opens the last answer of the chat; says so where there is none. */
  async showLast(session: ChatSession | undefined): Promise<void> {
    const answer = session?.messages.findLast(({ role, text }) => role === "assistant" && text !== "");
    if (answer === undefined) {
      void vscode.window.showInformationMessage(vscode.l10n.t("There is no answer to read yet."));
      return;
    }
    // The length makes another address of an answer that has grown: VS Code keeps what it has read of an address.
    const path = `/${(answer.model ?? "answer").replaceAll("/", " ")}.md`;
    const uri = vscode.Uri.from({ scheme, path, query: `${answer.id}-${answer.text.length}` });
    this.#texts.set(uri.toString(), answer.text);
    await vscode.window.showTextDocument(uri, { preview: true });
  }

  dispose(): void {
    this.#registration.dispose();
  }
}
