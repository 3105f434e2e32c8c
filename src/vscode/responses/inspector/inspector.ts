import * as vscode from "vscode";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import { logFailure } from "../../../core/kernel/errors.ts";
import type { Log } from "../../../core/kernel/log.ts";
import { requestCode } from "../../../core/responses/exchange/copyCode.ts";
import { exchangeDocument } from "../../../core/responses/exchange/exchangeDocument.ts";
import type { Exchange } from "../../../core/responses/exchange/exchange.ts";
import type { Ledger } from "../../../core/responses/usage/ledger.ts";
import { ExchangeTable } from "../../../storage/records/exchangeTable.ts";
import type { Records } from "../../../storage/records/recordsFile.ts";
import { setStatusBarMessage, showInformationMessage, showQuickPick } from "../../shell/window.ts";

/** Also used in the `when` clauses of package.json. */
const scheme = "inference-gateway-request";

/** A response, identified by its IDs in the store. */
interface MessageLocation {
  readonly conversationId: string;
  readonly messageId: string;
}

/** Read-only documents that show how a response was requested. An open one is updated until its response ends. */
class RequestDocuments implements vscode.TextDocumentContentProvider, vscode.Disposable {
  readonly #read: (location: MessageLocation) => Promise<readonly Exchange[]>;
  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly #registration: vscode.Disposable;

  readonly onDidChange = this.#onDidChange.event;

  constructor(read: (location: MessageLocation) => Promise<readonly Exchange[]>) {
    this.#read = read;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  async provideTextDocumentContent(uri: vscode.Uri): Promise<string> {
    const location = locationOf(uri);
    const exchanges = location === undefined ? [] : await this.#read(location);
    if (exchanges.length > 0) return exchangeDocument(exchanges);
    return `// ${vscode.l10n.t("The request for this response is no longer available.")}\n`;
  }

  /** Opens the document next to the chat, as a preview that the next one replaces. */
  async show(location: MessageLocation, model: string): Promise<void> {
    const uri = uriOf(location, model);
    this.#onDidChange.fire(uri);
    const document = await vscode.workspace.openTextDocument(uri);
    await vscode.window.showTextDocument(document, { preview: true, viewColumn: vscode.ViewColumn.Beside });
  }

  /** The response shown in the active editor's document. */
  get active(): MessageLocation | undefined {
    const uri = vscode.window.activeTextEditor?.document.uri;
    return uri === undefined ? undefined : locationOf(uri);
  }

  /** Called when there is new information about this response. */
  update({ conversationId, messageId }: Partial<MessageLocation>): void {
    for (const { uri } of vscode.workspace.textDocuments) {
      const location = locationOf(uri);
      if (
        location !== undefined &&
        location.messageId === messageId &&
        location.conversationId === conversationId
      )
        this.#onDidChange.fire(uri);
    }
  }

  dispose(): void {
    this.#registration.dispose();
    this.#onDidChange.dispose();
  }
}

/** The path provides the tab's name. The query identifies the message. */
function uriOf({ conversationId, messageId }: MessageLocation, model: string): vscode.Uri {
  const name = model.replace(/[\\/:*?"<>|#%\s]+/g, "-").slice(0, 80);
  const query = new URLSearchParams({ conversationId, messageId }).toString();
  return vscode.Uri.from({ scheme, path: `/${vscode.l10n.t("Request")} ${name}.jsonc`, query });
}

function locationOf(uri: vscode.Uri): MessageLocation | undefined {
  if (uri.scheme !== scheme) return undefined;
  const query = new URLSearchParams(uri.query);
  const conversationId = query.get("conversationId");
  const messageId = query.get("messageId");
  return conversationId === null || messageId === null ? undefined : { conversationId, messageId };
}

/** Shows and copies the requests of responses. */
export class Inspector implements vscode.Disposable {
  readonly #records: Records;
  readonly #ledger: () => Promise<Pick<Ledger, "exchanges">>;
  readonly #documents: RequestDocuments;
  readonly #errors: Log;
  #stopFollowing: (() => void) | undefined;

  constructor(records: Records, ledger: () => Promise<Pick<Ledger, "exchanges">>, log: Log) {
    this.#records = records;
    this.#ledger = ledger;
    this.#errors = log;
    this.#documents = new RequestDocuments((location) => this.#read(location));
  }

  async #read({ conversationId, messageId }: MessageLocation): Promise<readonly Exchange[]> {
    const { exchanges } = await this.#ledger();
    this.#stopFollowing ??= exchanges?.onKept((owner) => this.#documents.update(owner));
    return (await exchanges?.ofMessage(conversationId, messageId)) ?? [];
  }

  /** Opens the request of a response. Without an ID, that of the last response shown. */
  async show(session: ChatSession | undefined, messageId?: string): Promise<void> {
    const location = locationIn(session, messageId);
    if (location === undefined) return showNoResponse();
    const model = session?.state.find(location.messageId)?.model ?? "";
    if (await this.#isKept(location)) await this.#documents.show(location, model);
  }

  /** Copies the request shown in the active editor, otherwise that of a response, as code. */
  async copy(session: ChatSession | undefined, messageId?: string): Promise<void> {
    const location = this.#documents.active ?? locationIn(session, messageId);
    if (location === undefined) return showNoResponse();
    if (!(await this.#isKept(location))) return;
    const exchanges = await this.#read(location);
    const request = exchanges.at(-1)?.attempts.at(-1)?.request;
    if (request === undefined) {
      void showInformationMessage(vscode.l10n.t("Nothing was sent for this response."));
      return;
    }
    const languages = { curl: "curl", python: "Python", javascript: "JavaScript" } as const;
    const items = (["curl", "python", "javascript"] as const).map((language) => ({
      label: languages[language],
      language,
    }));
    const picked = await showQuickPick(items, { title: vscode.l10n.t("Copy Request") });
    if (picked === undefined) return;
    await vscode.env.clipboard.writeText(requestCode(request, picked.language));
    setStatusBarMessage(vscode.l10n.t("$(check) Request copied"), 3_000);
  }

  /** Called when the conversation is gone, so that its stored requests are deleted too. */
  forget(conversationId: string): void {
    new ExchangeTable(this.#records)
      .deleteConversation(conversationId)
      .catch((error: unknown) => logFailure(this.#errors, error));
  }

  dispose(): void {
    this.#stopFollowing?.();
    this.#documents.dispose();
  }

  async #isKept(location: MessageLocation): Promise<boolean> {
    if ((await this.#read(location)).length > 0) return true;
    const sentence = vscode.l10n.t(
      "The request for this response isn't available: it was never sent, or it is too old.",
    );
    void showInformationMessage(sentence);
    return false;
  }
}

/** The response with this ID. Without one, the last response shown. */
function locationIn(
  session: ChatSession | undefined,
  messageId: string | undefined,
): MessageLocation | undefined {
  if (session === undefined) return undefined;
  const message =
    messageId === undefined
      ? session.state.messages.findLast(({ role }) => role === "assistant")
      : session.state.find(messageId);
  if (message === undefined) return undefined;
  return { conversationId: session.id, messageId: message.id };
}

function showNoResponse(): void {
  void showInformationMessage(vscode.l10n.t("There is no response in this conversation yet."));
}
