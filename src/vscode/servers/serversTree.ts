import * as vscode from "vscode";
import type { Row, RowChange } from "../../core/servers/tree/rows.ts";

/** What the tree shows, once it is loaded. */
export interface TreeRows {
  childrenOf(row: Row | undefined): readonly Row[];
  parentOf(row: Row): Row | undefined;
  createItem(row: Row): vscode.TreeItem;
}

/** The tree "GPU Servers". What it shows is loaded when VS Code first asks for it: not before the view was seen. */
export class ServersTree implements vscode.TreeDataProvider<Row>, vscode.Disposable {
  readonly #load: () => Promise<TreeRows>;
  readonly #onDidChangeTreeData = new vscode.EventEmitter<Row[] | undefined>();

  readonly onDidChangeTreeData = this.#onDidChangeTreeData.event;

  constructor(load: () => Promise<TreeRows>) {
    this.#load = load;
  }

  /** Told to VS Code only where something that shows changed. */
  tell(change: RowChange): void {
    if (change !== "none") this.#onDidChangeTreeData.fire(change === "list" ? undefined : [...change]);
  }

  async getChildren(row?: Row): Promise<Row[]> {
    return [...(await this.#load()).childrenOf(row)];
  }

  async getParent(row: Row): Promise<Row | undefined> {
    return (await this.#load()).parentOf(row);
  }

  async getTreeItem(row: Row): Promise<vscode.TreeItem> {
    return (await this.#load()).createItem(row);
  }

  /** Called once a hover; what makes tooltips is loaded with the first of them. */
  async resolveTreeItem(item: vscode.TreeItem, row: Row): Promise<vscode.TreeItem> {
    const { createTooltip } = await import("./serverTooltip.ts");
    item.tooltip = createTooltip(row);
    return item;
  }

  dispose(): void {
    this.#onDidChangeTreeData.dispose();
  }
}
