import * as vscode from "vscode";
import { chatFileViewType, chatViewTypes } from "./chatViewType.ts";

/** How long to wait for the tab, in milliseconds. */
const patienceMs = 1_500;

/**
 * If a chat to the side is alone in the active group, files should open next to it instead of in its group. The group
 * is locked, as VS Code does for terminals in the editor area. The user can unlock it with one click.
 */
export async function lockGroupOfChat(): Promise<void> {
  if (await isSoon(isChatAlone)) await vscode.commands.executeCommand("workbench.action.lockEditorGroup");
}

/**
 * Keeps chats together: a new one opens where another is visible, even in a group that is locked for everything else.
 */
export function columnOfChats(): vscode.ViewColumn {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  const showing = all.filter(({ activeTab }) => isChat(activeTab));
  const group = showing.find((candidate) => candidate === activeTabGroup) ?? showing.at(-1);
  return group?.viewColumn ?? vscode.ViewColumn.Active;
}

/** Whether the active tab is the only one of the only group, so that moving it would take its group along. */
export function isAloneInWindow(): boolean {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  return all.length === 1 && activeTabGroup.tabs.length === 1;
}

function isChatAlone(): boolean {
  const { all, activeTabGroup } = vscode.window.tabGroups;
  return all.length > 1 && activeTabGroup.tabs.length === 1 && isChat(activeTabGroup.activeTab);
}

function isChat(tab: vscode.Tab | undefined): boolean {
  if (tab?.input instanceof vscode.TabInputCustom) return tab.input.viewType === chatFileViewType;
  if (!(tab?.input instanceof vscode.TabInputWebview)) return false;
  const { viewType } = tab.input;
  return chatViewTypes.some((type) => viewType.endsWith(type));
}

/** Whether the condition is met soon: tabs are reported shortly after they have moved. */
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
