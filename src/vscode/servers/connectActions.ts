import { connect } from "node:net";
import * as vscode from "vscode";
import type { SshTarget } from "../../core/servers/connect/sshTarget.ts";
import { sshCommand, sshTargetOf } from "../../core/servers/connect/sshTarget.ts";
import { webAddresses } from "../../core/servers/connect/webAddresses.ts";
import type { Row } from "../../core/servers/tree/rows.ts";
import { rowLabel } from "../../core/servers/tree/rowWords.ts";
import { chooseServer } from "./chooseServer.ts";
import type { FleetView } from "./fleetView.ts";

const portTimeoutMs = 5_000;

/** Ways to a server that its record offers. */
export const connectActions = {
  async copySshCommand(fleet: FleetView, row?: Row): Promise<void> {
    const chosen = await chooseServer(fleet, row, (server) => sshTargetOf(server) !== undefined);
    const target = chosen === undefined ? undefined : sshTargetOf(chosen.server);
    if (target === undefined) return;
    await vscode.env.clipboard.writeText(sshCommand(target));
    vscode.window.setStatusBarMessage(vscode.l10n.t("{0} copied", sshCommand(target)), 3_000);
  },
  async openSshTerminal(fleet: FleetView, row?: Row): Promise<void> {
    const chosen = await chooseServer(fleet, row, (server) => sshTargetOf(server) !== undefined);
    const target = chosen === undefined ? undefined : sshTargetOf(chosen.server);
    if (chosen === undefined || target === undefined || !(await mayConnect(target))) return;
    const terminal = vscode.window.createTerminal({ name: `SSH ${rowLabel(chosen)}` });
    terminal.show();
    terminal.sendText(sshCommand(target));
  },
  async openServerPage(fleet: FleetView, row?: Row): Promise<void> {
    const chosen = await chooseServer(fleet, row, (server) => webAddresses(server).length > 0);
    if (chosen === undefined) return;
    const placeHolder = vscode.l10n.t("Address to open in the browser");
    const address = await vscode.window.showQuickPick([...webAddresses(chosen.server)], { placeHolder });
    if (address !== undefined) await vscode.env.openExternal(vscode.Uri.parse(address, true));
  },
};

/** Looks whether somebody listens; where nobody does the user decides. */
async function mayConnect({ host, port }: SshTarget): Promise<boolean> {
  const title = vscode.l10n.t("Checking port {0} of {1}…", port, host);
  const location = vscode.ProgressLocation.Notification;
  const isOpen = await vscode.window.withProgress({ location, title }, () => isListening(host, port));
  if (isOpen) return true;
  const openAnyway = vscode.l10n.t("Open Anyway");
  const message = vscode.l10n.t(
    "Port {0} of {1} can't be reached from here: the server may be off, or a firewall or a missing VPN is in the way.",
    port,
    host,
  );
  return (await vscode.window.showWarningMessage(message, openAnyway)) === openAnyway;
}

function isListening(host: string, port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (isOpen: boolean): void => {
      socket.destroy();
      resolve(isOpen);
    };
    socket.setTimeout(portTimeoutMs, () => end(false));
    socket.once("connect", () => end(true));
    socket.once("error", () => end(false));
  });
}
