import * as vscode from "vscode";
import type { MessageHandlers } from "../../../core/kernel/pageMessages.ts";
import { tableDocument } from "../../../core/panel/pages/pageDocument.ts";
import { runKey } from "../../../core/servers/cost/serverRun.ts";
import { spendingByDay, sumSpending, utcPeriods } from "../../../core/servers/cost/serverSpending.ts";
import type { ServerSpending } from "../../../core/servers/cost/serverSpending.ts";
import type { Server } from "../../../core/servers/server.ts";
import { measuredCells, spentCell } from "../../../core/servers/table/measuredCells.ts";
import type { MeasuredCells } from "../../../core/servers/table/measuredCells.ts";
import { TableModel } from "../../../core/servers/table/tableModel.ts";
import { fromTable } from "../../../core/servers/table/tableProtocol.ts";
import type { FromTable, ToTable, TableRemedy } from "../../../core/servers/table/tableProtocol.ts";
import { countText } from "../../../core/servers/tree/rowLabels.ts";
import type { ServerRow, ServerSection } from "../../../core/servers/tree/rows.ts";
import { runRemedy } from "../../account/runRemedy.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { loadPage, receiveMessages, tabIcon } from "../../shell/webviewPage.ts";
import { setStatusBarMessage } from "../../shell/window.ts";
import type { ServersView } from "../serversView.ts";

/** How often what was spent is read again, in milliseconds. */
const spentMs = 60_000;

const spentKey = (profileName: string, server: string): string => JSON.stringify([profileName, server]);

/** Runs the table of servers: sends the server lists to the page, and turns the user's actions there into commands. */
export class TablePanel implements vscode.Disposable {
  readonly #panel: vscode.WebviewPanel;
  readonly #serversView: ServersView;
  readonly #model: TableModel;
  /** What the servers have cost this month, by their profiles and keys. */
  #spent: ReadonlyMap<string, MeasuredCells> = new Map();
  readonly #listeners: vscode.Disposable;
  /** Whether there is a page that has received the model's messages. */
  #isReady = false;
  /** The ID of the row that was focused last. */
  #selected: string | undefined;

  constructor(panel: vscode.WebviewPanel, serversView: ServersView) {
    this.#panel = panel;
    this.#serversView = serversView;
    const { extensionUri, log } = serversView.context;
    this.#model = new TableModel((profileName, server) => this.#measuredOf(profileName, server));
    panel.iconPath = tabIcon(extensionUri);
    const timer = setInterval(() => {
      if (this.#isReady) void this.#readSpent();
    }, spentMs);
    this.#listeners = vscode.Disposable.from(
      { dispose: this.#serversView.onDidPaint(() => this.#update()) },
      receiveMessages<FromTable>(panel.webview, fromTable, this.#createHandlers(), log),
      panel.onDidChangeViewState(() => this.#look()),
      { dispose: () => clearInterval(timer) },
    );
    loadPage(panel.webview, extensionUri, tableDocument);
    this.#look();
  }

  /** The server to which commands apply while the table has the focus. */
  get selection(): ServerRow | undefined {
    const id = this.#selected;
    return this.#panel.active && id !== undefined ? this.#serversView.rows.rowOf(id) : undefined;
  }

  dispose(): void {
    this.#listeners.dispose();
    this.#serversView.setViewer(this, false);
  }

  /** A hidden panel's page is gone, so nothing is requested for it. */
  #look(): void {
    const { visible } = this.#panel;
    if (!visible) this.#isReady = false;
    this.#serversView.setViewer(this, visible);
  }

  #createHandlers(): MessageHandlers<FromTable> {
    const model = this.#model;
    return {
      // A new table starts with the tree's filter.
      ready: ({ filter = this.#serversView.arrangement.filter, sort }) => {
        this.#isReady = true;
        model.arrange({ filter, sort });
        this.#post(model.begin(this.#sections, Date.now()));
        void this.#readSpent();
      },
      filter: ({ text }) => this.#arrange({ filter: text }),
      sort: ({ sort }) => this.#arrange({ sort }),
      copyTable: () => this.#copy(),
      refresh: () => this.#serversView.refresh(),
      select: ({ id }) => {
        this.#selected = id;
        this.#serversView.selectedInViewer();
      },
      open: async ({ id }) => {
        const row = this.#serversView.rows.rowOf(id);
        if (row !== undefined) await vscode.commands.executeCommand(commandIds.showServerDetails, row);
      },
      act: ({ action, profileName }) => this.#fix(action, profileName),
      pageError: ({ message }) =>
        this.#serversView.context.log.error(`The table of servers failed: ${message}`),
    };
  }

  get #sections(): readonly ServerSection[] {
    return this.#serversView.lists.sections;
  }

  #measuredOf(profileName: string, server: Server): MeasuredCells {
    const id = spentKey(profileName, runKey(server));
    const { gpu } = this.#serversView;
    const points = gpu?.pointsOf(profileName, server.key) ?? [];
    const cells = measuredCells(server, gpu?.stateOf(profileName, server.key), points, Date.now());
    return { ...cells, ...this.#spent.get(id) };
  }

  async #readSpent(): Promise<void> {
    const now = Date.now();
    const { month } = utcPeriods(now);
    const runs = await this.#serversView.runs.read(month).catch(() => []);
    const byServer = new Map<string, ServerSpending[]>();
    for (const day of spendingByDay(runs, month, now)) {
      const id = spentKey(day.profile, day.server);
      byServer.set(id, [...(byServer.get(id) ?? []), day]);
    }
    const { language } = vscode.env;
    this.#spent = new Map([...byServer].map(([id, days]) => [id, spentCell(sumSpending(days), language)]));
    this.#update();
  }

  #arrange(change: Parameters<TableModel["arrange"]>[0]): void {
    this.#model.arrange(change);
    this.#update();
  }

  #update(): void {
    if (this.#isReady) this.#post(this.#model.update(this.#sections, Date.now()));
  }

  async #fix(remedy: TableRemedy, profileName: string): Promise<void> {
    switch (remedy) {
      case "refresh":
        return this.#serversView.refresh(profileName);
      case "clearFilter":
        return this.#arrange({ filter: "" });
      default: {
        const section = this.#sections.find((one) => one.profileName === profileName);
        const scheme = section?.snapshot.error?.scheme;
        const { profiles } = this.#serversView.context;
        return runRemedy(remedy, { profiles, profileName, address: "gatewayUrl", scheme });
      }
    }
  }

  async #copy(): Promise<void> {
    await vscode.env.clipboard.writeText(this.#model.csv);
    const words = vscode.l10n.t("{0} copied as CSV", countText(this.#model.count));
    setStatusBarMessage(words, 3_000);
  }

  /** Never awaited: a refresh must not wait for a page. */
  #post(messages: readonly ToTable[]): void {
    for (const message of messages) void this.#panel.webview.postMessage(message);
  }
}
