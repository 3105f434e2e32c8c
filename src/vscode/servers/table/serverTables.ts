import * as vscode from "vscode";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import type { MessageHandlers } from "../../../core/kernel/pageMessages.ts";
import { tableDocument } from "../../../core/panel/pages/pageDocument.ts";
import { filterCompletions } from "../../../core/servers/filter/filterCompletions.ts";
import { columnLabel, offeredColumns } from "../../../core/servers/table/columns.ts";
import type { ColumnId } from "../../../core/servers/table/columns.ts";
import { TableModel } from "../../../core/servers/table/tableModel.ts";
import { fromTable } from "../../../core/servers/table/tableProtocol.ts";
import type { FromTable, ToTable, TableRemedy } from "../../../core/servers/table/tableProtocol.ts";
import { parseTableView } from "../../../core/servers/table/tableView.ts";
import type { TableView } from "../../../core/servers/table/tableView.ts";
import { countText } from "../../../core/servers/tree/rowLabels.ts";
import { rowFacts, subjectsOf } from "../../../core/servers/tree/rows.ts";
import type { ServerRow, ServerSection } from "../../../core/servers/tree/rows.ts";
import { runRemedy } from "../../account/runRemedy.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { loadPage, receiveMessages, tabIcon } from "../../shell/webviewPage.ts";
import { setStatusBarMessage, showQuickPick } from "../../shell/window.ts";
import type { ServersView } from "../serversView.ts";
import { tableViewType } from "./tableViewType.ts";

interface TablePanelContext {
  readonly serversView: ServersView;
  readonly extensionUri: vscode.Uri;
  /** Stores how the table is shown. */
  keep(view: TableView): void;
}

/** Runs the table of servers: sends the server lists to the page, and turns the user's actions there into commands. */
class TablePanel implements vscode.Disposable {
  readonly #panel: vscode.WebviewPanel;
  readonly #context: TablePanelContext;
  readonly #serversView: ServersView;
  readonly #model: TableModel;
  readonly #listeners: vscode.Disposable;
  /** Whether there is a page that has received the model's messages. */
  #isReady = false;

  constructor(panel: vscode.WebviewPanel, view: TableView, context: TablePanelContext) {
    this.#panel = panel;
    this.#context = context;
    this.#serversView = context.serversView;
    this.#model = new TableModel(view);
    panel.iconPath = tabIcon(context.extensionUri);
    this.#listeners = vscode.Disposable.from(
      { dispose: this.#serversView.onDidPaint(() => this.#update()) },
      receiveMessages<FromTable>(
        panel.webview,
        fromTable,
        this.#createHandlers(),
        context.serversView.context.log,
      ),
      panel.onDidChangeViewState(() => this.#look()),
    );
    loadPage(panel.webview, context.extensionUri, tableDocument);
    this.#look();
  }

  /** The server to which commands apply while the table has the focus. */
  get selection(): ServerRow | undefined {
    const { selected } = this.#model.view;
    return this.#panel.active && selected !== undefined ? this.#serversView.rowOf(selected) : undefined;
  }

  reveal(): void {
    this.#panel.reveal();
  }

  dispose(): void {
    this.#listeners.dispose();
    this.#serversView.setViewer(this, undefined);
  }

  /** A hidden panel's page is gone, so nothing is requested for it. */
  #look(): void {
    const { visible } = this.#panel;
    if (!visible) this.#isReady = false;
    this.#serversView.setViewer(this, visible ? this : undefined);
  }

  #createHandlers(): MessageHandlers<FromTable> {
    const model = this.#model;
    return {
      ready: () => {
        this.#isReady = true;
        this.#post(model.begin(this.#sections, Date.now()));
      },
      filter: ({ text }) => {
        model.filter(text);
        this.#arranged();
        this.#complete(text);
      },
      sort: ({ sort }) => {
        model.sort(sort);
        this.#arranged();
      },
      chooseColumns: () => this.#chooseColumns(),
      copyTable: () => this.#copy(),
      refresh: () => this.#serversView.refresh(),
      select: ({ handle }) => {
        this.#serversView.selectedInViewer();
        this.#post(model.select(handle));
      },
      scrolled: ({ handle }) => model.scrolled(handle),
      open: ({ handle }) => this.#open(handle),
      menu: ({ handle }) => this.#offerMenu(handle),
      act: ({ action, profileName }) => this.#fix(action, profileName),
      pageError: ({ message }) =>
        this.#serversView.context.log.error(`The table of servers failed: ${message}`),
    };
  }

  get #sections(): readonly ServerSection[] {
    return this.#serversView.lists.sections;
  }

  #update(): void {
    if (this.#isReady) this.#post(this.#model.update(this.#sections, Date.now()));
  }

  #arranged(): void {
    this.#context.keep(this.#model.view);
    this.#update();
  }

  async #fix(remedy: TableRemedy, profileName: string): Promise<void> {
    switch (remedy) {
      case "refresh":
        return this.#serversView.refresh(profileName);
      case "clearFilter":
        this.#model.filter("");
        return this.#arranged();
      default: {
        const section = this.#sections.find((one) => one.profileName === profileName);
        const scheme = section?.snapshot.error?.scheme;
        const { profiles } = this.#serversView.context;
        return runRemedy(remedy, { profiles, profileName, address: "gatewayUrl", scheme });
      }
    }
  }

  #complete(text: string): void {
    const completions = filterCompletions(text, subjectsOf(this.#sections));
    this.#post([{ type: "completions", text, completions }]);
  }

  async #chooseColumns(): Promise<void> {
    const columns = await chooseColumns(this.#sections, this.#model.columns);
    if (columns === undefined) return;
    this.#model.choose(columns);
    this.#arranged();
  }

  async #copy(): Promise<void> {
    await vscode.env.clipboard.writeText(this.#model.csv);
    const words = vscode.l10n.t("{0} copied as CSV", countText(this.#model.count));
    setStatusBarMessage(words, 3_000);
  }

  async #open(handle: number): Promise<void> {
    const row = this.#rowOf(handle);
    if (row !== undefined) await vscode.commands.executeCommand(commandIds.showServerDetails, row);
  }

  #offerMenu(handle: number): void {
    const row = this.#rowOf(handle);
    if (row === undefined) return;
    const facts = Object.fromEntries(rowFacts(row).map((fact) => [fact, true]));
    const place = { webviewSection: "server", preventDefaultContextMenuItems: true, serverRow: row.id };
    this.#post([{ type: "menu", handle, context: JSON.stringify({ ...place, ...facts }) }]);
  }

  #rowOf(handle: number): ServerRow | undefined {
    const id = this.#model.idOf(handle);
    return id === undefined ? undefined : this.#serversView.rowOf(id);
  }

  /** Never awaited: a refresh must not wait for a page. */
  #post(messages: readonly ToTable[]): void {
    for (const message of messages) void this.#panel.webview.postMessage(message);
  }
}

interface ColumnItem extends vscode.QuickPickItem {
  readonly id: ColumnId;
}

/** Asks which columns to show; undefined if the user cancels. */
async function chooseColumns(
  sections: readonly ServerSection[],
  shown: readonly ColumnId[],
): Promise<readonly ColumnId[] | undefined> {
  const offered = offeredColumns(sections);
  const known = new Set(offered.map(({ id }) => id));
  // A column whose field is no longer in any record can still be removed.
  const lost = shown
    .filter((id) => !known.has(id))
    .map((id) => ({ id, label: columnLabel(id), example: "" }));
  const items = [...offered, ...lost].map(({ id, label, example }): ColumnItem => ({
    id,
    label: escapeCodicons(id.startsWith("/") ? id : label),
    description: example,
    picked: shown.includes(id),
  }));
  const firstField = items.findIndex(({ id }) => id.startsWith("/"));
  const { Separator } = vscode.QuickPickItemKind;
  const separator = { id: "", label: vscode.l10n.t("Record fields"), kind: Separator };
  if (firstField !== -1) items.splice(firstField, 0, separator);
  const picked = await showQuickPick(items, {
    canPickMany: true,
    matchOnDescription: true,
    title: vscode.l10n.t("Table Columns"),
    placeHolder: vscode.l10n.t("Columns to show (select none to restore the defaults)"),
  });
  if (picked === undefined) return undefined;
  const chosen = picked.map(({ id }) => id);
  // Columns that stay keep their positions.
  return [...shown.filter((id) => chosen.includes(id)), ...chosen.filter((id) => !shown.includes(id))];
}

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
