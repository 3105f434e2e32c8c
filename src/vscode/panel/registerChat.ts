import * as vscode from "vscode";
import type { Composition } from "../../core/compose/context/contextProtocol.ts";
import type { ConversationStore } from "../../core/conversation/conversationStore.ts";
import { showMoreCommand } from "../shell/commandIds.ts";
import { registerEach } from "../shell/registerCommands.ts";
import { chatViewId, chatViewTypes } from "./chatViewType.ts";
import type { ChatContext, ChatServices } from "./chatServices.ts";
import { setContextKey } from "../shell/contextKey.ts";
import { conversationIdOf } from "../library/historyNode.ts";
import type { HistoryNode } from "../library/historyNode.ts";
import type { History } from "../library/history.ts";
import type { HistoryTree } from "../library/historyTree.ts";

const viewId = "inferenceGateway.conversations";

interface HistoryContext {
  /** Fires with the badge of the view whenever it changes. */
  readonly onBadge: vscode.Event<vscode.ViewBadge | undefined>;
  /** Fires with the ID of the active chat's conversation. */
  readonly onActive: vscode.Event<string | undefined>;
  /** The folder of the conversations. */
  readonly storageUri: vscode.Uri;
}

/**
 * Registers the "Conversations" view and its commands; `load` is called at the first use of either, and the tree is
 * loaded when VS Code first asks for its rows.
 */
function registerHistory(
  load: () => Promise<History>,
  { onBadge, onActive, storageUri }: HistoryContext,
): vscode.Disposable {
  let tree: Promise<HistoryTree> | undefined;
  const changed = new vscode.EventEmitter<undefined>();
  const createTree = async (): Promise<HistoryTree> => {
    const created = new (await import("../library/historyTree.ts")).HistoryTree(
      {
        groups: async () => (await load()).groups(),
        version: async () => (await load()).version(),
        trouble: async () => (await load()).trouble ?? "",
      },
      view,
    );
    created.onDidChangeTreeData(() => {
      changed.fire(undefined);
      void follow();
    });
    created.setVisible(view.visible);
    return created;
  };
  const loadTree = (): Promise<HistoryTree> => (tree ??= createTree());
  const view = vscode.window.createTreeView<HistoryNode>(viewId, {
    treeDataProvider: {
      onDidChangeTreeData: changed.event,
      getChildren: async (node) => (await loadTree()).getChildren(node),
      getTreeItem: async (node) => (await loadTree()).getTreeItem(node),
      getParent: async (node) => (await loadTree()).getParent(node),
    },
    showCollapseAll: true,
  });
  /** The active chat's conversation, until its row has been selected. A new one isn't listed before its first message. */
  let followed: string | undefined;
  const follow = async (): Promise<void> => {
    if (followed === undefined || !view.visible) return;
    const id = followed;
    const isSelected = view.selection.some((node) => conversationIdOf(node) === id);
    const row = isSelected ? undefined : await (await loadTree()).find([id]);
    if (followed !== id || (row === undefined && !isSelected)) return;
    followed = undefined;
    // The row may be gone by then.
    if (row !== undefined)
      await view.reveal(row, { select: true, focus: false }).then(undefined, () => undefined);
  };
  // Once the extension is active, not before: this looks at the disk.
  const timer = setTimeout(() => {
    void import("../conversation/storageLocation.ts").then(({ hasConversations }) =>
      setContextKey("inferenceGateway.hasConversations", hasConversations(storageUri)),
    );
  });
  return vscode.Disposable.from(
    view,
    changed,
    onBadge((badge) => (view.badge = badge)),
    {
      dispose() {
        clearTimeout(timer);
        void tree?.then((loaded) => loaded.dispose());
      },
    },
    view.onDidChangeVisibility(({ visible }) => {
      void tree?.then((loaded) => loaded.setVisible(visible));
      void follow();
    }),
    onActive((id) => {
      followed = id;
      void follow();
    }),
    vscode.commands.registerCommand(showMoreCommand, async (node: unknown) =>
      (await loadTree()).showMore(node),
    ),
    registerEach("history", (name) => async (...called: readonly unknown[]) => {
      const [history, { runHistoryCommand }] = await Promise.all([load(), import("../library/history.ts")]);
      const changed = await runHistoryCommand(name, history, view, called);
      await (await tree)?.look();
      const row = changed.length === 0 ? undefined : await (await loadTree()).find(changed);
      if (row !== undefined) await view.reveal(row, { select: true, focus: true });
    }),
  );
}

/** Milliseconds in which every window has noticed what it would show a notice about. */
const noticeMs = 360_000;

/** What the rest of the extension needs from the chat. */
interface RegisteredChat extends vscode.Disposable {
  /** Opens a new chat with this in its composer. */
  openWith(composition: Composition): Promise<void>;
  /** The stored conversations, opened at the first call. */
  conversations(): Promise<ConversationStore>;
  /** Whether this window is the one to show a notice that all windows have a reason to show. */
  claimNotice(text: string): Promise<boolean>;
  /** The last message of the user in the active chat. */
  lastMessage(): Promise<string | undefined>;
}

/** Registers the chat's commands and the restoration of its panels. The implementation is loaded at the first use. */
export function registerChat(context: Omit<ChatContext, "showBadge" | "showActive">): RegisteredChat {
  const badge = new vscode.EventEmitter<vscode.ViewBadge | undefined>();
  const active = new vscode.EventEmitter<string | undefined>();
  let chat: Promise<ChatServices> | undefined;
  const load = (): Promise<ChatServices> =>
    (chat ??= import("./chatServices.ts").then(
      ({ ChatServices }) =>
        new ChatServices({
          ...context,
          showBadge: (shown) => badge.fire(shown),
          showActive: (id) => active.fire(id),
        }),
    ));
  const registered = vscode.Disposable.from(
    registerEach("chat", (name) => async (clicked, selected) => {
      const [services, { runCommand }] = await Promise.all([load(), import("./chatCommands.ts")]);
      // The result isn't returned to the caller of the command.
      await runCommand(name, services, clicked, selected);
    }),
    ...chatViewTypes.map((viewType) =>
      vscode.window.registerWebviewPanelSerializer(viewType, {
        deserializeWebviewPanel: async (panel, state: unknown) => (await load()).panels.restore(panel, state),
      }),
    ),
    vscode.window.registerWebviewViewProvider(chatViewId, {
      resolveWebviewView: async (view, { state }) => (await load()).panels.resolveView(view, state),
    }),
    badge,
    active,
    registerHistory(async () => (await load()).history, {
      onBadge: badge.event,
      onActive: active.event,
      storageUri: context.storageUri,
    }),
    { dispose: () => void chat?.then((loaded) => loaded.dispose()) },
  );
  return {
    openWith: async (composition) => (await (await load()).panels.openNew()).compose(composition),
    conversations: async () => (await load()).sessions.store(),
    // Showing it twice is better than not at all.
    claimNotice: async (text) =>
      (await (await load()).sessions.store())
        .claim("notice", text, noticeMs)
        .then((claim) => claim !== "taken"),
    lastMessage: async () =>
      (await chat)?.panels.active?.session.state.messages.findLast(
        ({ role, text }) => role === "user" && text !== "",
      )?.text,
    dispose: () => registered.dispose(),
  };
}
