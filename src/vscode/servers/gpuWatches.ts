import * as vscode from "vscode";
import { sshCommand, sshTargetOf } from "../../core/servers/connect/sshTarget.ts";
import { retrySeconds, sshArguments } from "../../core/servers/connect/sshSession.ts";
import type { RemotePlace } from "../../core/servers/connect/sshSession.ts";
import { gpuLines, gpuProblems, gpuRows, gpuSummary, isLive } from "../../core/servers/gpu/gpuWatchState.ts";
import type { GpuProblem, GpuWatchState } from "../../core/servers/gpu/gpuWatchState.ts";
import { UseTracker } from "../../core/servers/gpu/serverUse.ts";
import type { ServerUse, ServerUses, UseReading } from "../../core/servers/gpu/serverUse.ts";
import { Listeners } from "../../core/kernel/listeners.ts";
import type { ServerLists } from "../../core/servers/serverLists.ts";
import { serverName } from "../../core/servers/serverLabels.ts";
import type { GpuRow, TreeRow, RowChange, ServerRow } from "../../core/servers/tree/rows.ts";
import { GpuConnection } from "../../processes/servers/gpuConnection.ts";
import { findSsh } from "../../processes/servers/sshRoute.ts";
import { commandIds } from "../shell/commandIds.ts";
import { settings } from "../shell/settings.ts";
import { showWarningMessage } from "../shell/window.ts";
import { remotePlaceOf } from "./connect/remotePlace.ts";
import { createTooltip } from "./serverTooltip.ts";

/** Maximum number of servers that are watched at once. Each has a process here and two on the server. */
const mostWatches = 8;
/** The tool starts slowly on machines with many GPUs, after up to ten seconds for the connection. */
const patienceMs = 30_000;
/** Milliseconds between two measurements of a server. */
const intervalMs = 5_000;
const tickMs = 5_000;

/** The part of the view with the servers that watching needs. */
interface GpuWatchesContext {
  /** The profiles whose servers are visible. */
  readonly seen: ReadonlySet<string>;
  readonly lists: Pick<ServerLists, "find">;
  readonly records: { refresh(): void };
  readonly context: { readonly storageUri: vscode.Uri };
  originOf(profileName: string): string;
}

interface Watch {
  row: ServerRow;
  /** The rows in which the tree shows the server, by their IDs: one in each of its groups. */
  readonly rows: Map<string, ServerRow>;
  /** When it was last connected, in milliseconds since 1970. */
  connectedAt: number;
  /** The rows below it, by their IDs. */
  readonly gpus: Map<string, GpuRow>;
  readonly place: RemotePlace;
  state: GpuWatchState;
  readonly use: UseTracker;
  /** Whether the tool can't be left running on the server. */
  mustCall: boolean;
  connection: GpuConnection | undefined;
  retry: NodeJS.Timeout | undefined;
  failures: number;
  /** What the row shows. */
  shown: string;
}

/**
 * The servers whose GPUs the user watches. Nothing is measured unless the user asks for it: live while the servers are
 * visible, otherwise now and then for a few seconds, one server after another. The values aren't stored.
 */
export class GpuWatches implements ServerUses, vscode.Disposable {
  readonly #serversView: GpuWatchesContext;
  readonly #emit: (change: RowChange) => void;
  readonly #watches = new Map<string, Watch>();
  readonly #uses = new Listeners<void>();
  readonly #tick: NodeJS.Timeout;
  #seen: ReadonlySet<string>;
  #isDisposed = false;

  constructor(serversView: GpuWatchesContext, emit: (change: RowChange) => void) {
    this.#serversView = serversView;
    this.#emit = emit;
    this.#seen = serversView.seen;
    // Also while the servers are hidden: the details of one may be open.
    this.#tick = setInterval(() => {
      for (const watch of this.#watches.values()) {
        const summary = summaryOf(watch);
        if (summary === watch.shown) continue;
        watch.shown = summary;
        this.#changed(watch);
      }
      this.#probeNext();
    }, tickMs);
  }

  async start(row: ServerRow): Promise<void> {
    const place = await remotePlaceOf(this.#serversView, row);
    if (place === undefined) return;
    if (this.isWatched(row) || this.#isDisposed) return;
    if (!this.#makeRoom()) {
      void showWarningMessage(
        vscode.l10n.t(
          "You can watch the GPUs of at most {0} servers at once. Stop watching another server first.",
          String(mostWatches),
        ),
      );
      return;
    }
    const state = {
      samples: [],
      lost: [],
      measuredAt: undefined,
      problem: undefined,
      intervalMs,
    };
    const watch: Watch = {
      ...{
        row,
        rows: new Map(),
        gpus: new Map(),
        place,
        state,
        use: new UseTracker(),
        mustCall: false,
        failures: 0,
        shown: "",
        connectedAt: 0,
      },
      ...{ connection: undefined, retry: undefined },
    };
    this.#watches.set(watchId(row), watch);
    this.#connect(watch);
    // Which rows show the server is only known to the tree.
    this.#emit("list");
    this.#serversView.records.refresh();
  }

  stop(row: ServerRow): void {
    const watch = this.#watches.get(watchId(row));
    if (watch === undefined) return;
    this.#disconnect(watch);
    this.#watches.delete(watchId(row));
    this.#emit("list");
    this.#serversView.records.refresh();
  }

  /** Undefined for a server that isn't watched. */
  stateOf(profileName: string, key: string): GpuWatchState | undefined {
    return this.#watches.get(watchId({ profileName, key }))?.state;
  }

  useOf(profileName: string, key: string): ServerUse {
    const { use = new UseTracker() } = this.#watches.get(watchId({ profileName, key })) ?? {};
    return use.use(Date.now());
  }

  onDidChangeUse(listener: () => void): () => void {
    return this.#uses.add(listener);
  }

  /** One line for each GPU; none for a server that isn't watched. */
  lines(row: ServerRow): readonly string[] {
    const state = this.#watches.get(watchId(row))?.state;
    return state === undefined ? [] : gpuLines(state, Date.now());
  }

  isWatched(row: ServerRow): boolean {
    return this.#watches.has(watchId(row));
  }

  /** A row for each GPU of a server that is watched. The same GPU keeps its row, so that focus is preserved. */
  rowsOf(row: ServerRow): readonly GpuRow[] {
    const watch = this.#watches.get(watchId(row));
    if (watch === undefined) return [];
    const isOld = !isLive(watch.state, Date.now());
    return gpuRows(watch.state).map((gpu) => {
      const id = `gpu:${gpu.key}:${row.id}`;
      const kept: GpuRow = Object.assign(watch.gpus.get(id) ?? {}, {
        ...{ kind: "gpu" as const, id, parent: row, isOld },
        ...gpu,
      });
      watch.gpus.set(id, kept);
      return kept;
    });
  }

  /** Adds the measured values to the item of a row. */
  decorate(item: vscode.TreeItem, row: TreeRow): void {
    if (row.kind !== "server") return;
    const watch = this.#watches.get(watchId(row));
    if (watch === undefined) return;
    watch.row = row;
    watch.rows.set(row.id, row);
    watch.shown = summaryOf(watch);
    const description = typeof item.description === "string" ? item.description : "";
    item.description = [watch.shown, description].filter((part) => part !== "").join(" · ");
    item.accessibilityInformation = {
      label: [item.accessibilityInformation?.label ?? "", watch.shown].join(", "),
    };
    item.contextValue = `${item.contextValue ?? ""}.gpuLive`;
    if (watch.state.measuredAt !== undefined)
      item.collapsibleState = vscode.TreeItemCollapsibleState.Collapsed;
    item.tooltip = createTooltip(row, this.lines(row));
  }

  /** While the servers aren't visible, nothing is left running on them. */
  setSeen(seen: ReadonlySet<string>): void {
    const before = this.#seen;
    this.#seen = seen;
    for (const watch of this.#watches.values()) {
      const { profileName } = watch.row;
      if (before.has(profileName) === seen.has(profileName)) continue;
      if (!seen.has(profileName)) this.#disconnect(watch);
      else if (watch.state.problem === undefined || gpuProblems[watch.state.problem].retries) {
        watch.failures = 0;
        this.#connect(watch);
      }
    }
  }

  /**
   * A server that is gone or has a different address is no longer watched: the address may belong to another machine.
   */
  listChanged(): void {
    for (const { row, place } of [...this.#watches.values()]) {
      const list = this.#serversView.lists.find(row.profileName)?.current;
      const server = list?.servers.find(({ key }) => key === row.key);
      const now = server === undefined ? undefined : sshTargetOf(server);
      const isKnown = now !== undefined && sshCommand(now) === sshCommand(place.target);
      if (!isKnown && list?.state !== "loading") this.stop(row);
    }
  }

  dispose(): void {
    this.#isDisposed = true;
    clearInterval(this.#tick);
    for (const watch of this.#watches.values()) this.#disconnect(watch);
    this.#watches.clear();
    this.#uses.clear();
  }

  /** Measures one of the servers that aren't visible, never two at a time. */
  #probeNext(): void {
    const everyMs = settings.gpuProbeMinutes() * 60_000;
    const hidden = [...this.#watches.values()].filter(({ row }) => !this.#seen.has(row.profileName));
    if (everyMs === 0 || hidden.some(({ connection }) => connection !== undefined)) return;
    const now = Date.now();
    const [next] = hidden
      .filter(({ state: { problem }, connectedAt }) => {
        const isHopeless = problem !== undefined && !gpuProblems[problem].retries;
        return !isHopeless && now - connectedAt >= everyMs;
      })
      .toSorted((one, other) => one.connectedAt - other.connectedAt);
    if (next !== undefined) this.#connect(next, everyMs);
  }

  /** @param everyMs Milliseconds until the next measurement, if the server is measured only once. */
  #connect(watch: Watch, everyMs?: number): void {
    this.#disconnect(watch);
    const isOnce = everyMs !== undefined;
    watch.state = { ...watch.state, intervalMs, problem: undefined };
    // Otherwise, it is connected as soon as the servers are visible.
    if (!isOnce && !this.#seen.has(watch.row.profileName)) return;
    watch.connectedAt = Date.now();
    let reading: UseReading | undefined;
    const program = findSsh();
    if (program === undefined) return this.#ended(watch, "noSsh");
    watch.connection = new GpuConnection({
      program,
      args: sshArguments(watch.place),
      intervalSeconds: intervalMs / 1_000,
      patienceMs,
      mode: isOnce ? "once" : watch.mustCall ? "calls" : "stream",
      onCalls: () => {
        watch.mustCall = true;
      },
      onFrame: (frame) => {
        watch.failures = 0;
        const { everyMs, ...values } = frame;
        const slower = Math.max(intervalMs, everyMs ?? 0);
        const at = Date.now();
        watch.state = { ...watch.state, ...values, intervalMs: slower, measuredAt: at };
        reading = { at, ...values };
        // The last frame of a single measurement has everything.
        if (!isOnce) watch.use.add(reading);
        this.#changed(watch);
      },
      onEnd: (problem, tool) => {
        if (!isOnce) return this.#ended(watch, problem ?? "ended", tool);
        watch.connection = undefined;
        if (reading !== undefined) watch.use.add(reading, everyMs);
        watch.state = { ...watch.state, problem, tool };
        this.#changed(watch);
      },
    });
  }

  #disconnect(watch: Watch): void {
    clearTimeout(watch.retry);
    watch.retry = undefined;
    watch.connection?.stop();
    watch.connection = undefined;
  }

  #ended(watch: Watch, problem: GpuProblem, tool?: string): void {
    watch.connection = undefined;
    watch.state = { ...watch.state, problem, tool };
    const seconds = gpuProblems[problem].retries ? retrySeconds[watch.failures] : undefined;
    watch.failures++;
    if (seconds !== undefined) watch.retry = setTimeout(() => this.#connect(watch), seconds * 1_000);
    else void this.#report(watch, problem, tool);
    this.#changed(watch);
  }

  async #report({ row }: Watch, problem: GpuProblem, tool: string | undefined): Promise<void> {
    const again = vscode.l10n.t("Watch Again");
    const terminal = vscode.l10n.t("Open SSH Session in Terminal");
    const buttons = [
      again,
      // The terminal would offer to accept a key that may be an attacker's.
      ...(problem === "changedKey" || problem === "noSsh" ? [] : [terminal]),
    ];
    const message = vscode.l10n.t(
      "The GPUs of {0} can't be watched. {1}",
      serverName(row.server),
      gpuProblems[problem].text(tool),
    );
    const picked = await showWarningMessage(message, ...buttons);
    if (picked === terminal) await vscode.commands.executeCommand(commandIds.openSshTerminal, row);
    const watch = this.#watches.get(watchId(row));
    if (picked !== again || watch?.state.problem === undefined) return;
    watch.failures = 0;
    this.#connect(watch);
    this.#changed(watch);
  }

  /** Whether another server can be watched. A watch that has ended makes room for it. */
  #makeRoom(): boolean {
    const watches = [...this.#watches.values()];
    if (watches.length < mostWatches) return true;
    const ended = watches.find(({ state, retry }) => state.problem !== undefined && retry === undefined);
    if (ended !== undefined) this.stop(ended.row);
    return ended !== undefined;
  }

  #changed(watch: Watch): void {
    if (watch.rows.size > 0) this.#emit([...watch.rows.values()]);
    this.#serversView.records.refresh();
    this.#uses.emit();
  }
}

function summaryOf({ state, use }: Watch): string {
  const now = Date.now();
  return gpuSummary(state, use.use(now), now);
}

/** Identical for all rows of a server: the tree has one in each of its groups, and other viewers have their own. */
function watchId({ profileName, key }: Pick<ServerRow, "profileName" | "key">): string {
  return JSON.stringify([profileName, key]);
}
