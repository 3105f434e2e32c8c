import * as vscode from "vscode";
import { parseTableView } from "../../../core/servers/table/tableView.ts";
import type { ServersView } from "../serversView.ts";
import { TablePanel } from "./tablePanel.ts";
import type { TablePanelContext } from "./tablePanel.ts";
import { tableViewType } from "./tableViewType.ts";

const viewKey = "inferenceGateway.servers.table";

/** The table of servers in the editor area. There is one per window, which a second call brings to the front. */
export class ServerTables implements vscode.Disposable {
  readonly #serversView: ServersView;
  readonly #extensionUri: vscode.Uri;
  readonly #state: vscode.Memento;
  readonly #panels = new Set<TablePanel>();

  constructor(serversView: ServersView, extensionUri: vscode.Uri, state: vscode.Memento) {
    this.#serversView = serversView;
    this.#extensionUri = extensionUri;
    this.#state = state;
  }

  /** Opens the table as it was last shown, with the tree's filter. */
  show(): void {
    const [open] = this.#panels;
    if (open !== undefined) return open.reveal();
    const title = vscode.l10n.t("GPU Servers");
    const panel = vscode.window.createWebviewPanel(tableViewType, title, vscode.ViewColumn.Active);
    const { filter } = this.#serversView.arrangement;
    this.#adopt(panel, { ...parseTableView(this.#state.get(viewKey)), filter });
  }

  /** Restores a panel from the last session. */
  restore(panel: vscode.WebviewPanel, state: unknown): void {
    this.#adopt(panel, state);
  }

  dispose(): void {
    for (const panel of [...this.#panels]) panel.dispose();
  }

  #adopt(webview: vscode.WebviewPanel, state: unknown): void {
    const context: TablePanelContext = {
      serversView: this.#serversView,
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
