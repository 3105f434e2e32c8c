import * as vscode from "vscode";
import type { ExchangeLog } from "../../../core/responses/exchange/exchangeLog.ts";
import { exchangeDocument } from "../../../core/responses/exchange/exchangeDocument.ts";

/** Also in the `when` clauses of package.json. */
const scheme = "inference-gateway-request";

/** An answer, by the names that the store knows. */
export interface AnswerPlace {
  readonly conversationId: string;
  readonly messageId: string;
}

/** Read-only documents that tell how an answer came about; one that is open follows its answer to the end. */
export class RequestDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #log: ExchangeLog;
  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration: vscode.Disposable;

  readonly onDidChange = this.#onDidChange.event;

  constructor(log: ExchangeLog) {
    this.#log = log;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const place = placeOf(uri);
    const exchanges = place === undefined ? [] : await this.#log.read(place.conversationId, place.messageId);
    if (exchanges.length > 0) return exchangeDocument(exchanges, vscode.env.language);
    return `// ${vscode.l10n.t("The request for this response is no longer available.")}\n`;
  }

  /** Opens the document beside the chat: as a preview that the next one replaces. */
  async show(place: AnswerPlace, model: string): Promise<void> {
    const uri = uriOf(place, model);
    this.#onDidChange.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
  }

  /** The answer that the document in the active editor tells of. */
  get active(): AnswerPlace | undefined {
    const uri = vscode.window.activeTextEditor?.document.uri;
    return uri === undefined ? undefined : placeOf(uri);
  }

  /** Something new is known of this answer. */
  update({ conversationId, messageId }: AnswerPlace): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      const place = placeOf(uri);
      if (place?.messageId === messageId && place.conversationId === conversationId)
        this.#onDidChange.fire(uri);
    }
  }

  dispose(): void {
    this.#registration.dispose();
    this.#onDidChange.dispose();
  }
}

/** The name is for the tab, the query for us. */
function uriOf({ conversationId, messageId }: AnswerPlace, model: string): vscode.Uri {
  const name = model.replace(/[\\/:*?"<>|#%\s]+/g, "-").slice(0, 80);
  const query = new URLSearchParams({ conversationId, messageId }).toString();
  return vscode.Uri.from({ scheme, path: `/${vscode.l10n.t("Request")} ${name}.jsonc`, query });
}

function placeOf(uri: vscode.Uri): AnswerPlace | undefined {
  if (uri.scheme !== scheme) return undefined;
  const query = new URLSearchParams(uri.query);
  const conversationId = query.get("conversationId");
  const messageId = query.get("messageId");
  return conversationId === null || messageId === null ? undefined : { conversationId, messageId };
}
