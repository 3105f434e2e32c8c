import * as vscode from "vscode";
import { portMessage } from "../../../core/servers/connect/recordPorts.ts";
import { sshTargetOf } from "../../../core/servers/connect/sshTarget.ts";
import type { SshTarget } from "../../../core/servers/connect/sshTarget.ts";
import type { TreeRow, ServerRow } from "../../../core/servers/tree/rows.ts";
import { checkPort } from "../../../gateway/http/checkPort.ts";
import { readSshRoute } from "../../../processes/servers/sshRoute.ts";
import { showWarningMessage, withLateProgress } from "../../shell/window.ts";
import { chooseServer } from "../chooseServer.ts";
import type { ServersView } from "../serversView.ts";

const portTimeoutMs = 5_000;

/** Checks whether anything is listening there. If not, the user decides. Also false if the check is canceled. */
async function mayConnect(host: string, port: number, isPrivate: boolean): Promise<boolean> {
  const title = vscode.l10n.t("Checking port {0} of {1}…", String(port), host);
  const state = await withLateProgress(title, ({ signal }) =>
    checkPort(host, port, portTimeoutMs, signal).catch(() => undefined),
  );
  if (state === undefined) return false;
  if (state === "open") return true;
  const connectAnyway = vscode.l10n.t("Connect Anyway");
  const sentence = portMessage(state, host, port, isPrivate, process.platform);
  // Modal, because the user is waiting for it and a notification would disappear before it was read.
  const picked = await showWarningMessage(sentence, { modal: true }, connectAnyway);
  return picked === connectAnyway;
}

/** A server and the route to it. */
export interface SshChoice {
  readonly row: ServerRow;
  readonly target: SshTarget;
}

/**
 * Checks whether the server accepts connections. If not, the user decides. What leads through another host can't be
 * checked.
 */
export async function maySsh({ row, target }: SshChoice): Promise<boolean> {
  const { address, isPrivateAddress } = row.server;
  const isPrivate = isPrivateAddress === true && address?.value === target.host;
  const { host, port, isProxied } = await readSshRoute(target);
  return isProxied || (await mayConnect(host, port, isPrivate));
}

/** The server in the tree row, or one that the user picks from those that can be reached by SSH. */
export async function chooseSshTarget(
  serversView: ServersView,
  row: TreeRow | undefined,
): Promise<SshChoice | undefined> {
  const chosen = await chooseServer(serversView, row, (server) => sshTargetOf(server) !== undefined);
  const target = chosen === undefined ? undefined : sshTargetOf(chosen.server);
  return chosen === undefined || target === undefined ? undefined : { row: chosen, target };
}
