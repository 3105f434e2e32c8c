import * as vscode from "vscode";
import { KeptConversations } from "../library/keptConversations.ts";
import type { KeptConversationsContext } from "../library/keptConversations.ts";
import type { Sessions } from "../conversation/sessions.ts";
import type { ChatPanel } from "./chatPanel.ts";
import type { ChatPanels } from "./chatPanels.ts";
import { chatFileViewType } from "./chatViewType.ts";

/** An open file. */
export interface ChatFile extends vscode.CustomDocument {
  readonly conversationId: string;
}

/** How long to wait for the editor of a file, in milliseconds. */
const patienceMs = 5_000;

/**
 * The chat as the editor of a conversation in a repository. It is a read-only editor for VS Code, because the engine
 * writes by itself: a response is stored while it arrives, and appended to the file once it is complete. There is no
 * unsaved state that could be lost, undone or saved over what Git has merged.
 */
export class ChatFileEditor implements vscode.CustomReadonlyEditorProvider<ChatFile>, vscode.Disposable {
  readonly #panels: ChatPanels;
  readonly #sessions: Sessions;
  readonly #kept: KeptConversations;

  constructor(
    panels: ChatPanels,
    sessions: Sessions,
    context: Omit<KeptConversationsContext, "store" | "find" | "isShown">,
  ) {
    this.#panels = panels;
    this.#sessions = sessions;
    this.#kept = new KeptConversations({
      ...context,
      store: () => sessions.store(),
      find: (id) => sessions.find(id),
      isShown: (session) => panels.isShown(session),
    });
  }

  async openCustomDocument(uri: vscode.Uri): Promise<ChatFile> {
    return { uri, conversationId: await this.#kept.open(uri), dispose: () => undefined };
  }

  async resolveCustomEditor({ uri, conversationId }: ChatFile, panel: vscode.WebviewPanel): Promise<void> {
    const session = await this.#sessions.open(conversationId);
    await this.#panels.restore(panel, { conversationId });
    this.#kept.follow(uri, session);
    panel.onDidDispose(() => void this.#kept.release(uri, session));
  }

  /** Asks for a file in the workspace, writes the conversation to it, and continues there. */
  async keep(conversationId: string): Promise<void> {
    const store = await this.#sessions.store();
    const conversation = store.load(conversationId);
    if (conversation === undefined) return;
    const uri = await this.#kept.keep(conversation);
    if (uri === undefined) return;
    this.#panels.close(conversationId);
    await show(uri);
  }

  /** Shows the conversation, in the editor of its file if it is kept in one. */
  async openConversation(conversationId: string): Promise<ChatPanel> {
    const uri =
      this.#panels.find(conversationId) === undefined ? await this.#kept.fileOf(conversationId) : undefined;
    if (uri === undefined) return this.#panels.open(conversationId);
    const opened = this.#panels.whenShown(conversationId, patienceMs);
    await show(uri);
    await opened;
    return this.#panels.open(conversationId);
  }

  retag(...tags: Parameters<KeptConversations["retag"]>): Promise<void> {
    return this.#kept.retag(...tags);
  }

  dispose(): void {
    this.#kept.dispose();
  }
}

async function show(uri: vscode.Uri): Promise<void> {
  await vscode.commands.executeCommand("vscode.openWith", uri, chatFileViewType);
}
