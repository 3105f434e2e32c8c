import * as vscode from "vscode";
import type { Arrangement } from "../../core/servers/arrange/arrangement.ts";
import type { ServerListSnapshot } from "../../core/servers/serverListState.ts";
import type { FleetProfile } from "../../core/servers/fleet.ts";
import { Fleet } from "../../core/servers/fleet.ts";
import type { ServerMark } from "../../core/servers/marks/serverMark.ts";
import { serverRowOf } from "../../core/servers/table/tableRows.ts";
import { Listeners } from "../../core/listeners.ts";
import { localGatewayProfileName } from "../../core/localGatewayControl.ts";
import { FleetRows } from "../../core/servers/tree/fleetRows.ts";
import { shownText } from "../../core/servers/tree/rowWords.ts";
import type { FleetSection, Row, RowChange, ServerRow } from "../../core/servers/tree/rows.ts";
import { timeOfDay } from "../../core/servers/age.ts";
import type { Profile } from "../../core/profile.ts";
import { settings } from "../settings.ts";
import { ArrangementStore } from "./arrangementStore.ts";
import { ChangeTeller } from "./changeTeller.ts";
import { watchRemoteSsh } from "./connect/remoteSsh.ts";
import { createTreeItem } from "./serverTreeItem.ts";
import { createServerListSource, readListOwner } from "./serverListSource.ts";
import { ServerMarkStore } from "./serverMarkStore.ts";
import { ServerRecords } from "./serverRecords.ts";
import { ServersContextKeys } from "./serversContext.ts";
import { registerStaleRows } from "./staleRows.ts";
import { SnapshotFiles } from "../../storage/servers/snapshotFiles.ts";
import type { ServersContext } from "./serversHost.ts";
import { listsFolder, recordScheme, serversViewId } from "./serversHost.ts";

export interface FleetViewContext extends ServersContext {
  /** Told which rows to draw anew. */
  readonly tree: { tell(change: RowChange): void };
  readonly view: vscode.TreeView<Row>;
  readonly onDidChangeRecord: vscode.EventEmitter<vscode.Uri>;
}

/** Somebody besides the tree who shows the servers of all profiles. */
export interface FleetViewer {
  /** The server of which commands speak while the viewer has the focus. */
  readonly selection: ServerRow | undefined;
}

/** What the menu of a page says of the server that it was opened on. */
export interface ServerPlace {
  readonly serverRow: string;
}

/** The view "GPU Servers" at work: the lists of all profiles, how they are arranged, and what the user noted of servers. */
export class FleetView implements vscode.Disposable {
  readonly fleet: Fleet;
  readonly rows = new FleetRows(() => Date.now());
  readonly records: ServerRecords;
  readonly arrangements: ArrangementStore;
  readonly #context: FleetViewContext;
  readonly #marks: ServerMarkStore;
  readonly #snapshots: SnapshotFiles;
  readonly #changes: ChangeTeller;
  readonly #keys = new ServersContextKeys();
  readonly #registered: vscode.Disposable;
  readonly #painted = new Listeners<void>();
  /** Those that are before the user's eyes. */
  readonly #viewers = new Map<object, FleetViewer>();
  /** Where the user selected a server last. */
  #isSelectedInTree = true;
  /** Profiles whose roots are open. */
  readonly #expanded = new Set<string>();
  #arrangement: Arrangement;
  #isRestored = false;
  #lastActive: string | undefined;

  /** Resolves with what was listed in an earlier session painted already. */
  static async create(context: FleetViewContext): Promise<FleetView> {
    const fleet = new FleetView(context);
    fleet.#readProfiles();
    await fleet.#restore();
    fleet.#updateSeen();
    return fleet;
  }

  private constructor(context: FleetViewContext) {
    this.#context = context;
    const { globalState, workspaceState, onDidChangeRecord } = context;
    this.#marks = new ServerMarkStore(globalState);
    this.#snapshots = new SnapshotFiles(listsFolder(context.storageUri), () => performance.now());
    this.#changes = new ChangeTeller(context.view);
    this.arrangements = new ArrangementStore(workspaceState, globalState);
    this.#arrangement = this.arrangements.read();
    this.records = new ServerRecords(
      (profileName, key) => this.rows.find(profileName, key),
      recordScheme,
      onDidChangeRecord,
    );
    const ports = { now: () => Date.now(), schedule };
    const sources = { ...context, folder: listsFolder(context.storageUri) };
    this.fleet = new Fleet({
      ...ports,
      sourceOf: (profileName) => createServerListSource(sources, ports, profileName),
      marksOf: (profileName) => this.#marks.of(this.originOf(profileName)),
      random: () => Math.random(),
      intervalMs: () => settings.refreshIntervalSeconds() * 1_000,
    });
    this.#registered = this.#listen();
  }

  get view(): vscode.TreeView<Row> {
    return this.#context.view;
  }

  /** Whether the tree, or another viewer, is before the user's eyes. */
  get isSeen(): boolean {
    return this.view.visible || this.#viewers.size > 0;
  }

  /** What commands speak of that are called without a row. */
  get selection(): Row | undefined {
    const inTree = this.view.visible ? this.view.selection[0] : undefined;
    const viewers = [...this.#viewers.values()].map(({ selection }) => selection);
    const inViewer = viewers.find((selection) => selection !== undefined);
    return this.#isSelectedInTree ? (inTree ?? inViewer) : (inViewer ?? inTree);
  }

  get arrangement(): Arrangement {
    return this.#arrangement;
  }

  /** What it was made with, for what is done with its servers. */
  get context(): ServersContext {
    return this.#context;
  }

  /** The listener is called when something that is known of the servers may have changed. */
  onDidPaint(listener: () => void): () => void {
    return this.#painted.add(listener);
  }

  /** While somebody views the servers they are refreshed as if the tree were seen; undefined for nobody any more. */
  setViewer(key: object, viewer: FleetViewer | undefined): void {
    if (viewer === undefined) this.#viewers.delete(key);
    else this.#viewers.set(key, viewer);
    this.#updateSeen();
    if (viewer !== undefined) this.#changes.seen();
  }

  /** The user has selected a server in a viewer, and means that one from now on. */
  selectedInViewer(): void {
    this.#isSelectedInTree = false;
  }

  /** The row that a command was called on, in the tree or in the menu of a page. */
  rowFrom(called: Row | ServerPlace | undefined): Row | undefined {
    if (called === undefined || "kind" in called) return called;
    return this.rowOf(called.serverRow);
  }

  /** Undefined where there is no server of this id any more. */
  rowOf(id: string): ServerRow | undefined {
    return serverRowOf(this.fleet.sections, id);
  }

  /** Shows the servers so, and remembers it unless it is only a preview. */
  arrange(arrangement: Arrangement, isPreview = false): void {
    this.#arrangement = arrangement;
    if (!isPreview) void this.arrangements.write(arrangement);
    this.#paint();
  }

  async mark({ profileName, key }: ServerRow, change: ServerMark): Promise<void> {
    await this.#marks.change(this.originOf(profileName), key, change);
    this.#paint();
  }

  /** The origin of a profile's gateway; empty where it has none. */
  originOf(profileName: string): string {
    return URL.parse(this.#context.profiles.find(profileName)?.gatewayUrl ?? "")?.origin ?? "";
  }

  childrenOf(row: Row | undefined): readonly Row[] {
    if (row === undefined) return this.rows.roots;
    if (row.kind === "profile" && !this.#expanded.has(row.section.profileName)) {
      this.#expanded.add(row.section.profileName);
      this.#updateSeen();
    }
    return this.rows.childrenOf(row);
  }

  parentOf(row: Row): Row | undefined {
    return this.rows.parentOf(row);
  }

  createItem(row: Row): vscode.TreeItem {
    return createTreeItem(row);
  }

  /** Asks for the lists that are seen, or for one. Never rejects: the snapshots tell. */
  async refresh(profileName?: string): Promise<void> {
    const seen = this.fleet.sections.map((section) => section.profileName);
    const names = profileName === undefined ? seen.filter((name) => this.#isOpen(name)) : [profileName];
    await Promise.all(names.map((name) => this.fleet.find(name)?.refresh()));
  }

  dispose(): void {
    this.#registered.dispose();
    this.#painted.clear();
    this.fleet.dispose();
  }

  #listen(): vscode.Disposable {
    const { profiles, vault, gateway, view } = this.#context;
    return vscode.Disposable.from(
      registerStaleRows(),
      watchRemoteSsh(this.#context.storageUri),
      { dispose: this.fleet.onDidChange((name) => this.#listChanged(name)) },
      profiles.onDidChange(() => this.#readProfiles()),
      { dispose: gateway.onDidChange(() => this.fleet.reset(localGatewayProfileName)) },
      { dispose: vault.onDidChange((name) => this.fleet.reset(name)) },
      view.onDidChangeVisibility(({ visible }) => {
        this.#updateSeen();
        if (visible) this.#changes.seen();
      }),
      view.onDidChangeSelection(() => {
        this.#isSelectedInTree = true;
        this.#changes.seen();
      }),
      view.onDidCollapseElement(({ element }) => {
        if (element.kind !== "profile") return;
        this.#expanded.delete(element.section.profileName);
        this.#updateSeen();
      }),
      vscode.workspace.onDidChangeConfiguration((change) => {
        if (change.affectsConfiguration("inferenceGateway.servers.refreshInterval")) {
          this.fleet.intervalChanged();
        }
        if (change.affectsConfiguration("inferenceGateway.servers.fieldMapping")) void this.refresh();
      }),
    );
  }

  /** Profiles that have a gateway; where none has, the active one says what is missing. */
  #readProfiles(): void {
    const { profiles } = this.#context;
    const withGateway = profiles.all.filter(({ gatewayUrl }) => gatewayUrl !== undefined);
    const shown =
      withGateway.length > 0 ? withGateway : profiles.all.filter((each) => each === profiles.active);
    const active = profiles.active?.name;
    if (active !== undefined) this.#expanded.add(active);
    const nobody: FleetProfile = {
      identity: "",
      profileName: "",
      isActive: true,
      isProduction: false,
      colour: undefined,
      host: undefined,
    };
    for (const { profileName } of this.fleet.sections) {
      if (profiles.find(profileName) !== undefined) continue;
      void this.#snapshots.forget(profileName);
      this.#changes.forget(profileName);
    }
    this.fleet.setProfiles(
      shown.length === 0 ? [nobody] : shown.map((profile) => fleetProfile(profile, active)),
    );
    if (this.#isRestored) this.#updateSeen();
    if (active !== this.#lastActive) this.#revealActive();
    this.#lastActive = active;
  }

  /** The root of the profile that has become active opens; VS Code would keep it as it was. */
  #revealActive(): void {
    const root = this.rows.roots.find((row) => row.kind === "profile" && row.section.isActive);
    if (root === undefined || !this.view.visible) return;
    void this.view
      .reveal(root, { expand: true, select: false, focus: false })
      .then(undefined, () => undefined);
  }

  async #restore(): Promise<void> {
    await Promise.all(
      this.fleet.sections.map(async ({ profileName }) => {
        const owner = await readListOwner(this.#context, profileName);
        const stored = owner === undefined ? undefined : await this.#snapshots.read(owner);
        if (stored !== undefined) this.fleet.find(profileName)?.restore(stored);
      }),
    );
    this.#isRestored = true;
  }

  /** What was listed is kept for the next start. */
  async #keep(profileName: string, snapshot: ServerListSnapshot): Promise<void> {
    if (snapshot.error !== undefined || snapshot.isRestored === true || snapshot.state === "loading") return;
    const owner = await readListOwner(this.#context, profileName);
    // A change of the credential has made another list of it meanwhile.
    const isCurrent = this.fleet.find(profileName)?.current.listedAt === snapshot.listedAt;
    if (owner === undefined || !isCurrent) return;
    await this.#snapshots.write(owner, snapshot);
    await this.#snapshots.forget(profileName, owner);
  }

  #isOpen(profileName: string): boolean {
    const isShown = this.#viewers.size > 0 || this.#expanded.has(profileName);
    return this.fleet.sections.length <= 1 || isShown;
  }

  #updateSeen(): void {
    const names = this.fleet.sections.map(({ profileName }) => profileName);
    this.fleet.setSeen(new Set(this.isSeen ? names.filter((name) => this.#isOpen(name)) : []));
  }

  #listChanged(profileName: string | undefined): void {
    this.#paint();
    const snapshot = profileName === undefined ? undefined : this.fleet.find(profileName)?.current;
    if (snapshot?.isRefreshing === false) {
      void this.#keep(profileName ?? "", snapshot);
      const section = this.fleet.sections.find((found) => found.profileName === profileName);
      if (section !== undefined) this.#changes.tell(section);
      this.records.refresh();
    }
    // The first look has nothing else to show.
    if (snapshot?.state === "loading" && snapshot.isRefreshing) this.#showProgress(profileName ?? "");
  }

  #showProgress(profileName: string): void {
    void vscode.window.withProgress(
      { location: { viewId: serversViewId } },
      async () => await this.fleet.find(profileName)?.poll(),
    );
  }

  #paint(): void {
    const { sections } = this.fleet;
    this.#context.tree.tell(this.rows.update(sections, this.#arrangement));
    this.#keys.tell(sections, this.#arrangement.filter !== "");
    this.view.description = this.#describe(sections);
    this.#painted.emit();
  }

  /** Beside the title: how many servers there are, how many of them are shown and how old the rows are. */
  #describe(sections: readonly FleetSection[]): string {
    const { filter } = this.#arrangement;
    const [only] = sections;
    const count = sections.reduce((sum, { snapshot }) => sum + snapshot.servers.length, 0);
    if (only === undefined || count === 0) return "";
    const { error, listedAt, total, isRestored } = only.snapshot;
    const isOld = sections.length === 1 && (error !== undefined || isRestored === true);
    const parts = [
      sections.length === 1 && only.isProduction ? vscode.l10n.t("Production") : "",
      shownText(this.rows.servers.length, {
        ...only.snapshot,
        servers: sections.flatMap(({ snapshot }) => snapshot.servers),
        ...(sections.length === 1 && total !== undefined ? { total } : {}),
      }),
      filter,
      isOld && listedAt !== undefined ? vscode.l10n.t("as of {0}", timeOfDay(listedAt)) : "",
    ];
    return parts.filter((part) => part !== "").join(" · ");
  }
}

function schedule(callback: () => void, delayMs: number): () => void {
  const timer = setTimeout(callback, delayMs);
  return () => clearTimeout(timer);
}

function fleetProfile(profile: Profile, active: string | undefined): FleetProfile {
  const { name, gatewayUrl, production, color } = profile;
  return {
    identity: JSON.stringify({ ...profile, color: undefined, production: undefined }),
    profileName: name,
    isActive: name === active,
    isProduction: production ?? false,
    colour: color,
    host: URL.parse(gatewayUrl ?? "")?.host,
  };
}
