import * as vscode from "vscode";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import type { CompletionPort } from "../../../core/conversation/completion.ts";
import type { CodeLanguage } from "../../../core/responses/exchange/copyCode.ts";
import { requestCode } from "../../../core/responses/exchange/copyCode.ts";
import { ExchangeLog } from "../../../core/responses/exchange/exchangeLog.ts";
import { recordExchanges } from "../../../core/responses/exchange/recordExchanges.ts";
import { logFailure } from "../../../core/kernel/failureText.ts";
import type { Log } from "../../../core/kernel/log.ts";
import { ExchangeFiles } from "../../../storage/files/exchangeFiles.ts";
import type { AnswerPlace } from "./requestDocuments.ts";
import { RequestDocuments } from "./requestDocuments.ts";
import { setStatusBarMessage, showInformationMessage } from "../../shell/window.ts";

/** Shows and copies the requests of answers; keeps them from the moment of their sending. */
export class Inspector implements vscode.Disposable {
  readonly #files: ExchangeFiles;
  readonly #log: ExchangeLog;
  readonly #documents: RequestDocuments;
  readonly #errors: Log;

  constructor(storageUri: vscode.Uri, log: Log) {
    this.#errors = log;
    this.#files = new ExchangeFiles(vscode.Uri.joinPath(storageUri, "exchanges").fsPath);
    this.#log = new ExchangeLog({
      store: this.#files,
      now: () => Date.now(),
      monotonic: () => performance.now(),
      onKept: (conversationId, messageId) => this.#documents.update({ conversationId, messageId }),
      reportError: (error) => logFailure(log, error),
    });
    this.#documents = new RequestDocuments(this.#log);
  }

  /** The same port, whose exchanges are kept for the answers of the conversation. */
  watch(completions: CompletionPort, conversationId: string): CompletionPort {
    return recordExchanges(completions, this.#log, conversationId);
  }

  /** Opens the request of an answer; without an id, of the last answer that is shown. */
  async show(session: ChatSession | undefined, messageId?: string): Promise<void> {
    const place = placeIn(session, messageId);
    if (place === undefined) return showNoAnswer();
    const model = session?.find(place.messageId)?.model ?? "";
    if (await this.#isKept(place)) await this.#documents.show(place, model);
  }

  /** Copies the request of the document in the active editor, else that of an answer, as code. */
  async copy(language: CodeLanguage, session: ChatSession | undefined, messageId?: string): Promise<void> {
    const place = this.#documents.active ?? placeIn(session, messageId);
    if (place === undefined) return showNoAnswer();
    if (!(await this.#isKept(place))) return;
    const exchanges = await this.#log.read(place.conversationId, place.messageId);
    const request = exchanges.at(-1)?.attempts.at(-1)?.request;
    if (request === undefined) {
      void showInformationMessage(vscode.l10n.t("Nothing was sent for this answer."));
      return;
    }
    await vscode.env.clipboard.writeText(requestCode(request, language));
    setStatusBarMessage(vscode.l10n.t("$(check) The request is in the clipboard."), 3_000);
  }

  /** The conversation is gone, and with it what is kept of its requests. */
  forget(conversationId: string): void {
    this.#files.deleteConversation(conversationId).catch((error: unknown) => logFailure(this.#errors, error));
  }

  dispose(): void {
    this.#documents.dispose();
  }

  async #isKept({ conversationId, messageId }: AnswerPlace): Promise<boolean> {
    const exchanges = await this.#log.read(conversationId, messageId);
    if (exchanges.length > 0) return true;
    const sentence = vscode.l10n.t(
      "The request for this response isn't available: it was never sent, or it is too old.",
    );
    void showInformationMessage(sentence);
    return false;
  }
}

/** The answer of this id; without one the last answer that is shown. */
function placeIn(session: ChatSession | undefined, messageId: string | undefined): AnswerPlace | undefined {
  if (session === undefined) return undefined;
  const message =
    messageId === undefined
      ? session.messages.findLast(({ role }) => role === "assistant")
      : session.find(messageId);
  return message === undefined ? undefined : { conversationId: session.id, messageId: message.id };
}

function showNoAnswer(): void {
  void showInformationMessage(vscode.l10n.t("There is no answer in this conversation yet."));
}
