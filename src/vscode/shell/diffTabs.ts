import * as vscode from "vscode";

/**
 * The ID of the diff in the tab: the query of its right side, if that has this scheme. Undefined for other tabs. VS
 * Code replaces its tab objects, so that IDs have to be kept instead.
 */
function diffIdOf(tab: vscode.Tab | undefined, scheme: string): string | undefined {
  const input = tab?.input;
  if (!(input instanceof vscode.TabInputTextDiff)) return undefined;
  return input.modified.scheme === scheme ? input.modified.query : undefined;
}

/**
 * Calls the listener with the ID of each diff of this scheme whose last tab was closed. A diff that was moved to
 * another group, or is open in two groups, still exists.
 */
export function onDidCloseDiff(scheme: string, listener: (id: string) => void): vscode.Disposable {
  const { tabGroups } = vscode.window;
  const readIds = (): ReadonlySet<string> => {
    const tabs = tabGroups.all.flatMap((group) => group.tabs);
    return new Set(tabs.flatMap((tab) => diffIdOf(tab, scheme) ?? []));
  };
  let open = readIds();
  const update = (): void => {
    const before = open;
    open = readIds();
    for (const id of before) if (!open.has(id)) listener(id);
  };
  // VS Code reports some changes of tabs only as changes of their groups: whenever it builds its list of tabs again.
  return vscode.Disposable.from(tabGroups.onDidChangeTabs(update), tabGroups.onDidChangeTabGroups(update));
}

/** All tabs with this diff, which may be open in several groups. */
export function diffTabs(scheme: string, id: string): readonly vscode.Tab[] {
  const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs);
  return tabs.filter((tab) => diffIdOf(tab, scheme) === id);
}

/**
 * The ID of the diff whose button was clicked; undefined if it has another scheme. Of the active diff if none was
 * clicked. A button in the title of a diff passes the right side of that diff, which doesn't have to be the active one.
 */
export function clickedDiff(clicked: unknown, scheme: string): string | undefined {
  if (clicked instanceof vscode.Uri) return clicked.scheme === scheme ? clicked.query : undefined;
  return diffIdOf(vscode.window.tabGroups.activeTabGroup.activeTab, scheme);
}
