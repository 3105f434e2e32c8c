import * as vscode from "vscode";

/** The resources that VS Code hands to a command of the explorer, a tab or the palette. */
export function chosenUris(clicked: unknown, selected: unknown): readonly vscode.Uri[] {
  const list: readonly unknown[] = Array.isArray(selected) && selected.length > 0 ? selected : [clicked];
  return list.filter((uri) => uri instanceof vscode.Uri);
}
