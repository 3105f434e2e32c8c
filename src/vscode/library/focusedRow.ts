import * as vscode from "vscode";
import type { HistoryNode } from "./historyNode.ts";

/**
 * The row that has the keyboard's focus. VS Code tells an extension only which rows are selected: the one with the
 * focus is added to them, or taken from them, and put back.
 */
export async function readFocusedRow(view: vscode.TreeView<HistoryNode>): Promise<HistoryNode | undefined> {
  const before = view.selection;
  await toggleSelection();
  const after = view.selection;
  await toggleSelection();
  return after.find((node) => !before.includes(node)) ?? before.find((node) => !after.includes(node));
}

function toggleSelection(): Thenable<unknown> {
  return vscode.commands.executeCommand("list.toggleSelection");
}
