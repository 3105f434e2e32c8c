import * as vscode from "vscode";
import { costStatus, costlyServers, runsNeeded } from "../../core/servers/cost/costStatus.ts";
import type { CostFacts } from "../../core/servers/cost/costStatus.ts";
import { inertStatus } from "../../core/kernel/foreignText.ts";
import { runningServersCommand } from "../shell/commandIds.ts";
import type { ServersView } from "./serversView.ts";

/** What changes in the status bar draws attention, so it changes at most this often, in milliseconds. */
const shortestMs = 60_000;

/** Shows what the servers of all profiles cost now, and how many of them are idle. */
export class CostStatusBar implements vscode.Disposable {
  readonly #serversView: ServersView;
  readonly #item = vscode.window.createStatusBarItem(
    "inferenceGateway.cost",
    vscode.StatusBarAlignment.Right,
    89,
  );
  readonly #unsubscribe: () => void;
  #paintedAt = -Infinity;
  #timer: NodeJS.Timeout | undefined;

  constructor(serversView: ServersView) {
    this.#serversView = serversView;
    this.#item.name = vscode.l10n.t("Inference Gateway: Cost of GPU Servers");
    this.#item.command = runningServersCommand;
    this.#unsubscribe = serversView.onDidPaint(() => this.#schedule());
    this.#schedule();
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#unsubscribe();
    this.#item.dispose();
  }

  #schedule(): void {
    if (this.#timer !== undefined || this.#isLoading) return;
    const wait = Math.max(0, this.#paintedAt + shortestMs - performance.now());
    this.#timer = setTimeout(() => void this.#paint(), wait);
  }

  /** Whether all lists are requested for the first time, also those that an earlier session has loaded. */
  get #isLoading(): boolean {
    return this.#serversView.lists.sections.every(
      ({ snapshot: { state, isRestored, isRefreshing } }) =>
        state === "loading" || (isRestored === true && isRefreshing),
    );
  }

  async #paint(): Promise<void> {
    const status = costStatus(await costFacts(this.#serversView));
    if (this.#timer === undefined) return;
    this.#timer = undefined;
    if (this.#isLoading) return;
    this.#paintedAt = performance.now();
    if (status === undefined) return this.#item.hide();
    this.#item.text = `$(server) ${inertStatus(status.text)}`;
    const tooltip = new vscode.MarkdownString();
    for (const line of status.lines) tooltip.appendText(line).appendMarkdown("\n\n");
    this.#item.tooltip = tooltip;
    this.#item.accessibilityInformation = {
      label: vscode.l10n.t("GPU servers: {0}", [status.text, ...status.lines].join(", ")),
      role: "button",
    };
    this.#item.show();
  }
}

/** What is known about the costs of the servers now. What they did isn't known if the file can't be read. */
async function costFacts(serversView: ServersView): Promise<CostFacts> {
  const facts = runningFacts(serversView);
  const since = runsNeeded(costlyServers(facts), facts.now);
  const runs = await serversView.runs.read(since).catch(() => []);
  return { ...facts, runs };
}

/** What is known about the servers that run now. */
export function runningFacts({ lists }: ServersView): Omit<CostFacts, "runs"> {
  return { sections: lists.sections, useOf: () => undefined, now: Date.now() };
}
