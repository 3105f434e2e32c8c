import * as vscode from "vscode";
import type { ChatSession } from "../../core/chatSession.ts";
import { isRecord, stringField } from "../../core/json.ts";
import { chatViewType } from "./chatViewType.ts";
import { ChatPanel } from "./chatPanel.ts";
import type { ChatPanelContext } from "./chatPanel.ts";

/** Where sessions come from. */
export interface SessionSource {
  create(): Promise<ChatSession>;
  /** The stored conversation; a new one when there is none of this id. */
  open(conversationId: string): Promise<ChatSession>;
  /** No panel shows the session any more. */
  release(session: ChatSession): void;
}

/** Every open chat panel; any number of them, each conversation in one. */
export class ChatPanels implements vscode.Disposable {
  readonly #sessions: SessionSource;
  readonly #context: ChatPanelContext;
  readonly #panels = new Set<ChatPanel>();
  readonly #onDidChangeActive = new vscode.EventEmitter<void>();
  readonly onDidChangeActive = this.#onDidChangeActive.event;

  constructor(sessions: SessionSource, context: ChatPanelContext) {
    this.#sessions = sessions;
    this.#context = context;
  }

  /** The panel that has the focus, else the one that had it last and is still open. */
  get active(): ChatPanel | undefined {
    const panels = [...this.#panels];
    return panels.find((panel) => panel.isActive) ?? panels.at(-1);
  }

  /** Opens a panel with a new conversation. */
  async openNew(): Promise<ChatPanel> {
    return this.#show(await this.#sessions.create());
  }

  /** Shows the conversation: in the panel that has it already, else in a new one. */
  async open(conversationId: string): Promise<ChatPanel> {
    const existing = [...this.#panels].find((panel) => panel.session.id === conversationId);
    if (existing === undefined) return this.#show(await this.#sessions.open(conversationId));
    existing.reveal();
    return existing;
  }

  /** Closes the panel with the conversation, where there is one. */
  close(conversationId: string): void {
    for (const panel of [...this.#panels]) if (panel.session.id === conversationId) panel.close();
  }

  isShown(session: ChatSession): boolean {
    return [...this.#panels].some((panel) => panel.session === session);
  }

  /** Tells every page that models or set-up have changed. */
  updateSurroundings(): void {
    for (const panel of this.#panels) panel.updateSurroundings();
  }

  dispose(): void {
    this.#onDidChangeActive.dispose();
    for (const panel of [...this.#panels]) panel.dispose();
  }

  #show(session: ChatSession): ChatPanel {
    const panel = vscode.window.createWebviewPanel(chatViewType, session.title, vscode.ViewColumn.Active, {
      enableFindWidget: true,
    });
    const shown = this.#adopt(panel, session);
    shown.focusWhenReady();
    return shown;
  }

  /** Gives a panel of an earlier session its conversation back. */
  async restore(panel: vscode.WebviewPanel, state: unknown): Promise<void> {
    const id = isRecord(state) ? stringField(state, "conversationId") : undefined;
    this.#adopt(panel, await (id === undefined ? this.#sessions.create() : this.#sessions.open(id)));
  }

  #adopt(webviewPanel: vscode.WebviewPanel, session: ChatSession): ChatPanel {
    const panel = new ChatPanel(webviewPanel, session, this.#context);
    this.#panels.add(panel);
    panel.onDidChangeViewState(() => this.#onDidChangeActive.fire());
    panel.onDidDispose(() => {
      this.#panels.delete(panel);
      if (!this.isShown(session)) this.#sessions.release(session);
      this.#onDidChangeActive.fire();
    });
    this.#onDidChangeActive.fire();
    return panel;
  }
}
