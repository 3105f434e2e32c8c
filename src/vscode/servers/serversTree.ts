import * as vscode from "vscode";
import type { ServerListState } from "../../core/servers/serverListState.ts";
import type { Row } from "../../core/servers/serverRows.ts";
import { ServerRows } from "../../core/servers/serverRows.ts";

/** The tree "GPU Servers": flat, in the order of the gateway, told to VS Code only where something that shows changed. */
export class ServersTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #onDidChangeTreeData = new vscode.EventEmitter<Row[] | undefined>();
  readonly #unsubscribe: () => void;
  readonly rows = new ServerRows(() => Date.now());

  readonly onDidChangeTreeData = this.#onDidChangeTreeData.event;

  constructor(list: ServerListState) {
    this.rows.update(list.current);
    this.#unsubscribe = list.onDidChange((snapshot) => {
      const change = this.rows.update(snapshot);
      if (change !== "none") this.#onDidChangeTreeData.fire(change === "list" ? undefined : [...change]);
    });
  }

  getChildren(row?: Row): Row[] {
    return row === undefined ? [...this.rows.all] : [];
  }

  /** What makes items is loaded with the first row: there is none before the view was seen. */
  async getTreeItem(row: Row): Promise<vscode.TreeItem> {
    const { createTreeItem } = await import("./serverTreeItem.ts");
    return createTreeItem(row);
  }

  /** Called once a hover; what makes tooltips is loaded with the first of them. */
  async resolveTreeItem(item: vscode.TreeItem, row: Row): Promise<vscode.TreeItem> {
    const { createTooltip } = await import("./serverTooltip.ts");
    item.tooltip = createTooltip(row);
    return item;
  }

  dispose(): void {
    this.#unsubscribe();
    this.#onDidChangeTreeData.dispose();
  }
}
