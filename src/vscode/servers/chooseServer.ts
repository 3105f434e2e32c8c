import * as vscode from "vscode";
import { escapeCodicons } from "../../core/kernel/foreignText.ts";
import type { Server } from "../../core/servers/server.ts";
import { serverName } from "../../core/servers/serverLabels.ts";
import { rowDescription } from "../../core/servers/tree/rowLabels.ts";
import { rowFacts } from "../../core/servers/tree/rows.ts";
import type { TreeRow, ServerRow } from "../../core/servers/tree/rows.ts";
import type { ServersView } from "./serversView.ts";
import { commandIds } from "../shell/commandIds.ts";
import type { CommandName } from "../shell/commandIds.ts";
import { commandMenus, hasLostRow, requiredServerFact } from "../shell/commandMenus.ts";
import { pickCommand } from "../shell/pickCommand.ts";
import { lostRowTitle } from "../shell/pickItem.ts";
import { showConfirmation, showQuickPick } from "../shell/window.ts";
import { hasRemoteSsh } from "./connect/remoteSsh.ts";

/** The argument of a page's context menu, which identifies the server it was opened on. */
type ServerMenuContext = Readonly<Record<"serverRow", string>>;

/** What VS Code passes to a command: what it was called on and, from the menu of a row, also all selected rows. */
export type CalledOn = readonly [
  clicked?: TreeRow | ServerMenuContext | null | undefined,
  selected?: unknown,
];

/** The row for which a command was called; undefined if it was called without one, "none" if the user cancels. */
export async function calledRow(
  serversView: Pick<ServersView, "rows" | "childrenOf" | "createItem">,
  name: CommandName,
  called: CalledOn,
): Promise<TreeRow | "none" | undefined> {
  const clicked = called[0] ?? undefined;
  if (clicked !== undefined && "kind" in clicked) return clicked;
  const known = clicked && serversView.rows.rowOf(clicked.serverRow);
  if (known !== undefined || (clicked === undefined && !hasLostRow(name, called))) return known;
  const rows = serversView.rows.serverRows.flatMap((row) => [row, ...serversView.childrenOf(row)]);
  const items = rows.map((row) => {
    const { label, description } = serversView.createItem(row);
    const texts = [label, description].map((text) => escapeCodicons(typeof text === "string" ? text : ""));
    return { label: texts[0] ?? "", description: texts[1] ?? "", row };
  });
  const picked = await showQuickPick(items, { title: lostRowTitle(), matchOnDescription: true });
  return picked?.row ?? "none";
}

/** The server in the row, or one that the user picks from those that support the command. */
export async function chooseServer(
  serversView: ServersView,
  row: TreeRow | undefined,
  suits: (server: Server, row: ServerRow) => boolean = () => true,
): Promise<ServerRow | undefined> {
  const target = serverOf(row ?? serversView.selection);
  if (target !== undefined && suits(target.server, target)) return target;
  if (target !== undefined && row !== undefined) {
    showConfirmation(vscode.l10n.t("{0} doesn't support this action.", serverName(target.server)));
    return undefined;
  }
  const sections = serversView.lists.sections;
  if (sections.every(({ snapshot }) => snapshot.state === "loading")) await serversView.refresh();
  const rows = serversView.rows.servers.filter((found) => suits(found.server, found));
  if (rows.length === 0) {
    const error = serversView.lists.sections.find(({ isActive }) => isActive)?.snapshot.error?.message;
    const message = error ?? vscode.l10n.t("No GPU server supports this action.");
    showConfirmation(message);
    return undefined;
  }
  const items = rows.map((found) => ({
    label: escapeCodicons(serverName(found.server)),
    description: escapeCodicons(rowDescription(found)),
    found,
  }));
  const picked = await showQuickPick(items, {
    placeHolder: vscode.l10n.t("GPU server"),
    matchOnDescription: true,
  });
  return picked?.found;
}

/** The server that the row shows, or to which it belongs. */
function serverOf(row: TreeRow | undefined): ServerRow | undefined {
  if (row?.kind === "gpu" || row?.kind === "port") return row.parent;
  return row?.kind === "job" ? row.server : row?.kind === "server" ? row : undefined;
}

/** Asks for a server and then for an action from its row's menu, so that the menu is accessible by keyboard. */
export async function runServerAction(
  serversView: ServersView,
  extension: vscode.Extension<unknown>,
  chosen?: ServerRow,
): Promise<void> {
  const row = await chooseServer(serversView, chosen);
  if (row === undefined) return;
  const facts = rowFacts(row);
  const command = await pickCommand(extension, commandMenus.serverActions, {
    title: escapeCodicons(serverName(row.server)),
    offers(candidate) {
      if (candidate === commandIds.openRemoteSsh && !hasRemoteSsh()) return false;
      const fact = requiredServerFact[candidate];
      return fact === undefined || facts.includes(fact);
    },
  });
  if (command !== undefined) await vscode.commands.executeCommand(command, row);
}
