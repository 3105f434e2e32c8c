import * as vscode from "vscode";
import { inertText } from "../../../core/conversation/inertText.ts";
import { escapeCodicons } from "../../../core/kernel/escapeCodicons.ts";
import { sanitizeLabel } from "../../../core/kernel/sanitizeLabel.ts";
import { sshCommand } from "../../../core/servers/connect/sshTarget.ts";
import { webAddresses } from "../../../core/servers/connect/webAddresses.ts";
import type { Row } from "../../../core/servers/tree/rows.ts";
import { rowLabel } from "../../../core/servers/tree/rowLabels.ts";
import { chooseServer } from "../chooseServer.ts";
import type { ServersView } from "../serversView.ts";
import { chooseSshTarget, maySsh } from "./sshChoice.ts";
import { setStatusBarMessage, showQuickPick, showWarningMessage } from "../../shell/window.ts";

/** Ways to a server that its record offers. */
export const connectActions = {
  async copySshCommand(serversView: ServersView, row?: Row): Promise<void> {
    const target = (await chooseSshTarget(serversView, row))?.target;
    if (target === undefined) return;
    await vscode.env.clipboard.writeText(sshCommand(target));
    setStatusBarMessage(vscode.l10n.t("{0} copied", sshCommand(target)), 3_000);
  },
  async openSshTerminal(serversView: ServersView, row?: Row): Promise<void> {
    const chosen = await chooseSshTarget(serversView, row);
    if (chosen === undefined || !(await maySsh(chosen))) return;
    const terminal = vscode.window.createTerminal({ name: inertText(`SSH ${rowLabel(chosen.row)}`, 100) });
    terminal.show();
    terminal.sendText(sshCommand(chosen.target));
  },
  async openRemoteSsh(serversView: ServersView, row?: Row): Promise<void> {
    const chosen = await chooseSshTarget(serversView, row);
    if (chosen === undefined) return;
    const { openRemoteSsh } = await import("./openRemoteSsh.ts");
    await openRemoteSsh(serversView, chosen);
  },
  async removeSshHosts(serversView: ServersView): Promise<void> {
    const { removeSshHosts } = await import("./openRemoteSsh.ts");
    await removeSshHosts(serversView);
  },
  async useModelEndpoint(serversView: ServersView, row?: Row): Promise<void> {
    const { useModelEndpoint } = await import("./useModelEndpoint.ts");
    await useModelEndpoint(serversView, row);
  },
  openServerPage,
};

/** The address is always shown with the field that it was found in; one that leads elsewhere is asked about besides. */
async function openServerPage(serversView: ServersView, row?: Row): Promise<void> {
  const chosen = await chooseServer(serversView, row, (server) => webAddresses(server).length > 0);
  if (chosen === undefined) return;
  const items = webAddresses(chosen.server).map((address) => ({
    label: escapeCodicons(address.url),
    description: escapeCodicons(sanitizeLabel(address.source, 80)),
    address,
  }));
  const picked = await showQuickPick(items, {
    title: rowLabel(chosen),
    placeHolder: vscode.l10n.t("Address to open in the browser"),
    matchOnDescription: true,
  });
  if (picked === undefined) return;
  const { url, source, isElsewhere } = picked.address;
  if (isElsewhere && !(await mayOpenElsewhere(url, sanitizeLabel(source, 80)))) return;
  await vscode.env.openExternal(vscode.Uri.parse(url, true));
}

async function mayOpenElsewhere(url: string, source: string): Promise<boolean> {
  const open = vscode.l10n.t("Open in Browser");
  const message = vscode.l10n.t("Open an address on a different host?");
  const detail = vscode.l10n.t("{0}\n\nReported only by the field {1} of the server's record.", url, source);
  return (await showWarningMessage(message, { modal: true, detail }, open)) === open;
}
