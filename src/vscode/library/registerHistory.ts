import * as vscode from "vscode";
import { setContextKey } from "../shell/contextKey.ts";
import { registerEach } from "../shell/registerCommands.ts";
import { conversationIdOf } from "./historyNode.ts";
import type { HistoryNode } from "./historyNode.ts";
import type { History } from "./history.ts";
import type { HistoryTree } from "./historyTree.ts";

const viewId = "inferenceGateway.conversations";

/**
 * Registers the "Conversations" view and its commands; `load` is called at the first use of either, and the tree is
 * loaded when VS Code first asks for its rows.
 * @param onBadge Fires with the badge of the view whenever it changes.
 * @param storageUri The folder of the conversations.
 */
export function registerHistory(
  load: () => Promise<History>,
  onBadge: vscode.Event<vscode.ViewBadge | undefined>,
  storageUri: vscode.Uri,
): vscode.Disposable {
  let tree: Promise<HistoryTree> | undefined;
  const changed = new vscode.EventEmitter<undefined>();
  const createTree = async (): Promise<HistoryTree> => {
    const created = new (await import("./historyTree.ts")).HistoryTree(
      {
        groups: async () => (await load()).groups(),
        version: async () => (await load()).version(),
        trouble: async () => (await load()).trouble ?? "",
      },
      view,
    );
    created.onDidChangeTreeData(() => changed.fire(undefined));
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
  // Once the extension is active, not before: this looks at the disk.
  const timer = setTimeout(() => {
    void import("../conversation/storageLocation.ts").then(({ hasConversations, storageLabel }) => {
      view.description = storageLabel() ?? "";
      const isThere = hasConversations(storageUri);
      setContextKey("inferenceGateway.hasConversations", isThere);
    });
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
    view.onDidChangeVisibility(({ visible }) => void tree?.then((loaded) => loaded.setVisible(visible))),
    registerEach("history", (name) => async (argument: unknown) => {
      if (name === "showMoreConversations") return (await loadTree()).showMore(argument);
      const [history, { historyCommands }] = await Promise.all([load(), import("./history.ts")]);
      // A key pressed in the tree applies to the focused row, and does nothing if that is a group.
      const id = conversationIdOf(argument === "focused" ? await history.focused(view) : argument);
      if (id === undefined && argument === "focused") return;
      const changed = (await historyCommands[name](history, id)) ?? [];
      await (await tree)?.look();
      const row = changed.length === 0 ? undefined : await (await loadTree()).find(changed);
      if (row !== undefined) await view.reveal(row, { select: true, focus: true });
    }),
  );
}
