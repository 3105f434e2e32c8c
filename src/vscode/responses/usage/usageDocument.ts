import * as vscode from "vscode";
import type { ChatSession } from "../../../core/conversation/chatSession.ts";
import type { UsageReader } from "../../../core/conversation/conversationStore.ts";
import { usageReport } from "../../../core/responses/usage/usageReport.ts";
import { showMarkdown } from "../../shell/textDocuments.ts";
import { chatSettings } from "../../conversation/chatSettings.ts";

const scheme = "inference-gateway-usage";

/** Shows the usage of the stored responses as a document in VS Code's Markdown preview. */
export class UsageDocument implements vscode.Disposable, vscode.TextDocumentContentProvider {
  readonly #openStore: () => Promise<UsageReader>;
  readonly #onDidChange = new vscode.EventEmitter<vscode.Uri>();
  readonly onDidChange = this.#onDidChange.event;
  readonly #registration: vscode.Disposable;
  #text = "";

  constructor(openStore: () => Promise<UsageReader>) {
    this.#openStore = openStore;
    this.#registration = vscode.workspace.registerTextDocumentContentProvider(scheme, this);
  }

  /** @param session The conversation that is shown, if there is one. */
  async show(session: ChatSession | undefined): Promise<void> {
    const store = await this.#openStore();
    this.#text = usageReport({
      all: store.readUsage({}),
      ...(session === undefined
        ? {}
        : {
            conversation: {
              title: session.state.title,
              totals: store.readUsage({ conversationId: session.id }),
            },
          }),
      prices: chatSettings.chatPreferences().prices,
      locale: vscode.env.language,
    });
    const uri = vscode.Uri.from({ scheme, path: `/${vscode.l10n.t("Usage")}.md` });
    this.#onDidChange.fire(uri);
    await showMarkdown(uri);
  }

  provideTextDocumentContent(): string {
    return this.#text;
  }

  dispose(): void {
    this.#registration.dispose();
    this.#onDidChange.dispose();
  }
}
