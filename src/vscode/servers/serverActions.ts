import * as vscode from "vscode";
import { plainText } from "../../core/plainText.ts";
import type { Server, ServerFact } from "../../core/server.ts";
import type { ServerListState } from "../../core/servers/serverListState.ts";
import type { Row } from "../../core/servers/serverRows.ts";
import { serverDescription, serverName } from "../../core/servers/serverWords.ts";
import { commandIds } from "../commandIds.ts";
import type { ServerRecords } from "./serverRecords.ts";

export interface ServerCommandContext {
  readonly list: ServerListState;
  readonly records: ServerRecords;
  readonly view: vscode.TreeView<Row>;
}

/** What can be done with servers, each with the row that it was called on, or without one from the palette. */
export type ServerAction = keyof typeof serverActions;

export const serverActions = {
  refreshServers,
  async showServerRecord({ list, records }: ServerCommandContext, row?: Row): Promise<void> {
    const server = await chooseServer(list, row, () => true);
    if (server !== undefined) await records.show(server);
  },
  async copyServerId({ list }: ServerCommandContext, row?: Row): Promise<void> {
    const server = await chooseServer(list, row, ({ id }) => id !== undefined);
    if (server?.id !== undefined) await copy(server.id, vscode.l10n.t("ID"));
  },
  async copyServerAddress({ list }: ServerCommandContext, row?: Row): Promise<void> {
    const server = await chooseServer(list, row, ({ address }) => address !== undefined);
    if (server?.address === undefined) return;
    const isPrivate = server.isPrivateAddress === true;
    await copy(server.address, isPrivate ? vscode.l10n.t("Private address") : vscode.l10n.t("Address"));
  },
};

/** Asks for the list now; what goes wrong is told here, because the user asked for it. */
async function refreshServers({ list, view }: ServerCommandContext): Promise<void> {
  if (!view.visible) await vscode.commands.executeCommand("inferenceGateway.servers.focus");
  await vscode.window.withProgress({ location: { viewId: "inferenceGateway.servers" } }, () =>
    list.refresh(),
  );
  const { error } = list.current;
  if (error === undefined) return;
  const showLog = vscode.l10n.t("Show Log");
  void vscode.window.showWarningMessage(error.message, showLog).then((picked) => {
    if (picked === showLog) void vscode.commands.executeCommand(commandIds.showLog);
  });
}

/** The server of the row, or one that the user picks among those that the command suits. */
async function chooseServer(
  list: ServerListState,
  row: Row | undefined,
  suits: (server: Server) => boolean,
): Promise<Server | undefined> {
  if (row?.kind === "server") return suits(row.server) ? row.server : undefined;
  if (list.current.state === "loading") await list.poll();
  const servers = list.current.servers.filter(suits);
  if (servers.length === 0) {
    const message =
      list.current.error?.message ?? vscode.l10n.t("There is no GPU server that this can be done with.");
    void vscode.window.showInformationMessage(message);
    return undefined;
  }
  const items = servers.map((server) => ({
    label: serverName(server),
    description: serverDescription(server),
    server,
  }));
  const picked = await vscode.window.showQuickPick(items, {
    placeHolder: vscode.l10n.t("GPU server"),
    matchOnDescription: true,
  });
  return picked?.server;
}

/** One line without control characters, whatever the server supplied: it may be pasted into a terminal. */
async function copy(fact: ServerFact, what: string): Promise<void> {
  await vscode.env.clipboard.writeText(plainText(fact.value, 2_000));
  vscode.window.setStatusBarMessage(vscode.l10n.t("{0} copied", what), 3_000);
}
