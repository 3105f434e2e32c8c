import * as vscode from "vscode";
import { noIcons } from "../../core/kernel/noIcons.ts";
import type { Server } from "../../core/servers/server.ts";
import { rowDescription, rowLabel } from "../../core/servers/tree/rowWords.ts";
import type { Row, ServerRow } from "../../core/servers/tree/rows.ts";
import type { ServersView } from "./serversView.ts";
import { showInformationMessage, showQuickPick } from "../shell/window.ts";

/** The server of the row, or one that the user picks among those that the command suits. */
export async function chooseServer(
  serversView: ServersView,
  row: Row | undefined,
  suits: (server: Server) => boolean = () => true,
): Promise<ServerRow | undefined> {
  const target = row ?? serversView.selection;
  if (target?.kind === "server" && suits(target.server)) return target;
  if (row?.kind === "server") {
    void showInformationMessage(vscode.l10n.t("{0} doesn't support this action.", rowLabel(row)));
    return undefined;
  }
  const sections = serversView.lists.sections;
  if (sections.every(({ snapshot }) => snapshot.state === "loading")) await serversView.refresh();
  const rows = serversView.rows.servers.filter(({ server }) => suits(server));
  if (rows.length === 0) {
    const error = serversView.lists.sections.find(({ isActive }) => isActive)?.snapshot.error?.message;
    const message = error ?? vscode.l10n.t("No GPU server supports this action.");
    void showInformationMessage(message);
    return undefined;
  }
  const items = rows.map((found) => ({
    label: noIcons(rowLabel(found)),
    description: noIcons(rowDescription(found)),
    found,
  }));
  const picked = await showQuickPick(items, {
    placeHolder: vscode.l10n.t("GPU server"),
    matchOnDescription: true,
  });
  return picked?.found;
}
