import * as vscode from "vscode";
import { chatViewTypes } from "./chatViewType.ts";

/** How long the tab is waited for, in milliseconds. */
const patienceMs = 1_500;

/**
 * Where a chat to the side is alone in the active group, files are to open beside it, not over it: its group is locked,
 * as VS Code does with terminals among the editors. The user may unlock it by a click.
 */
export async function lockGroupOfChat(): Promise<void> {
  if (await isSoon(isChatAlone)) await vscode.commands.executeCommand("workbench.action.lockEditorGroup");
}

/** Chats stay together: where one is shown another opens, also in a group that is locked against all else. */
export function columnOfChats(): vscode.ViewColumn {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  const showing = all.filter(({ activeTab }) => isChat(activeTab));
  const group = showing.find((candidate) => candidate === activeTabGroup) ?? showing.at(-1);
  return group?.viewColumn ?? vscode.ViewColumn.Active;
}

/** Whether the only tab of the only group is active: moved away, it would take its group with it. */
export function isAloneInWindow(): boolean {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  return all.length === 1 && activeTabGroup.tabs.length === 1;
}

function isChatAlone(): boolean {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  return all.length > 1 && activeTabGroup.tabs.length === 1 && isChat(activeTabGroup.activeTab);
}

function isChat(tab: vscode.Tab | undefined): boolean {
  if (!(tab?.input instanceof vscode.TabInputWebview)) return false;
  const { viewType } = tab.input;
  return chatViewTypes.some((type) => viewType.endsWith(type));
}

/** Whether it becomes so soon: tabs are reported a moment after they have moved. */
function isSoon(test: () => boolean): Promise<boolean> {
  if (test()) return Promise.resolve(true);
  return new Promise((resolve) => {
    const { onDidChangeTabGroups, onDidChangeTabs } = vscode.window.tabGroups;
    const check = (isOver: boolean): void => {
      const isSo = test();
      if (!isSo && !isOver) return;
      clearTimeout(timer);
      listeners.dispose();
      resolve(isSo);
    };
    const timer = setTimeout(() => check(true), patienceMs);
    const listeners = vscode.Disposable.from(
      onDidChangeTabGroups(() => check(false)),
      onDidChangeTabs(() => check(false)),
    );
  });
}
