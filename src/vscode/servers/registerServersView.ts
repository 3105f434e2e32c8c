import * as vscode from "vscode";
import { ServerListState } from "../../core/servers/serverListState.ts";
import type { ServerListSnapshot } from "../../core/servers/serverListState.ts";
import { timeOfDay } from "../../core/servers/age.ts";
import { ServerPoller } from "../../core/servers/serverPoller.ts";
import type { Row } from "../../core/servers/serverRows.ts";
import type { ServerSource } from "../../core/servers/serverSource.ts";
import { registerServerCommands } from "./serverCommands.ts";
import { ServerRecords } from "./serverRecords.ts";
import { keepServersContext } from "./serversContext.ts";
import { ServersTree } from "./serversTree.ts";

const viewId = "inferenceGateway.servers";

export interface ServersViewOptions {
  /** Asked anew for every refresh; its answers belong to the active profile. */
  readonly source: ServerSource;
  /** The setting `inferenceGateway.servers.refreshInterval`, in seconds; 0 turns polling off. */
  refreshInterval(): number;
}

/** The registered view, as the composition root needs it. */
export interface ServersView extends vscode.Disposable {
  /** Another profile or credential: the rows of the old one go, the new one's are asked for once the view is seen. */
  reset(): void;
  readonly list: ServerListState;
}

/** Registers the view "GPU Servers" with its commands, its documents and its polling. Asks nothing until it is seen. */
export function registerServersView({ source, refreshInterval }: ServersViewOptions): ServersView {
  const list = new ServerListState(source, () => Date.now());
  const tree = new ServersTree(list);
  const view = vscode.window.createTreeView<Row>(viewId, { treeDataProvider: tree });
  const records = new ServerRecords(list);
  const poller = new ServerPoller(list, {
    now: () => Date.now(),
    schedule: (callback, delayMs) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
    random: () => Math.random(),
    intervalMs: () => refreshInterval() * 1_000,
  });
  const registered = vscode.Disposable.from(
    poller,
    view,
    tree,
    records,
    list,
    keepServersContext(list),
    registerServerCommands({ list, records, view }),
    new vscode.Disposable(list.onDidChange((snapshot) => showProgress(list, snapshot))),
    new vscode.Disposable(list.onDidChange((snapshot) => (view.description = describe(snapshot)))),
    view.onDidChangeVisibility(({ visible }) => poller.setVisible(visible)),
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("inferenceGateway.servers.refreshInterval")) poller.intervalChanged();
      if (change.affectsConfiguration("inferenceGateway.servers.fieldMapping")) void list.refresh();
    }),
  );
  poller.setVisible(view.visible);
  return { list, reset: () => list.reset(), dispose: () => registered.dispose() };
}

/** The first look has nothing else to show. */
function showProgress(list: ServerListState, { state, isRefreshing }: ServerListSnapshot): void {
  if (state !== "loading" || !isRefreshing) return;
  void vscode.window.withProgress({ location: { viewId } }, () => list.poll());
}

/** Beside the title: how old the rows are, or that the gateway lists only a part of the servers. */
function describe({ servers, total, error, listedAt }: ServerListSnapshot): string {
  if (servers.length === 0) return "";
  if (error !== undefined && listedAt !== undefined) return vscode.l10n.t("as of {0}", timeOfDay(listedAt));
  return total === undefined ? "" : vscode.l10n.t("{0} of {1}", servers.length, total);
}
