import * as vscode from "vscode";
import { plainText } from "../../core/plainText.ts";
import type { ServerStatus } from "../../core/server.ts";
import type { NoticeRow, Row, ServerRow } from "../../core/servers/serverRows.ts";
import { serverDescription, serverName, serverSpoken } from "../../core/servers/serverWords.ts";
import { commandIds } from "../commandIds.ts";

const colour = (id: string): vscode.ThemeColor => new vscode.ThemeColor(id);

/** Each state has a shape of its own, for those who don't see the colours; only what runs is green. */
const icons: Readonly<Record<ServerStatus, vscode.ThemeIcon>> = {
  running: new vscode.ThemeIcon("vm-running", colour("charts.green")),
  starting: new vscode.ThemeIcon("arrow-circle-up", colour("charts.yellow")),
  stopping: new vscode.ThemeIcon("arrow-circle-down", colour("charts.yellow")),
  stopped: new vscode.ThemeIcon("vm-outline", colour("disabledForeground")),
  error: new vscode.ThemeIcon("error", colour("list.errorForeground")),
  unknown: new vscode.ThemeIcon("question"),
};
const staleColour = colour("disabledForeground");

/** The item of a row. Its tooltip stays empty: `resolveTreeItem` fills it when somebody hovers. */
export function createTreeItem(row: Row): vscode.TreeItem {
  return row.kind === "notice" ? noticeItem(row) : serverItem(row);
}

function serverItem({ key, server, staleSince }: ServerRow): vscode.TreeItem {
  const item = new vscode.TreeItem(serverName(server), vscode.TreeItemCollapsibleState.None);
  item.id = `server:${key}`;
  item.description = serverDescription(server, staleSince);
  item.accessibilityInformation = { label: serverSpoken(server, staleSince) };
  const icon = icons[server.status];
  item.iconPath = staleSince === undefined ? icon : new vscode.ThemeIcon(icon.id, staleColour);
  const facts = [server.id && "hasId", server.address && "hasAddress"].filter((fact) => fact !== undefined);
  item.contextValue = ["server", ...facts].join(".");
  return item;
}

function noticeItem({ message, age }: NoticeRow): vscode.TreeItem {
  const title = vscode.l10n.t("Could not refresh");
  const item = new vscode.TreeItem(title, vscode.TreeItemCollapsibleState.None);
  item.id = "notice";
  item.description = vscode.l10n.t("{0} old · {1}", age, plainText(message, 300));
  item.accessibilityInformation = {
    label: vscode.l10n.t(
      "Could not refresh; the servers below are {0} old. {1}",
      age,
      plainText(message, 500),
    ),
  };
  item.iconPath = new vscode.ThemeIcon("warning", colour("list.warningForeground"));
  item.contextValue = "notice";
  item.command = { command: commandIds.refreshServers, title: vscode.l10n.t("Retry") };
  return item;
}
