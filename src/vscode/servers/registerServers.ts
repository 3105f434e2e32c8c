import * as vscode from "vscode";
import type { Profile } from "../../core/account/profile.ts";
import type { TreeRow, RowChange } from "../../core/servers/tree/rows.ts";
import { runningServersCommand, switchSchemeCommand } from "../shell/commandIds.ts";
import type { CommandName } from "../shell/commandIds.ts";
import { registerCommands, registerEach } from "../shell/registerCommands.ts";
import {
  costsViewType,
  loadingJobs,
  modelLinksKey,
  recordScheme,
  serversViewId,
  tableViewType,
} from "./serversHost.ts";
import type { ServersContext } from "./serversHost.ts";
import type { CalledOn } from "./chooseServer.ts";
import type { ServersView } from "./serversView.ts";
import type { SignedRequestContext, SignedRequests } from "./actions/signedRequests.ts";
import type { ServerPages } from "./serverPages.ts";

/**
 * The "GPU Servers" tree. Its content is loaded when VS Code first requests it, which is when the view is first
 * visible.
 */
class ServersTree
  implements vscode.TreeDataProvider<TreeRow>, vscode.TreeDragAndDropController<TreeRow>, vscode.Disposable
{
  /** Files can be dropped on a server. */
  readonly dropMimeTypes = ["text/uri-list"];
  readonly dragMimeTypes = [];
  readonly #load: () => Promise<ServersView>;
  readonly #onDidChangeTreeData = new vscode.EventEmitter<TreeRow[] | undefined>();

  readonly onDidChangeTreeData = this.#onDidChangeTreeData.event;

  constructor(load: () => Promise<ServersView>) {
    this.#load = load;
  }

  /** VS Code is only notified if something visible has changed. */
  emit(change: RowChange): void {
    if (change !== "none") this.#onDidChangeTreeData.fire(change === "list" ? undefined : [...change]);
  }

  async getChildren(row?: TreeRow): Promise<TreeRow[]> {
    return [...(await this.#load()).childrenOf(row)];
  }

  async getParent(row: TreeRow): Promise<TreeRow | undefined> {
    return (await this.#load()).parentOf(row);
  }

  async getTreeItem(row: TreeRow): Promise<vscode.TreeItem> {
    return (await this.#load()).createItem(row);
  }

  /** Called once per hover. The code for tooltips is loaded with the first one. */
  async resolveTreeItem(item: vscode.TreeItem, row: TreeRow): Promise<vscode.TreeItem> {
    const { createTooltip } = await import("./serverTooltip.ts");
    item.tooltip = createTooltip(row);
    return item;
  }

  async handleDrop(row: TreeRow | undefined, dropped: vscode.DataTransfer): Promise<void> {
    const [serversView, { uploadDropped }] = await Promise.all([this.#load(), import("./files/upload.ts")]);
    await uploadDropped(serversView, row, dropped);
  }

  dispose(): void {
    this.#onDidChangeTreeData.dispose();
  }
}

/** What the rest of the extension needs from the servers. */
interface RegisteredServers extends vscode.Disposable {
  /** The lists of all profiles, loaded at the first call if the view hasn't been shown before. */
  load(): Promise<ServersView>;
}

/** Milliseconds after the activation, when VS Code has started. */
const watchAfterMs = 3_000;

/** Milliseconds between the clicks of a double click. */
const doubleClickMs = 500;

/** The command of a row, of its menu and the palette. A double click on a row or on its button counts as one click. */
function onRow(
  name: CommandName,
  load: () => Promise<ServersView>,
  run: (serversView: ServersView, row?: TreeRow) => Promise<void> | void,
): (...called: CalledOn) => Promise<void> {
  let last: { readonly clicked: CalledOn[0]; readonly at: number } | undefined;
  return async (...called) => {
    const [clicked] = called;
    const isAgain = last !== undefined && clicked === last.clicked && Date.now() - last.at < doubleClickMs;
    last = clicked ? { clicked, at: Date.now() } : undefined;
    if (isAgain) return;
    const [serversView, { calledRow }] = await Promise.all([load(), import("./chooseServer.ts")]);
    const row = await calledRow(serversView, name, called);
    if (row !== "none") await run(serversView, row);
  };
}

/**
 * Registers the "GPU Servers" view with its commands and documents. Everything else is loaded when the view is first
 * visible.
 */
export function registerServers(context: ServersContext): RegisteredServers {
  let loaded: Promise<ServersView> | undefined;
  let costs: vscode.Disposable | undefined;
  const tree = new ServersTree(load);
  const view = vscode.window.createTreeView<TreeRow>(serversViewId, {
    treeDataProvider: tree,
    dragAndDropController: tree,
    showCollapseAll: true,
  });
  const onDidChangeRecord = new vscode.EventEmitter<vscode.Uri>();

  function load(): Promise<ServersView> {
    loaded ??= Promise.all([import("./serversView.ts"), import("./costStatusBar.ts")]).then(
      async ([{ ServersView }, { CostStatusBar }]) => {
        const created = withModels(await ServersView.create({ ...context, tree, view, onDidChangeRecord }));
        costs = new CostStatusBar(created);
        return created;
      },
    );
    return loaded;
  }
  let pages: Promise<ServerPages> | undefined;
  const loadPages = (): Promise<ServerPages> =>
    (pages ??= Promise.all([load(), import("./serverPages.ts")]).then(
      ([serversView, { createServerPages }]) => createServerPages(serversView),
    ));
  const registered = vscode.Disposable.from(
    tree,
    view,
    onDidChangeRecord,
    watchCosts(context, load),
    {
      // Even if the view was never opened, nothing may remain after signing out.
      dispose: context.vault.onDidChange((profileName) => {
        void import("./serverListSource.ts").then(({ forgetLists }) => forgetLists(context, profileName));
      }),
    },
    vscode.workspace.registerTextDocumentContentProvider(recordScheme, {
      onDidChange: onDidChangeRecord.event,
      provideTextDocumentContent: async (uri) => (await load()).documentText(uri),
    }),
    registerEach("serverActions", (action) =>
      onRow(action, load, async (...given) =>
        (await import("./serverActions.ts")).serverActions[action](...given),
      ),
    ),
    registerEach("power", (name) =>
      onRow(name, load, async (...given) =>
        (await import("./actions/runAction.ts")).powerActions[name](...given),
      ),
    ),
    registerCommands("servers", {
      async serverActions() {
        const [serversView, { runServerAction }] = await Promise.all([load(), import("./chooseServer.ts")]);
        await runServerAction(serversView, context.extension);
      },
      // VS Code passes the file that was clicked, and all that are selected.
      uploadToGpuServer: (clicked?: vscode.Uri, selected?: readonly vscode.Uri[]) =>
        upload(load, selected ?? (clicked === undefined ? [] : [clicked])),
      showServerTable: async () => (await loadPages())[tableViewType].show(),
      showUsage: async () => (await loadPages())[costsViewType].show(),
    }),
    vscode.commands.registerCommand(switchSchemeCommand, async (profileName: unknown, scheme: unknown) => {
      if (scheme !== "http" && scheme !== "https") return;
      const { runRemedy } = await import("../account/runRemedy.ts");
      await runRemedy("switchScheme", {
        profiles: context.profiles,
        profileName: typeof profileName === "string" ? profileName : undefined,
        address: "gatewayUrl",
        scheme,
      });
    }),
    ...([tableViewType, costsViewType] as const).map((viewType) =>
      vscode.window.registerWebviewPanelSerializer(viewType, {
        deserializeWebviewPanel: async (panel) => (await loadPages())[viewType].adopt(panel),
      }),
    ),
    { dispose: () => costs?.dispose() },
    { dispose: () => void loaded?.then((serversView) => serversView.dispose()) },
  );
  return { load, dispose: () => registered.dispose() };
}

/**
 * Resolves once this window or another one listens for the models on servers, if the profile may lead to one. Rejects if
 * that one is known not to be served. Nothing is loaded for other profiles.
 */
export async function reachModel(
  { globalState }: Pick<ServersContext, "globalState">,
  load: () => Promise<ServersView>,
  profile: Profile,
): Promise<void> {
  const { inferenceBaseUrl: url } = profile;
  if (globalState.get(modelLinksKey) === undefined || url?.startsWith("http://127.0.0.1:") !== true) return;
  const models = await (await load()).loadModels();
  await models.reach(profile);
}

async function upload(load: () => Promise<ServersView>, uris: readonly vscode.Uri[]): Promise<void> {
  const [serversView, { uploadTo }] = await Promise.all([load(), import("./files/upload.ts")]);
  await uploadTo(serversView, undefined, uris);
}

/** Registers the command for requests of the user's own. The implementation is loaded at the first use. */
export function registerSignedRequest(context: SignedRequestContext): vscode.Disposable {
  let requests: Promise<SignedRequests> | undefined;
  const load = (): Promise<SignedRequests> =>
    (requests ??= import("./actions/signedRequests.ts").then((loaded) => new loaded.SignedRequests(context)));
  return vscode.Disposable.from(
    registerCommands("signedRequest", { sendSignedRequest: async () => (await load()).run() }),
    { dispose: () => void requests?.then((loaded) => loaded.dispose()) },
  );
}
/** Lists the servers in the background, so that the status bar shows what they cost, and shows those that run. */
function watchCosts(context: ServersContext, load: () => Promise<ServersView>): vscode.Disposable {
  async function watch(): Promise<void> {
    if (!context.profiles.all.some(({ gatewayUrl }) => gatewayUrl !== undefined)) return;
    await (await import("./serverListSource.ts")).startQuietly(context, load);
  }
  let gpu: vscode.Disposable | undefined;
  async function watchRemote(): Promise<void> {
    if (vscode.env.remoteName !== "ssh-remote") return;
    const { RemoteGpuStatusBar } = await import("./remoteGpu.ts");
    gpu = new RemoteGpuStatusBar(context.storageUri);
  }
  const timer = setTimeout(() => {
    void watch();
    void watchRemote();
  }, watchAfterMs);
  return vscode.Disposable.from(
    { dispose: () => clearTimeout(timer) },
    { dispose: () => gpu?.dispose() },
    context.profiles.onDidChange(() => void watch()),
    { dispose: context.vault.onDidChange(() => void watch()) },
    vscode.commands.registerCommand(runningServersCommand, async () => {
      const [serversView, { showRunningServers }] = await Promise.all([
        load(),
        import("./runningServers.ts"),
      ]);
      showRunningServers(serversView, context.extension);
    }),
  );
}

/** Connects the view with what serves models, which is loaded only if it is needed. */
function withModels(view: ServersView): ServersView {
  view.jobs.onServedEnd = async (...ended) =>
    (await import("./serve/serveJob.ts")).explainEnd(view, ...ended);
  if (loadingJobs(view.context).length > 0)
    void import("./serve/serveJob.ts").then(({ resumeLoading }) => resumeLoading(view));
  return view;
}
