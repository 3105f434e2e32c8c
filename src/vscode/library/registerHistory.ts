import * as vscode from "vscode";
import { inertText } from "../../core/conversation/inertText.ts";
import { storageLabel } from "../conversation/storageLocation.ts";
import { registerCommands } from "../shell/registerCommands.ts";
import { conversationIdOf } from "./historyNode.ts";
import type { HistoryNode } from "./historyNode.ts";
import type { History } from "./history.ts";
import type { HistoryTree } from "./historyTree.ts";

const viewId = "inferenceGateway.conversations";

/**
 * Registers the "Conversations" view and its commands; `load` is called at the first use of either, and the tree is
 * loaded when VS Code first asks for its rows.
 * @param onBadge Fires with the badge of the view whenever it changes.
 */
export function registerHistory(
  load: () => Promise<History>,
  onBadge: vscode.Event<vscode.ViewBadge | undefined>,
): vscode.Disposable {
  let shownTrouble = "";
  let tree: Promise<HistoryTree> | undefined;
  const changed = new vscode.EventEmitter<undefined>();
  const createTree = async (): Promise<HistoryTree> => {
    const { HistoryTree: Tree } = await import("./historyTree.ts");
    const created = new Tree({
      groups: async () => (await load()).groups(),
      version: async () => (await load()).version(),
      async showTrouble() {
        const { trouble = "" } = await load();
        if (shownTrouble === trouble) return;
        shownTrouble = trouble;
        view.message = inertText(trouble);
      },
    });
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
    },
    showCollapseAll: true,
  });
  view.description = storageLabel() ?? "";
  const onRow =
    (run: (history: History, conversationId?: string) => Promise<void>) => async (argument: unknown) => {
      const history = await load();
      // A key pressed in the tree applies to the focused row, and does nothing if that is a group.
      const id = conversationIdOf(argument === "focused" ? await history.focused(view) : argument);
      if (id !== undefined || argument !== "focused") await run(history, id);
      await (await tree)?.look();
    };
  return vscode.Disposable.from(
    view,
    changed,
    onBadge((badge) => (view.badge = badge)),
    { dispose: () => void tree?.then((loaded) => loaded.dispose()) },
    view.onDidChangeVisibility(({ visible }) => void tree?.then((loaded) => loaded.setVisible(visible))),
    registerCommands("history", {
      showMoreConversations: async (argument: unknown) => (await loadTree()).showMore(argument),
      openConversation: onRow((history, id) => history.open(id)),
      searchConversations: onRow((history) => history.open()),
      renameConversation: onRow((history, id) => history.rename(id)),
      pinConversation: onRow((history, id) => history.pin(id, true)),
      unpinConversation: onRow((history, id) => history.pin(id, false)),
      deleteConversation: onRow((history, id) => history.delete(id)),
      exportMarkdown: onRow((history, id) => history.export(id, "md")),
      exportJson: onRow((history, id) => history.export(id, "json")),
      exportHtml: onRow((history, id) => history.export(id, "html")),
      copyAsMarkdown: onRow((history, id) => history.copyAsMarkdown(id)),
      keepInRepository: onRow((history, id) => history.keep(id)),
      importConversations: onRow((history) => history.import()),
      revealConversationStorage: onRow((history) => history.revealStorage()),
      deleteDamagedFiles: onRow((history) => history.deleteDamagedFiles()),
    }),
  );
}
