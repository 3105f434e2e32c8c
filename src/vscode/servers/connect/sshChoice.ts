import * as vscode from "vscode";
import { portMessage } from "../../../core/servers/connect/recordPorts.ts";
import type { PortState } from "../../../core/servers/connect/recordPorts.ts";
import { sshTargetOf } from "../../../core/servers/connect/sshTarget.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { TreeRow, ServerRow } from "../../../core/servers/tree/rows.ts";
import { checkPort } from "../../../gateway/http/checkPort.ts";
import { readSshRoute } from "../../../processes/servers/sshRoute.ts";
import { showWarningMessage, withLateProgress } from "../../shell/window.ts";
import { chooseServer } from "../chooseServer.ts";
import type { ServersView } from "../serversView.ts";

const portTimeoutMs = 5_000;

/**
 * Whether anything listens where `ssh` connects to for a server. What leads through another host counts as open, because
 * it can't be checked. Undefined if the record doesn't say how to connect. Rejects only with the signal's reason.
 */
export async function checkSsh(
  { server }: ServerRow,
  signal: AbortSignal,
): Promise<{ readonly state: PortState; readonly host: string; readonly port: number } | undefined> {
  const target = sshTargetOf(server);
  if (target === undefined) return undefined;
  const { host, port, isProxied } = await readSshRoute(target);
  return { state: isProxied ? "open" : await checkPort(host, port, portTimeoutMs, signal), host, port };
}

/** Checks whether the server accepts connections. If not, the user decides. Also false if the check is canceled. */
export async function maySsh(row: ServerRow): Promise<boolean> {
  const { address, isPrivateAddress } = row.server;
  const title = vscode.l10n.t("Checking the SSH port of {0}…", serverName(row.server));
  const found = await withLateProgress(title, ({ signal }) => checkSsh(row, signal).catch(() => undefined));
  if (found === undefined || found.state === "open") return found !== undefined;
  const { state, host, port } = found;
  const isPrivate = isPrivateAddress === true && address?.value === sshTargetOf(row.server)?.host;
  const connectAnyway = vscode.l10n.t("Connect Anyway");
  const sentence = portMessage(state, host, port, isPrivate, process.platform);
  // Modal, because the user is waiting for it and a notification would disappear before it was read.
  return (await showWarningMessage(sentence, { modal: true }, connectAnyway)) === connectAnyway;
}

/** The server in the tree row, or one that the user picks from those that can be reached by SSH. */
export function chooseSshServer(
  serversView: ServersView,
  row: TreeRow | undefined,
): Promise<ServerRow | undefined> {
  return chooseServer(serversView, row, (server) => sshTargetOf(server) !== undefined);
}
