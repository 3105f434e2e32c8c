import * as vscode from "vscode";
import { remedyLabel } from "../../core/account/remedies.ts";
import { sanitizeLabel } from "../../core/kernel/foreignText.ts";
import type { ServerUse } from "../../core/servers/gpu/serverUse.ts";
import type { ServerStatus } from "../../core/servers/server.ts";
import { serverProperties } from "../../core/servers/serverProperties.ts";
import { serverName } from "../../core/servers/serverLabels.ts";
import {
  groupSpoken,
  profileDescription,
  profileSpoken,
  rowDescription,
  rowSpoken,
} from "../../core/servers/tree/rowLabels.ts";
import { rowFacts } from "../../core/servers/tree/rows.ts";
import type {
  GpuRow,
  GroupRow,
  JobRow,
  NoticeRow,
  PortRow,
  ProfileRow,
  TreeRow,
  ServerRow,
} from "../../core/servers/tree/rows.ts";
import { remedyCommand } from "../account/runRemedy.ts";
import { commandIds } from "../shell/commandIds.ts";

/** Marks rows whose servers couldn't be refreshed. Decorations are found by this URI. */
const staleUri = vscode.Uri.from({ scheme: "inference-gateway-stale", path: "/" });

/** Grays out the text of such a row. Its description says the same in words. */
function markStale(item: vscode.TreeItem): void {
  item.resourceUri = staleUri;
}

/** VS Code colors the text of tree rows only through decorations. */
export function registerStaleRows(): vscode.Disposable {
  return vscode.window.registerFileDecorationProvider({
    provideFileDecoration: ({ scheme }) =>
      scheme === staleUri.scheme
        ? { color: new vscode.ThemeColor("list.deemphasizedForeground") }
        : undefined,
  });
}

const color = (id: string): vscode.ThemeColor => new vscode.ThemeColor(id);

/** Each status has a shape of its own for users who can't distinguish the colors. Only running servers are green. */
const icons: Readonly<Record<ServerStatus, vscode.ThemeIcon>> = {
  running: new vscode.ThemeIcon("vm-running", color("charts.green")),
  starting: new vscode.ThemeIcon("arrow-circle-up", color("charts.yellow")),
  stopping: new vscode.ThemeIcon("arrow-circle-down", color("charts.yellow")),
  stopped: new vscode.ThemeIcon("vm-outline", color("disabledForeground")),
  error: new vscode.ThemeIcon("error", color("list.errorForeground")),
  unknown: new vscode.ThemeIcon("question"),
};
const staleColor = color("list.deemphasizedForeground");

/** The item of a row. Its tooltip stays empty: `resolveTreeItem` fills it on hover. */
export function createTreeItem(row: TreeRow): vscode.TreeItem {
  switch (row.kind) {
    case "server":
      return serverItem(row);
    case "gpu":
      return gpuItem(row);
    case "job":
      return jobItem(row);
    case "port":
      return portItem(row);
    case "group":
      return groupItem(row);
    case "profile":
      return profileItem(row);
    case "notice":
      return noticeItem(row);
  }
}

function serverItem(row: ServerRow): vscode.TreeItem {
  const { server, staleSince, change } = row;
  const item = new vscode.TreeItem(serverName(row.server), vscode.TreeItemCollapsibleState.None);
  item.id = row.id;
  item.description = rowDescription(row);
  item.accessibilityInformation = { label: rowSpoken(row) };
  const icon = icons[change?.status ?? server.status];
  item.iconPath = staleSince === undefined ? icon : new vscode.ThemeIcon(icon.id, staleColor);
  if (staleSince !== undefined) markStale(item);
  item.contextValue = ["server", ...rowFacts(row)].join(".");
  return item;
}

/** A running server that is idle or that can't be reached over SSH has a shape of its own, too. */
export function showUse(item: vscode.TreeItem, kind: ServerUse["kind"]): void {
  if (kind !== "idle" && kind !== "unreachable") return;
  item.contextValue = `${item.contextValue ?? ""}.${kind}`;
  item.iconPath =
    kind === "idle"
      ? new vscode.ThemeIcon("vm", color("charts.yellow"))
      : new vscode.ThemeIcon("warning", color("list.warningForeground"));
}

function gpuItem({ id, title, text, isLost, isServing, isOld }: GpuRow): vscode.TreeItem {
  const item = new vscode.TreeItem(title, vscode.TreeItemCollapsibleState.None);
  item.id = id;
  item.description = text;
  item.accessibilityInformation = { label: `${title}: ${text}` };
  if (isOld) markStale(item);
  item.iconPath = isLost
    ? new vscode.ThemeIcon("error", color("list.errorForeground"))
    : new vscode.ThemeIcon("circuit-board", isOld ? staleColor : undefined);
  item.contextValue = isServing ? "gpu.serving" : "gpu";
  return item;
}

function jobItem(row: JobRow): vscode.TreeItem {
  const { id, name, text, job, server, isOld, isArmed, isBusy, served } = row;
  const item = new vscode.TreeItem(name, vscode.TreeItemCollapsibleState.None);
  item.id = id;
  item.description = text;
  item.accessibilityInformation = { label: `${name}: ${text}` };
  if (isOld) markStale(item);
  const isRunning = job.state === "running";
  const isEnding = isBusy || job.isAskedToStop === true;
  item.iconPath = isEnding
    ? icons.stopping
    : isRunning
      ? new vscode.ThemeIcon("play", isOld ? staleColor : color("charts.green"))
      : job.state === "finished" && job.exitCode === 0
        ? new vscode.ThemeIcon("pass")
        : job.state === "stopped"
          ? new vscode.ThemeIcon("circle-slash")
          : new vscode.ThemeIcon("error", color("list.errorForeground"));
  const active = served === undefined ? "running" : "serving";
  const facts = [
    // Nothing else is offered meanwhile that would be done to it.
    isBusy ? "busy" : isRunning || job.processes > 0 ? active : "ended",
    served === undefined ? "" : "served",
    isRunning && server.actionFacts?.includes("canStop") === true ? "canStopServer" : "",
    isArmed ? "armed" : "",
  ];
  item.contextValue = ["job", ...facts.filter((fact) => fact !== "")].join(".");
  item.command = { command: commandIds.showJobLog, title: vscode.l10n.t("Show Log"), arguments: [row] };
  return item;
}

const portIcons: Readonly<Record<PortRow["state"], vscode.ThemeIcon>> = {
  idle: new vscode.ThemeIcon("debug-disconnect"),
  open: new vscode.ThemeIcon("plug"),
  waiting: new vscode.ThemeIcon("sync"),
  failed: new vscode.ThemeIcon("error", color("list.errorForeground")),
};

function portItem({ id, title, text, state, problem }: PortRow): vscode.TreeItem {
  const item = new vscode.TreeItem(title, vscode.TreeItemCollapsibleState.None);
  item.id = id;
  item.description = text;
  item.accessibilityInformation = {
    label: problem === undefined ? `${title}: ${text}` : `${title}: ${text}. ${problem}`,
  };
  item.iconPath = portIcons[state];
  item.contextValue = "port";
  return item;
}

function groupItem(row: GroupRow): vscode.TreeItem {
  const isFolded = row.grouping === "stopped";
  const { Collapsed, Expanded } = vscode.TreeItemCollapsibleState;
  const item = new vscode.TreeItem(row.name.label, isFolded ? Collapsed : Expanded);
  item.id = row.id;
  item.description = row.text;
  item.accessibilityInformation = { label: groupSpoken(row) };
  item.iconPath =
    isFolded || row.grouping === "status"
      ? (icons[row.rows[0]?.server.status ?? "unknown"] ?? icons.unknown)
      : new vscode.ThemeIcon(serverProperties.get(row.grouping)?.group?.icon ?? "question");
  item.contextValue = "group";
  return item;
}

function profileItem(row: ProfileRow): vscode.TreeItem {
  const { profileName, isActive, isProduction, color: name } = row.section;
  const item = new vscode.TreeItem(
    sanitizeLabel(profileName, 100),
    vscode.TreeItemCollapsibleState.Collapsed,
  );
  item.id = row.id;
  item.description = profileDescription(row);
  item.accessibilityInformation = { label: profileSpoken(row) };
  const shape = isProduction ? "shield" : "server-environment";
  item.iconPath = new vscode.ThemeIcon(shape, name === undefined ? undefined : color(`charts.${name}`));
  item.contextValue = isActive ? "profile.active" : "profile";
  return item;
}

function noticeItem(row: NoticeRow): vscode.TreeItem {
  const { id, title, text, isFailure, remedies, profileName, scheme } = row;
  const item = new vscode.TreeItem(title, vscode.TreeItemCollapsibleState.None);
  item.id = id;
  item.description = sanitizeLabel(text, 300);
  item.accessibilityInformation = { label: text === "" ? title : `${title}. ${sanitizeLabel(text, 500)}` };
  item.iconPath = isFailure
    ? new vscode.ThemeIcon("warning", color("list.warningForeground"))
    : new vscode.ThemeIcon("info");
  item.contextValue = "notice";
  const command = remedies
    .map((remedy) => ({ remedy, command: remedyCommand(remedy, profileName, scheme) }))
    .find((found) => found.command !== undefined);
  if (command?.command !== undefined)
    item.command = {
      ...command.command,
      title: remedyLabel(command.remedy, scheme === undefined ? {} : { scheme }),
    };
  return item;
}
