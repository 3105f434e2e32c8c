import * as vscode from "vscode";
import {
  costStatus,
  costlyServers,
  idleDigest,
  isCostly,
  longIdle,
  runsNeeded,
} from "../../core/servers/cost/costStatus.ts";
import type { CostFacts } from "../../core/servers/cost/costStatus.ts";
import { countedOnce } from "../../core/servers/tree/rows.ts";
import type { ServerSection } from "../../core/servers/tree/rows.ts";
import { inertStatus } from "../../core/kernel/foreignText.ts";
import { runningServersCommand } from "../shell/commandIds.ts";
import { showInformationMessage } from "../shell/window.ts";
import type { ServersView } from "./serversView.ts";

/** What changes in the status bar draws attention, so it changes at most this often, in milliseconds. */
const shortestMs = 60_000;

/** The day of the last notification about idle servers. */
const digestKey = "inferenceGateway.servers.idleDigest";

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
    this.#hide();
    this.#unsubscribe();
    this.#item.dispose();
  }

  #schedule(): void {
    if (this.#isLoading) return;
    // What doesn't exist any more is gone at once, as after signing out.
    const { sections } = this.#serversView.lists;
    if (!sections.some(({ snapshot }) => snapshot.servers.some(isCostly))) return this.#hide();
    if (this.#timer !== undefined) return;
    const wait = Math.max(0, this.#paintedAt + shortestMs - performance.now());
    this.#timer = setTimeout(() => void this.#paint(), wait);
  }

  #hide(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // What appears is shown at once.
    this.#paintedAt = -Infinity;
    this.#item.hide();
  }

  /** Whether all lists are requested for the first time, also those that an earlier session has loaded. */
  get #isLoading(): boolean {
    const { sections } = this.#serversView.lists;
    const isLoading = ({ snapshot: { state, isRestored, isRefreshing } }: ServerSection): boolean =>
      state === "loading" || (isRestored === true && isRefreshing);
    return sections.length > 0 && sections.every(isLoading);
  }

  async #paint(): Promise<void> {
    const facts = await costFacts(this.#serversView);
    const status = costStatus(facts);
    if (this.#timer === undefined) return;
    this.#timer = undefined;
    if (this.#isLoading) return;
    if (status === undefined) return this.#hide();
    this.#paintedAt = performance.now();
    this.#item.text = `$(server) ${inertStatus(status.text)}`;
    const tooltip = new vscode.MarkdownString();
    for (const line of status.lines) tooltip.appendText(line).appendMarkdown("\n\n");
    this.#item.tooltip = tooltip;
    this.#item.accessibilityInformation = {
      label: vscode.l10n.t("GPU servers: {0}", [status.text, ...status.lines].join(", ")),
      role: "button",
    };
    this.#item.show();
    // What was spent grows, and idle servers become idle, without a new list.
    this.#schedule();
    void this.#notifyIdle(facts);
  }

  /** At most one notification a day in all windows. */
  async #notifyIdle(facts: CostFacts): Promise<void> {
    const { globalState, claimNotice } = this.#serversView.context;
    const idle = longIdle(costlyServers(facts), facts.now);
    const today = new Date(facts.now).toDateString();
    if (idle.length === 0 || !vscode.window.state.focused || globalState.get(digestKey) === today) return;
    await globalState.update(digestKey, today);
    if (!(await claimNotice(today))) return;
    const show = vscode.l10n.t("Show Running Servers");
    const mute = vscode.l10n.t("Mute");
    const picked = await showInformationMessage(idleDigest(idle, facts), show, mute);
    if (picked === show) await vscode.commands.executeCommand(runningServersCommand);
    if (picked !== mute) return;
    for (const { profileName, server } of idle) {
      const row = this.#serversView.rows.find(profileName, server.key);
      if (row !== undefined) await this.#serversView.mark(row, { isMuted: true });
    }
  }
}

/** What is known about the costs of the servers now. What they did isn't known if the file can't be read. */
async function costFacts(serversView: ServersView): Promise<CostFacts> {
  const facts = runningFacts(serversView);
  const since = runsNeeded(costlyServers(facts), facts.now);
  const runs = await serversView.readRuns(since).catch(() => []);
  return { ...facts, runs };
}

/** What is known about the servers that run now. */
export function runningFacts({ lists, gpu }: ServersView): Omit<CostFacts, "runs"> {
  return {
    sections: countedOnce(lists.sections),
    useOf: (...server) => gpu?.useOf(...server),
    now: Date.now(),
  };
}
