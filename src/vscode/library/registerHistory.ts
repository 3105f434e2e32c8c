import * as vscode from "vscode";
import { inertText } from "../../core/conversation/inertText.ts";
import { commandIds } from "../shell/commandIds.ts";
import { conversationIdOf, moreGroupOf } from "./historyNode.ts";
import type { HistoryNode } from "./historyNode.ts";
import type { History } from "./history.ts";
import { HistoryTree } from "./historyTree.ts";

const viewId = "inferenceGateway.conversations";

/** Registers the "Conversations" view and its commands; `load` is called at the first use of either. */
export function registerHistory(load: () => Promise<History>): vscode.Disposable {
  let shownTrouble = "";
  const tree = new HistoryTree({
    groups: async () => (await load()).groups(),
    version: async () => (await load()).version(),
    async showTrouble() {
      const { trouble = "" } = await load();
      if (shownTrouble === trouble) return;
      shownTrouble = trouble;
      view.message = inertText(trouble);
    },
  });
  const view: vscode.TreeView<HistoryNode> = vscode.window.createTreeView(viewId, {
    treeDataProvider: tree,
    showCollapseAll: true,
  });
  const register = (id: string, run: (history: History, conversationId?: string) => Promise<void>) =>
    vscode.commands.registerCommand(id, async (argument: unknown) => {
      const history = await load();
      // A key pressed in the tree applies to the focused row, and does nothing if that is a group.
      const id = conversationIdOf(argument === "focused" ? await history.focused(view) : argument);
      if (id !== undefined || argument !== "focused") await run(history, id);
      await tree.look();
    });
  tree.setVisible(view.visible);
  return vscode.Disposable.from(
    view,
    tree,
    view.onDidChangeVisibility(({ visible }) => tree.setVisible(visible)),
    vscode.commands.registerCommand(commandIds.showMoreConversations, (argument: unknown) => {
      const groupId = moreGroupOf(argument);
      if (groupId !== undefined) tree.showMore(groupId);
    }),
    register(commandIds.openConversation, (history, id) => history.open(id)),
    register(commandIds.searchConversations, (history) => history.open()),
    register(commandIds.renameConversation, (history, id) => history.rename(id)),
    register(commandIds.pinConversation, (history, id) => history.pin(id, true)),
    register(commandIds.unpinConversation, (history, id) => history.pin(id, false)),
    register(commandIds.deleteConversation, (history, id) => history.delete(id)),
    register(commandIds.exportMarkdown, (history, id) => history.export(id, "md")),
    register(commandIds.exportJson, (history, id) => history.export(id, "json")),
    register(commandIds.importConversations, (history) => history.import()),
  );
}
