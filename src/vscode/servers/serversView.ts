import * as vscode from "vscode";
import type { Arrangement } from "../../core/servers/arrange/groupServers.ts";
import { parseArrangement } from "../../core/servers/arrange/groupServers.ts";
import { ServerLists, listedProfiles } from "../../core/servers/serverLists.ts";
import type { ServerAnnotation } from "../../core/servers/marks/serverAnnotation.ts";
import { Listeners } from "../../core/kernel/listeners.ts";
import { localGatewayProfileName } from "../../core/account/localGateway/localGateway.ts";
import {
  ServerTreeRows,
  childrenOf,
  serversViewDescription,
} from "../../core/servers/tree/serverTreeRows.ts";
import type { TreeRow, RowChange, ServerRow } from "../../core/servers/tree/rows.ts";
import { runsOnce, seenList } from "../../core/servers/cost/serverRun.ts";
import type { ServerRun, ServerRuns } from "../../core/servers/cost/serverRun.ts";
import type { UseHistory } from "../../core/servers/gpu/serverUse.ts";
import { ServerUseTable } from "../../storage/records/serverUseTable.ts";
import { ServerRunTable } from "../../storage/records/serverRunTable.ts";
import { reportUse } from "../../core/servers/actions/runningThings.ts";
import type { RunningThings } from "../../core/servers/actions/runningThings.ts";
import { ActionStore } from "./actions/actionStore.ts";
import { schedule } from "../shell/pause.ts";
import { settings } from "../shell/settings.ts";
import { ChangeNotifier } from "./changeNotifier.ts";
import { refreshSshHosts } from "./connect/remotePlace.ts";
import { watchRemoteSsh } from "./connect/remoteSsh.ts";
import type { ServersViewer } from "./serversViewers.ts";
import { ServersViewers } from "./serversViewers.ts";
import type { GpuWatches } from "./gpuWatches.ts";
import { JobLogs } from "./jobs/jobLogs.ts";
import { ServerJobs } from "./jobs/serverJobs.ts";
import type { ServerTunnels } from "./connect/serverTunnels.ts";
import type { ServedModels } from "./serve/servedModels.ts";
import { createTreeItem, registerStaleRows, showUse } from "./serverTreeItem.ts";
import { createServerListSource, KeptLists } from "./serverListSource.ts";
import { ServerAnnotationStore } from "./serverAnnotationStore.ts";
import { ServerRecords } from "./serverRecords.ts";
import { ServersContextKeys } from "./serversContext.ts";
import type { ServersContext } from "./serversHost.ts";
import { forwardedPortsKey, modelLinksKey, serversViewId } from "./serversHost.ts";
import { withProgress } from "../shell/window.ts";

interface ServersViewContext extends ServersContext {
  /** Notified of the rows to redraw. */
  readonly tree: { emit(change: RowChange): void };
  readonly view: vscode.TreeView<TreeRow>;
  readonly onDidChangeRecord: vscode.EventEmitter<vscode.Uri>;
}

/** Where the arrangement is stored in a workspace. */
const arrangementKey = "inferenceGateway.servers.arrangement";

/** How often ages are updated, in milliseconds. */
const ageTickMs = 5_000;

type RowKey = Pick<ServerRow, "profileName" | "key">;

/** Runs the "GPU Servers" view: the lists of all profiles, how they are arranged, and how the user marks servers. */
export class ServersView implements vscode.Disposable {
  readonly lists: ServerLists;
  readonly rows = new ServerTreeRows(() => Date.now());
  readonly records: ServerRecords;
  /** What the servers did and cost. */
  readonly runs: ServerRuns;
  /** What was measured on watched servers. */
  readonly history: UseHistory;
  readonly actionStore: ActionStore;
  /** Who reports what runs on a server before it is stopped. */
  readonly runningThings: RunningThings[] = [
    ({ profileName, key }) => {
      const use = this.gpu?.useOf(profileName, key);
      return Promise.resolve(use === undefined ? undefined : reportUse(use));
    },
    (row) => {
      const things = this.#transfersOf(row);
      return Promise.resolve(things.length === 0 ? undefined : { checkedAt: Date.now(), things });
    },
  ];
  /** The transfers of files from and to servers that this window runs. */
  readonly transfers = new Set<Readonly<Record<"title" | "stage", string>> & { readonly row: ServerRow }>();
  /** Undefined until a server is watched. */
  gpu: GpuWatches | undefined;
  /** Undefined until a port of a server is forwarded. */
  tunnels: ServerTunnels | undefined;
  readonly jobs: ServerJobs;
  readonly jobLogs: JobLogs;
  /** Undefined in a window for which no model on a server is known. */
  models: ServedModels | undefined;
  readonly #context: ServersViewContext;
  readonly #marks: ServerAnnotationStore;
  readonly #kept: KeptLists;
  readonly #viewers: ServersViewers;
  readonly #changes: ChangeNotifier;
  readonly #keys = new ServersContextKeys();
  readonly #registered: vscode.Disposable;
  readonly #painted = new Listeners<void>();
  #arrangement: Arrangement;
  #isRestored = false;
  #lastActive: string | undefined;

  /** Resolves once the lists of an earlier session have been painted. */
  static async create(context: ServersViewContext): Promise<ServersView> {
    const serversView = new ServersView(context);
    serversView.#readProfiles();
    // Rows that are shown without rows below them stay closed.
    if (context.workspaceState.get(forwardedPortsKey) !== undefined)
      await (await serversView.loadTunnels()).restore();
    await serversView.#kept.restore();
    serversView.#isRestored = true;
    serversView.#updateSeen();
    if (context.globalState.get(modelLinksKey) !== undefined) void serversView.loadModels();
    return serversView;
  }

  private constructor(context: ServersViewContext) {
    this.#context = context;
    const { globalState, workspaceState, onDidChangeRecord } = context;
    this.#marks = new ServerAnnotationStore(globalState);
    this.#viewers = new ServersViewers(context.view);
    this.#changes = new ChangeNotifier(context.view, (text) => context.claimNotice(text));
    this.#arrangement = parseArrangement(workspaceState.get(arrangementKey));
    this.records = new ServerRecords(this, onDidChangeRecord);
    this.actionStore = new ActionStore(context);
    this.lists = new ServerLists({
      now: () => Date.now(),
      schedule,
      sourceOf: (profileName) =>
        createServerListSource(context, profileName, () => this.lists.wasSeen(profileName)),
      marksOf: (profileName) => this.#marks.of(this.originOf(profileName)),
      actionsOf: (profileName) => this.actionStore.of(profileName),
      random: () => Math.random(),
      intervalMs: () => settings.refreshIntervalSeconds() * 1_000,
      hasFocus: () => vscode.window.state.focused,
    });
    this.#kept = new KeptLists(context, this.lists);
    this.runs = new ServerRunTable(context.records);
    this.history = new ServerUseTable(context.records);
    this.jobs = new ServerJobs(this, (change) => context.tree.emit(change));
    this.jobLogs = new JobLogs(this, onDidChangeRecord);
    this.#registered = this.#listen();
  }

  get view(): vscode.TreeView<TreeRow> {
    return this.#context.view;
  }

  /** Whether the tree or another viewer is visible. */
  get isSeen(): boolean {
    return this.#viewers.isSeen;
  }

  /** The profiles whose servers are visible. */
  get seen(): ReadonlySet<string> {
    return this.#viewers.seenOf(this.#profileNames);
  }

  /** The row that commands apply to if they are called without one. */
  get selection(): TreeRow | undefined {
    return this.#viewers.selection;
  }

  async #loadGpu(): Promise<GpuWatches> {
    const { GpuWatches } = await import("./gpuWatches.ts");
    return (this.gpu ??= new GpuWatches(this, (change) => {
      this.#context.tree.emit(change);
      this.#changes.noteUse(this.gpu?.idleServers ?? new Map());
      this.#painted.emit();
    }));
  }

  async loadTunnels(): Promise<ServerTunnels> {
    const { ServerTunnels } = await import("./connect/serverTunnels.ts");
    return (this.tunnels ??= new ServerTunnels(this, (change) => this.#context.tree.emit(change)));
  }

  /** Watches the servers that the user has marked. The code for it is loaded with the first one. */
  async #syncWatches(): Promise<void> {
    const isAny = this.lists.sections.some(({ marks }) =>
      [...marks.values()].some(({ isWatched }) => isWatched === true),
    );
    if (this.gpu !== undefined || isAny) (await this.#loadGpu()).sync();
  }

  async loadModels(): Promise<ServedModels> {
    const { ServedModels } = await import("./serve/servedModels.ts");
    return (this.models ??= new ServedModels(this));
  }

  get arrangement(): Arrangement {
    return this.#arrangement;
  }

  /** The context that it was created with, for actions on its servers. */
  get context(): ServersContext {
    return this.#context;
  }

  /** The listener is called when anything known about the servers may have changed. */
  onDidPaint(listener: () => void): () => void {
    return this.#painted.add(listener);
  }

  /** While a viewer is visible, the servers are refreshed as if the tree were. */
  setViewer(viewer: ServersViewer, isVisible: boolean): void {
    this.#viewers.set(viewer, isVisible);
    this.#updateSeen();
    if (isVisible) this.#changes.seen();
  }

  /** Called when the user has selected a server in a viewer, which commands apply to from then on. */
  selectedInViewer(): void {
    this.#viewers.selectedIn("viewer");
  }

  /** Arranges the servers and stores the arrangement for the workspace unless it is only a preview. */
  arrange(arrangement: Arrangement, isPreview = false): void {
    this.#arrangement = arrangement;
    if (!isPreview) void this.#context.workspaceState.update(arrangementKey, arrangement);
    this.repaint();
  }

  async mark({ profileName, key }: ServerRow, change: ServerAnnotation): Promise<void> {
    await this.#marks.change(this.originOf(profileName), key, change);
    this.repaint();
    await this.#syncWatches();
  }

  /** Whether a job or a transfer runs on a server, so that it isn't idle. */
  isWorking(row: RowKey): boolean {
    return this.#transfersOf(row).length > 0 || this.jobs.isRunning(row);
  }

  #transfersOf({ profileName, key }: RowKey): readonly string[] {
    const own = [...this.transfers].filter(({ row }) => row.profileName === profileName && row.key === key);
    return own.map(({ title }) => title);
  }

  /** The origin of a profile's gateway; empty if it has none. */
  originOf(profileName: string): string {
    return URL.parse(this.#context.profiles.find(profileName)?.gatewayUrl ?? "")?.origin ?? "";
  }

  /** What the servers of all profiles have done since then, in milliseconds since 1970, each of them once. */
  async readRuns(since: number): Promise<readonly ServerRun[]> {
    return runsOnce(await this.runs.read(since), (profileName) => this.originOf(profileName));
  }

  childrenOf(row: TreeRow | undefined): readonly TreeRow[] {
    if (row === undefined) return this.rows.roots;
    if (row.kind === "profile" && this.#viewers.open(row.section.profileName)) this.#updateSeen();
    if (row.kind !== "server") return childrenOf(row);
    return [...(this.gpu?.rowsOf(row) ?? []), ...this.jobs.rowsOf(row), ...(this.tunnels?.rowsOf(row) ?? [])];
  }

  parentOf(row: TreeRow): TreeRow | undefined {
    if (row.kind === "job") return row.server;
    return row.kind === "gpu" || row.kind === "port" ? row.parent : this.rows.parentOf(row);
  }

  createItem(row: TreeRow): vscode.TreeItem {
    const item = createTreeItem(row);
    this.gpu?.decorate(item, row);
    if (
      (row.kind === "server" && this.jobs.rowsOf(row).length > 0) ||
      (row.kind === "server" && (this.tunnels?.rowsOf(row) ?? []).length > 0) ||
      (row.kind === "profile" && this.#viewers.isOpen(row.section.profileName))
    )
      item.collapsibleState = vscode.TreeItemCollapsibleState.Expanded;
    const use = row.kind === "server" ? this.gpu?.useOf(row.profileName, row.key) : undefined;
    if (use !== undefined) showUse(item, use.kind);
    return item;
  }

  /** The text of a read-only document: the log of a job, or what is known about a server. */
  documentText(uri: vscode.Uri): string {
    return uri.authority === "job" ? this.jobLogs.text(uri) : this.records.text(uri);
  }

  /** Requests the visible lists, or one list. Never rejects: the snapshots contain the outcome. */
  async refresh(profileName?: string): Promise<void> {
    const names = profileName === undefined ? this.#viewers.openOf(this.#profileNames) : [profileName];
    await Promise.all(names.map(async (name) => this.lists.find(name)?.refresh()));
  }

  dispose(): void {
    this.#registered.dispose();
    this.actionStore.dispose();
    this.gpu?.dispose();
    this.jobs.dispose();
    this.jobLogs.dispose();
    this.models?.dispose();
    this.tunnels?.dispose();
    this.#painted.clear();
    this.lists.dispose();
  }

  #listen(): vscode.Disposable {
    const { profiles, vault, gateway, view } = this.#context;
    return vscode.Disposable.from(
      registerStaleRows(),
      this.#tickAges(),
      watchRemoteSsh(this.#context.storageUri),
      { dispose: this.lists.onDidChange((name) => this.#listChanged(name)) },
      profiles.onDidChange(() => this.#readProfiles()),
      { dispose: gateway.onDidChange((running) => this.#gatewayChanged(running !== undefined)) },
      { dispose: vault.onDidChange((name) => this.lists.reset(name)) },
      vscode.window.onDidChangeWindowState(() => this.lists.paceChanged()),
      view.onDidChangeVisibility(({ visible }) => {
        this.#updateSeen();
        if (visible) this.#changes.seen();
      }),
      view.onDidChangeSelection(() => {
        this.#viewers.selectedIn("tree");
        this.#changes.seen();
      }),
      view.onDidCollapseElement(({ element }) => {
        if (element.kind !== "profile") return;
        this.#viewers.close(element.section.profileName);
        this.#updateSeen();
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("inferenceGateway.servers.actions")) {
          this.actionStore.settingChanged();
          this.repaint();
        }
        if (change.affectsConfiguration("inferenceGateway.servers.refreshInterval")) this.lists.paceChanged();
        if (
          change.affectsConfiguration("inferenceGateway.servers.fieldMapping") ||
          change.affectsConfiguration("inferenceGateway.servers.paging")
        )
          void this.refresh();
      }),
    );
  }

  /** A gateway that has started was announced before, so its list may be visible already and stays. */
  #gatewayChanged(isRunning: boolean): void {
    if (isRunning) void this.refresh(localGatewayProfileName);
    else this.lists.reset(localGatewayProfileName);
  }

  /** Relative times are updated while they are visible. Only rows that look different are redrawn. */
  #tickAges(): vscode.Disposable {
    const timer = setInterval(() => {
      const hasAge = this.lists.sections.some(
        ({ snapshot }) =>
          snapshot.error !== undefined ||
          snapshot.servers.some(({ status }) => /^(?:starting|stopping|error)$/.test(status)),
      );
      if (this.isSeen && (hasAge || this.actionStore.isWaiting())) this.repaint();
    }, ageTickMs);
    return { dispose: () => clearInterval(timer) };
  }

  #readProfiles(): void {
    const { profiles } = this.#context;
    const active = profiles.active?.name;
    if (active !== undefined && active !== this.#lastActive) this.#viewers.open(active);
    this.#lastActive = active;
    for (const { profileName } of this.lists.sections) {
      if (profiles.find(profileName) !== undefined) continue;
      void this.#kept.forget(profileName);
      this.#changes.forget(profileName);
      this.tunnels?.forget(profileName);
    }
    this.lists.setProfiles(listedProfiles(profiles.all, profiles.active));
    if (this.#isRestored) this.#updateSeen();
  }

  get #profileNames(): readonly string[] {
    return this.lists.sections.map(({ profileName }) => profileName);
  }

  #updateSeen(): void {
    this.lists.setSeen(this.seen);
    this.gpu?.setSeen(this.seen);
  }

  #listChanged(name: string | undefined): void {
    const section = this.lists.sections.find(({ profileName }) => profileName === name);
    const isListed =
      section?.snapshot.isRefreshing === false &&
      section.snapshot.error === undefined &&
      section.snapshot.isRestored !== true &&
      section.snapshot.state !== "loading";
    if (isListed) {
      const { profileName, snapshot } = section;
      this.actionStore.listChanged(profileName, snapshot.servers);
      // If the file can't be written now, the next list writes it.
      void refreshSshHosts(this, profileName, snapshot.servers).catch(() => undefined);
    }
    this.repaint();
    void this.#syncWatches();
    if (section === undefined) return;
    const { profileName, snapshot } = section;
    if (!snapshot.isRefreshing) {
      void this.#kept.keep(profileName, snapshot);
      // If it can't be entered now, this is only a gap in the record.
      const seen = seenList(section);
      if (seen !== undefined) void this.runs.note(seen).catch(() => undefined);
      if (seen?.isComplete === true)
        this.tunnels?.forget(profileName, new Set(snapshot.servers.map(({ key }) => key)));
      this.#changes.notify(section);
      this.records.refresh();
    } else if (snapshot.state === "loading") {
      // During the first request, there is nothing else to show.
      const location = { viewId: serversViewId };
      void withProgress({ location }, async () => this.lists.find(profileName)?.poll());
    }
  }

  repaint(): void {
    const { sections } = this.lists;
    this.#context.tree.emit(this.rows.update(sections, this.#arrangement));
    const { filter } = this.#arrangement;
    this.#keys.update(sections, filter !== "", (name) => this.#context.profiles.find(name));
    this.view.description = serversViewDescription(sections, this.rows.servers.length, filter);
    this.#painted.emit();
  }
}
