import * as vscode from "vscode";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { listeningSteps, portChoices, readListening } from "../../../core/servers/connect/listeningPorts.ts";
import type { PortChoice } from "../../../core/servers/connect/listeningPorts.ts";
import { readPort } from "../../../core/servers/connect/recordPorts.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { PortRow, ServerRow, TreeRow } from "../../../core/servers/tree/rows.ts";
import { runRemote } from "../../../processes/servers/runRemote.ts";
import { replaceItems } from "../../shell/pickItem.ts";
import {
  inertItem,
  setStatusBarMessage,
  showConfirmation,
  showInformationMessage,
  showQuickPick,
  withLateProgress,
} from "../../shell/window.ts";
import type { ServersView } from "../serversView.ts";
import { isServerWindow, remotePlaceOf } from "./remotePlace.ts";
import { chooseSshServer } from "./sshChoice.ts";
import { showSshProblem } from "./sshProblem.ts";

const patienceMs = 20_000;

/** Forwards a port that the user chooses from those that the record or the server names, or types. */
export async function forwardPort(serversView: ServersView, called?: TreeRow): Promise<void> {
  const row = await chooseSshServer(serversView, called);
  const choice = row === undefined ? undefined : await askPort(serversView, row);
  if (row === undefined || choice === undefined) return;
  if (await isServerWindow(serversView, row)) return openInPortsView(choice);
  const opened = await openPort(serversView, row, choice);
  if (opened === undefined) return;
  const open = vscode.l10n.t("Open in Browser");
  const copy = vscode.l10n.t("Copy Address");
  const message = vscode.l10n.t(
    "Port {0} of {1} is forwarded to {2}.",
    String(choice.remote.port),
    serverName(row.server),
    opened.address,
  );
  const picked = await showInformationMessage(message, open, copy);
  if (picked === open) await openInBrowser(opened);
  if (picked === copy) await copyAddress(opened);
}

/** Undefined if the user cancels, or if it fails, which is reported. */
async function openPort(
  serversView: ServersView,
  row: ServerRow,
  choice: PortChoice,
): Promise<PortRow | undefined> {
  const tunnels = await serversView.loadTunnels();
  const title = vscode.l10n.t("Connecting to {0}…", serverName(row.server));
  const opened = await withLateProgress(title, ({ signal }) => tunnels.forward(row, choice, signal));
  if (opened === undefined) return undefined;
  if (!("kind" in opened)) return void showSshProblem(row, opened);
  // VS Code doesn't expand a row that it has shown without rows below it.
  if (serversView.view.visible)
    void serversView.view.reveal(opened, { select: false }).then(undefined, () => undefined);
  return opened;
}

interface PortItem extends vscode.QuickPickItem {
  readonly choice?: PortChoice;
}

/** The ports of the record are there at once, those that the server names a moment later. */
async function askPort(serversView: ServersView, row: ServerRow): Promise<PortChoice | undefined> {
  const pick = vscode.window.createQuickPick<PortItem>();
  pick.title = vscode.l10n.t("Forward Port of {0}", serverName(row.server));
  pick.placeholder = vscode.l10n.t("Select a port, or type its number");
  pick.matchOnDescription = true;
  const controller = new AbortController();
  let choices = portChoices(row.server, []);
  let note = "";
  const items = (): readonly PortItem[] => {
    const typed = readPort(pick.value);
    const isNoPort = /\d/.test(pick.value) && typed === undefined;
    const hint = isNoPort ? vscode.l10n.t("Enter a port number from 1 to 65535.") : note;
    const isListed = choices.some(({ remote }) => remote.port === typed);
    const own = typed === undefined || isListed ? [] : [{ remote: { host: "localhost", port: typed } }];
    return [
      ...own.map(({ remote }) => ({
        label: vscode.l10n.t("Port {0}", String(remote.port)),
        choice: { remote, name: "", detail: "" },
      })),
      ...choices.map((choice) => ({
        label: [String(choice.remote.port), escapeCodicons(choice.name)].filter(Boolean).join(" · "),
        description: choice.detail,
        choice,
      })),
      ...(hint === "" ? [] : [{ label: hint, alwaysShow: true }]),
    ];
  };
  const show = (): void => void (pick.items = items().map(inertItem));
  pick.onDidChangeValue(show);
  show();
  pick.busy = true;
  void readPorts(serversView, row, controller.signal).then((found) => {
    if (controller.signal.aborted) return;
    if (typeof found === "string") note = found;
    else choices = portChoices(row.server, found);
    pick.busy = false;
    replaceItems(pick, items(), ({ choice, label }) =>
      choice === undefined ? label : JSON.stringify(choice.remote),
    );
  });
  return new Promise((resolve) => {
    pick.onDidAccept(() => {
      const choice = pick.activeItems[0]?.choice;
      if (choice === undefined) return;
      resolve(choice);
      pick.hide();
    });
    pick.onDidHide(() => {
      controller.abort();
      resolve(undefined);
      pick.dispose();
    });
    pick.show();
  });
}

/** Or why the server can't be asked. */
async function readPorts(
  serversView: ServersView,
  row: ServerRow,
  signal: AbortSignal,
): Promise<ReturnType<typeof readListening> | string> {
  const place = await remotePlaceOf(serversView, row);
  const result = place && (await runRemote(place, listeningSteps, { patienceMs, signal }));
  if (result === undefined) return [];
  if ("lines" in result) return readListening(result.lines);
  return vscode.l10n.t("The server couldn't be asked which ports are in use.");
}

/** In the window of the server itself, VS Code forwards ports, and shows them. */
async function openInPortsView({ remote: { port } }: PortChoice): Promise<void> {
  await vscode.env.asExternalUri(vscode.Uri.parse(`http://localhost:${port}/`));
  await vscode.commands.executeCommand("~remote.forwardedPorts.focus");
}

/** The port in the row, or one that the user picks. */
export async function choosePort(
  { tunnels, selection }: ServersView,
  called?: TreeRow,
): Promise<PortRow | undefined> {
  const target = called ?? selection;
  if (target?.kind === "port") return target;
  const items = (tunnels?.rows ?? []).map((port) => ({
    label: escapeCodicons(port.title),
    description: escapeCodicons(port.text),
    detail: escapeCodicons(serverName(port.parent.server)),
    port,
  }));
  if (items.length === 0) showConfirmation(vscode.l10n.t("No ports are forwarded."));
  if (items.length <= 1) return items[0]?.port;
  return (await showQuickPick(items, { placeHolder: vscode.l10n.t("Forwarded port") }))?.port;
}

/** Opens the address of a forwarded port. */
export async function openInBrowser({ localPort }: PortRow): Promise<void> {
  await vscode.env.openExternal(vscode.Uri.parse(`http://localhost:${localPort}/`));
}

/** Copies the address without a scheme: the program there may not speak HTTP. */
export async function copyAddress({ localPort }: PortRow): Promise<void> {
  await vscode.env.clipboard.writeText(`localhost:${localPort}`);
  setStatusBarMessage(vscode.l10n.t("{0} copied", `localhost:${localPort}`), 3_000);
}
