import * as vscode from "vscode";
import { retrySeconds } from "../../core/servers/connect/sshSession.ts";
import { sshCommand, sshTargetOf } from "../../core/servers/connect/sshTarget.ts";
import { idleLines, idleSpent } from "../../core/servers/cost/costStatus.ts";
import { runKey } from "../../core/servers/cost/serverRun.ts";
import { gpuLines, gpuProblems, gpuRows, gpuSummary, isLive } from "../../core/servers/gpu/gpuWatchState.ts";
import type { GpuProblem, GpuWatchState } from "../../core/servers/gpu/gpuWatchState.ts";
import { unknownUse } from "../../core/servers/gpu/serverUse.ts";
import type { ServerUse, UseHistory, UsePoint } from "../../core/servers/gpu/serverUse.ts";
import { mayRun } from "../../core/servers/server.ts";
import type { Server } from "../../core/servers/server.ts";
import { serverName } from "../../core/servers/serverLabels.ts";
import { rowDescription, rowSpoken } from "../../core/servers/tree/rowLabels.ts";
import { isSameList, serverRowId, staleTime } from "../../core/servers/tree/rows.ts";
import type { GpuRow, TreeRow, RowChange, ServerRow, ServerSection } from "../../core/servers/tree/rows.ts";
import type { ServerTreeRows } from "../../core/servers/tree/serverTreeRows.ts";
import { settings } from "../shell/settings.ts";
import { remotePlaceOf } from "./connect/remotePlace.ts";
import { showSshProblem } from "./connect/sshProblem.ts";
import { ServerMeasurement } from "./serverMeasurement.ts";
import type { MeasurementEnd } from "./serverMeasurement.ts";
import { createTooltip } from "./serverTooltip.ts";

/** Maximum number of servers that are measured all the time. Each has a process here and two on the server. */
const mostLive = 8;
/** Seconds between two attempts after that. */
const laterSeconds = 300;
/** Seconds between two attempts until the user has accepted a server's key. */
const keySeconds = 15;
const tickMs = 5_000;

/** The part of the view with the servers that watching needs. */
interface GpuWatchesContext {
  /** The profiles whose servers are visible. */
  readonly seen: ReadonlySet<string>;
  readonly lists: { readonly sections: readonly ServerSection[] };
  readonly rows: Pick<ServerTreeRows, "find" | "serverRows">;
  readonly records: { refresh(): void };
  readonly context: { readonly storageUri: vscode.Uri };
  readonly history: UseHistory;
  isWorking(row: Pick<ServerRow, "profileName" | "key">): boolean;
  originOf(profileName: string): string;
}

/** What the list and the user say about a server. */
interface Listed {
  readonly profileName: string;
  server: Server;
  /** Whether the list that shows the server is up to date. */
  isListed: boolean;
  /** Whether it comes from an earlier session: its address may belong to another machine by now. */
  isRestored: boolean;
  isMuted: boolean;
}

interface Watch extends Listed {
  readonly measurement: ServerMeasurement;
  /** The rows in which the tree shows the server, by their IDs: one in each of its groups. */
  readonly rows: Map<string, ServerRow>;
  /** The rows below it, by their IDs. */
  readonly gpus: Map<string, GpuRow>;
  /** Whether the user has just asked for it, and is told if it fails. */
  isAsked: boolean;
  retry: NodeJS.Timeout | undefined;
  failures: number;
  /** How the row of the server looks, and which rows are below it. */
  shown: string;
}

/**
 * Measures the servers that the user watches: live while they are visible, otherwise now and then for a few seconds, one
 * server after another and in one of the windows. Nothing is asked for it, and nothing is measured on other servers.
 */
export class GpuWatches implements vscode.Disposable {
  readonly #serversView: GpuWatchesContext;
  readonly #emit: (change: RowChange) => void;
  readonly #watches = new Map<string, Watch>();
  readonly #tick: NodeJS.Timeout;
  #seen: ReadonlySet<string>;

  constructor(serversView: GpuWatchesContext, emit: (change: RowChange) => void) {
    this.#serversView = serversView;
    this.#emit = emit;
    this.#seen = serversView.seen;
    // Also while the servers are hidden: the details of one may be open.
    this.#tick = setInterval(() => {
      for (const watch of this.#watches.values()) {
        if (looksOf(watch) !== watch.shown) this.#changed(watch);
      }
      this.#probeNext();
    }, tickMs);
  }

  /** Watches exactly the servers that the user has marked and that the lists show. */
  sync(): void {
    const marked = new Set<string>();
    const before = new Set(this.#watches.keys());
    for (const section of this.#serversView.lists.sections) {
      const { profileName, marks, snapshot } = section;
      for (const server of snapshot.servers) {
        const id = watchId({ profileName, key: server.key });
        const mark = marks.get(server.key);
        if (mark?.isWatched !== true || sshTargetOf(server) === undefined) continue;
        marked.add(id);
        const isMuted = mark.isMuted === true;
        const isRestored = snapshot.isRestored === true;
        const isListed = staleTime(section) === undefined;
        this.#put(id, { profileName, server, isMuted, isListed, isRestored });
      }
      if (snapshot.state !== "loading") continue;
      for (const [id, watch] of this.#watches) if (watch.profileName === profileName) marked.add(id);
    }
    for (const [id, watch] of this.#watches) {
      if (marked.has(id)) continue;
      this.#disconnect(watch);
      this.#watches.delete(id);
    }
    for (const watch of this.#watches.values()) {
      // One that is no longer watched may have made room for it.
      const isFree = watch.measurement.state.problem === undefined && !watch.measurement.isConnected;
      if (isFree) this.#connect(watch);
    }
    if (isSameList([...before], [...this.#watches.keys()])) return;
    // Not the whole list: VS Code would forget all of its rows for a moment, and with them one whose menu is open.
    const { serverRows } = this.#serversView.rows;
    this.#emit(serverRows.filter((row) => before.has(watchId(row)) !== this.#watches.has(watchId(row))));
    this.#serversView.records.refresh();
  }

  /** Called when the user has marked the server, or asks for another attempt: a failure is shown. */
  attend(row: Pick<ServerRow, "profileName" | "key">): void {
    const watch = this.#watches.get(watchId(row));
    if (watch === undefined) return;
    watch.isAsked = true;
    if (watch.measurement.state.problem === undefined) return;
    watch.failures = 0;
    this.#connect(watch);
    this.#changed(watch);
  }

  /** Undefined for a server that isn't watched. */
  stateOf(profileName: string, key: string): GpuWatchState | undefined {
    return this.#watches.get(watchId({ profileName, key }))?.measurement.state;
  }

  /** What was measured during the last day, the earliest first. */
  pointsOf(profileName: string, key: string): readonly UsePoint[] {
    return this.#watches.get(watchId({ profileName, key }))?.measurement.points ?? [];
  }

  useOf(profileName: string, key: string): ServerUse {
    const watch = this.#watches.get(watchId({ profileName, key }));
    return watch === undefined ? unknownUse : useOf(watch);
  }

  /** The servers that cost money for nothing, by the IDs of their rows, except for those that are muted. */
  get idleServers(): ReadonlyMap<string, "idle" | "unreachable"> {
    return new Map(
      [...this.#watches].flatMap(([id, watch]) => {
        const { kind } = useOf(watch);
        return !watch.isMuted && (kind === "idle" || kind === "unreachable") ? [[id, kind] as const] : [];
      }),
    );
  }

  /** What it does, and one line for each GPU; none for a server that isn't watched. */
  lines(row: ServerRow): readonly string[] {
    const watch = this.#watches.get(watchId(row));
    if (watch === undefined) return [];
    return [...idleLines(watch.server, useOf(watch)), ...gpuLines(watch.measurement.state, Date.now())];
  }

  /** A row for each GPU of a server that is watched. The same GPU keeps its row, so that focus is preserved. */
  rowsOf(row: ServerRow): readonly GpuRow[] {
    const watch = this.#watches.get(watchId(row));
    if (watch === undefined) return [];
    const isOld = !isLive(watch.measurement.state, Date.now());
    return gpuRows(watch.measurement.state).map((gpu) => {
      const id = `gpu:${gpu.key}:${row.id}`;
      const kept: GpuRow = Object.assign(watch.gpus.get(id) ?? {}, {
        ...{ kind: "gpu" as const, id, parent: row, isOld },
        ...gpu,
      });
      watch.gpus.set(id, kept);
      return kept;
    });
  }

  /** Adds the measured values to the item of a row. What a server does says more than that it is running. */
  decorate(item: vscode.TreeItem, row: TreeRow): void {
    if (row.kind !== "server") return;
    const watch = this.#watches.get(watchId(row));
    if (watch === undefined) return;
    watch.rows.set(row.id, row);
    const shown = summaryOf(watch);
    watch.shown = looksOf(watch);
    item.tooltip = createTooltip(row, this.lines(row));
    if (watch.measurement.state.measuredAt !== undefined)
      item.collapsibleState = vscode.TreeItemCollapsibleState.Collapsed;
    if (shown === "" || row.change !== undefined) return;
    const use = useOf(watch);
    const isKnown = use.kind !== "unknown" || use.percent !== undefined;
    const status = `${shown.charAt(0).toLocaleUpperCase()}${shown.slice(1)}`;
    const text = isKnown
      ? { ...row, server: { ...row.server, gpuUse: undefined }, status }
      : { ...row, status: [row.status ?? "", shown].filter((part) => part !== "").join(" · ") };
    item.description = rowDescription(text);
    item.accessibilityInformation = { label: rowSpoken(text) };
  }

  /** While the servers aren't visible, nothing is left running on them. */
  setSeen(seen: ReadonlySet<string>): void {
    const before = this.#seen;
    this.#seen = seen;
    for (const watch of this.#watches.values()) {
      const { profileName, measurement } = watch;
      const { problem } = measurement.state;
      if (before.has(profileName) === seen.has(profileName)) continue;
      if (!seen.has(profileName)) this.#disconnect(watch);
      else if (problem === undefined || gpuProblems[problem].retries) {
        watch.failures = 0;
        this.#connect(watch);
      }
    }
  }

  dispose(): void {
    clearInterval(this.#tick);
    for (const watch of this.#watches.values()) this.#disconnect(watch);
    this.#watches.clear();
  }

  #put(id: string, listed: Listed): void {
    const { server } = listed;
    const known = this.#watches.get(id);
    const watch = known ?? this.#create(listed);
    const [before, couldRun] = [watch.server, mayConnect(watch)];
    this.#watches.set(id, Object.assign(watch, listed));
    if (!mayConnect(watch)) {
      if (known !== undefined && !couldRun) return;
      // What it did before it was stopped says nothing about what it does after its next start.
      this.#disconnect(watch);
      watch.measurement.reset();
    } else if (known === undefined || !couldRun || addressOf(before) !== addressOf(server)) {
      watch.failures = 0;
      this.#connect(watch);
    }
  }

  #create(listed: Listed): Watch {
    const { profileName, server } = listed;
    const { history } = this.#serversView;
    const key = runKey(server);
    const watch: Watch = {
      ...{ ...listed, rows: new Map(), gpus: new Map(), isAsked: false, failures: 0, shown: "" },
      retry: undefined,
      measurement: new ServerMeasurement({
        place: () => remotePlaceOf(this.#serversView, watch),
        isWorking: () => this.#serversView.isWorking({ profileName, key: server.key }),
        isRunning: () => watch.isListed && watch.server.status === "running",
        read: (after) => history.read(profileName, key, after),
        note: (point) => history.note(profileName, key, point),
        onChange: () => {
          if (isLive(watch.measurement.state, Date.now()))
            Object.assign(watch, { failures: 0, isAsked: false });
          this.#changed(watch);
        },
        onEnd: (end) => this.#ended(watch, end),
      }),
    };
    return watch;
  }

  /** Whether the server is measured all the time. */
  #isLive(watch: Watch): boolean {
    const visible = [...this.#watches.values()].filter(
      (each) => this.#seen.has(each.profileName) && mayConnect(each),
    );
    return visible.indexOf(watch) !== -1 && visible.indexOf(watch) < mostLive;
  }

  /** Measures one of the servers that aren't measured all the time, never two at once. */
  #probeNext(): void {
    const everyMs = settings.gpuProbeMinutes() * 60_000;
    const others = [...this.#watches.values()].filter((watch) => mayConnect(watch) && !this.#isLive(watch));
    if (everyMs === 0 || others.some(({ measurement }) => measurement.isConnected)) return;
    const now = Date.now();
    const [next] = others
      .map(({ measurement }) => measurement)
      .filter(({ state: { problem }, connectedAt }) => {
        const isHopeless = problem !== undefined && !gpuProblems[problem].retries;
        return !isHopeless && now - connectedAt >= everyMs;
      })
      .toSorted((one, other) => one.connectedAt - other.connectedAt);
    void next?.connect(everyMs);
  }

  /** Measures the server all the time, or waits until it is visible. */
  #connect(watch: Watch): void {
    this.#disconnect(watch);
    if (this.#isLive(watch)) void watch.measurement.connect();
  }

  #disconnect(watch: Watch): void {
    clearTimeout(watch.retry);
    watch.retry = undefined;
    watch.measurement.stop();
  }

  #ended(watch: Watch, { problem, errors, everyMs }: MeasurementEnd): void {
    if (problem === undefined) return;
    const { retries } = gpuProblems[problem];
    const pause = retrySeconds[watch.failures++] ?? laterSeconds;
    const seconds = retries === "later" ? keySeconds : pause;
    if (retries !== false && everyMs === undefined)
      watch.retry = setTimeout(() => this.#connect(watch), seconds * 1_000);
    if (watch.isAsked && (retries !== true || watch.failures > retrySeconds.length))
      void this.#report(watch, problem, errors);
  }

  async #report(watch: Watch, problem: GpuProblem, errors: string): Promise<void> {
    watch.isAsked = false;
    const { profileName, server, measurement } = watch;
    const row = this.#serversView.rows.find(profileName, server.key);
    if (row === undefined) return;
    const what = vscode.l10n.t("The GPUs of {0} can't be watched.", serverName(server));
    const failure = { problem, errors, tool: measurement.state.tool };
    const again = vscode.l10n.t("Try Again");
    if (await showSshProblem(row, failure, { what, again })) this.attend({ profileName, key: server.key });
  }

  /**
   * Redraws the rows of a server, and what depends on them. The row of a server is only redrawn if it looks different,
   * because VS Code forgets the rows below it for a moment, and with them one whose menu is open.
   */
  #changed(watch: Watch): void {
    const rows = [...watch.rows.values()];
    const looks = looksOf(watch);
    this.#emit(looks === watch.shown ? rows.flatMap((row) => this.rowsOf(row)) : rows);
    watch.shown = looks;
    this.#serversView.records.refresh();
  }
}

/** Whether it makes sense to connect to the server. */
function mayConnect({ server, isRestored }: Listed): boolean {
  return !isRestored && mayRun(server);
}

function addressOf(server: Server): string | undefined {
  const target = sshTargetOf(server);
  return target && sshCommand(target);
}

/** A server is only without SSH if it is certain that it runs. */
function useOf(watch: Watch): ServerUse {
  const { measurement, isListed } = watch;
  if (!mayConnect(watch)) return unknownUse;
  const found = measurement.use.use(Date.now());
  return found.kind === "unreachable" && !isListed ? { ...found, kind: "unknown" } : found;
}

function summaryOf(watch: Watch): string {
  if (!mayConnect(watch)) return "";
  const use = useOf(watch);
  return gpuSummary(watch.measurement.state, use, Date.now(), idleSpent(watch.server, use));
}

function looksOf(watch: Watch): string {
  const below = gpuRows(watch.measurement.state).map(({ key }) => key);
  return JSON.stringify([summaryOf(watch), useOf(watch).kind, ...below]);
}

/** Identical for all rows of a server: the tree has one in each of its groups, and other viewers have their own. */
function watchId({ profileName, key }: Pick<ServerRow, "profileName" | "key">): string {
  return serverRowId(profileName, key);
}
