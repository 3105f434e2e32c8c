import * as vscode from "vscode";
import { costsDocument } from "../../../core/panel/pages/pageDocument.ts";
import { messageOf } from "../../../core/kernel/thrown.ts";
import { fromCosts } from "../../../core/servers/cost/costsProtocol.ts";
import type { CostsChoice, FromCosts, ToCosts } from "../../../core/servers/cost/costsProtocol.ts";
import { costsCsv, costsSince, costsView } from "../../../core/servers/cost/costsView.ts";
import { exportFolder } from "../../shell/ownMachine.ts";
import { loadPage, receiveMessages, tabIcon } from "../../shell/webviewPage.ts";
import { showConfirmation, showErrorMessage } from "../../shell/window.ts";
import type { ServersView } from "../serversView.ts";
import { setPrices } from "../setPrices.ts";

/** How often the costs are read again while they are visible, in milliseconds. */
const refreshMs = 60_000;

/** Runs the page of costs: reads what servers did and what requests were sent, and exports it. */
export class CostsPanel implements vscode.Disposable {
  readonly #panel: vscode.WebviewPanel;
  readonly #serversView: ServersView;
  readonly #listeners: vscode.Disposable;
  #choice: CostsChoice = { period: "month", group: "day" };

  constructor(panel: vscode.WebviewPanel, serversView: ServersView) {
    this.#panel = panel;
    this.#serversView = serversView;
    const { extensionUri, log } = serversView.context;
    panel.iconPath = tabIcon(extensionUri);
    const timer = setInterval(() => {
      if (panel.visible) void this.#update();
    }, refreshMs);
    this.#listeners = vscode.Disposable.from(
      { dispose: () => clearInterval(timer) },
      receiveMessages<FromCosts>(
        panel.webview,
        fromCosts,
        {
          ready: ({ choice = this.#choice }) => this.#show(choice),
          show: ({ period, group }) => this.#show({ period, group }),
          export: () => this.#export(),
          setPrices: async () => {
            await setPrices(serversView);
            await this.#update();
          },
          pageError: ({ message }) => log.error(`The page of costs failed: ${message}`),
        },
        log,
      ),
    );
    loadPage(panel.webview, extensionUri, costsDocument);
  }

  dispose(): void {
    this.#listeners.dispose();
  }

  #show(choice: CostsChoice): Promise<void> {
    this.#choice = choice;
    return this.#update();
  }

  async #update(): Promise<void> {
    const choice = this.#choice;
    let message: ToCosts;
    try {
      message = { type: "costs", ...costsView(await this.#facts(), choice) };
    } catch (error) {
      message = { type: "failure", message: messageOf(error) };
    }
    if (choice === this.#choice) void this.#panel.webview.postMessage(message);
  }

  async #facts(): Promise<Parameters<typeof costsView>[0]> {
    const now = Date.now();
    const since = costsSince(this.#choice, now);
    const { context } = this.#serversView;
    const [runs, requests] = await Promise.all([this.#serversView.readRuns(since), context.requests(since)]);
    return { runs, requests, now };
  }

  /** Asks for a file and writes to it what the page shows. */
  async #export(): Promise<void> {
    const uri = await vscode.window.showSaveDialog({
      defaultUri: vscode.Uri.joinPath(exportFolder(), `${vscode.l10n.t("Costs")}.csv`),
      filters: { CSV: ["csv"] },
      title: vscode.l10n.t("Export Costs"),
    });
    if (uri === undefined) return;
    try {
      const csv = costsCsv(await this.#facts(), this.#choice);
      await vscode.workspace.fs.writeFile(uri, new TextEncoder().encode(csv));
      showConfirmation(vscode.l10n.t("The costs were exported."));
    } catch (error) {
      void showErrorMessage(vscode.l10n.t("The costs couldn't be exported. {0}", messageOf(error)));
    }
  }
}
