import * as vscode from "vscode";
import { parseTableView } from "../../../core/servers/table/tableView.ts";
import type { FleetView } from "../fleetView.ts";
import { TablePanel } from "./tablePanel.ts";
import type { TablePanelContext } from "./tablePanel.ts";
import { tableViewType } from "./tableViewType.ts";

const viewKey = "inferenceGateway.servers.table";

/** The table of servers in the editor area: one in a window, which a second call brings to the front. */
export class ServerTables implements vscode.Disposable {
  readonly #fleet: FleetView;
  readonly #extensionUri: vscode.Uri;
  readonly #state: vscode.Memento;
  readonly #panels = new Set<TablePanel>();

  constructor(fleet: FleetView, extensionUri: vscode.Uri, state: vscode.Memento) {
    this.#fleet = fleet;
    this.#extensionUri = extensionUri;
    this.#state = state;
  }

  /** Opens the table as it was left, with the filter of the tree. */
  show(): void {
    const [open] = this.#panels;
    if (open !== undefined) return open.reveal();
    const title = vscode.l10n.t("GPU Servers");
    const panel = vscode.window.createWebviewPanel(tableViewType, title, vscode.ViewColumn.Active);
    const { filter } = this.#fleet.arrangement;
    this.#adopt(panel, { ...parseTableView(this.#state.get(viewKey)), filter });
  }

  /** Fills a panel of the last session again. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    this.#adopt(panel, state);
  }

  dispose(): void {
    for (const panel of [...this.#panels]) panel.dispose();
  }

  #adopt(webview: vscode.WebviewPanel, state: unknown): void {
    const context: TablePanelContext = {
      fleet: this.#fleet,
      extensionUri: this.#extensionUri,
      keep: (view) => void this.#state.update(viewKey, view),
    };
    const panel = new TablePanel(webview, parseTableView(state), context);
    this.#panels.add(panel);
    webview.onDidDispose(() => {
      panel.dispose();
      this.#panels.delete(panel);
    });
  }
}
