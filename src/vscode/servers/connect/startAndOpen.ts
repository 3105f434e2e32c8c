import { setTimeout as wait } from "node:timers/promises";
import * as vscode from "vscode";
import { changeTimeoutMs } from "../../../core/servers/actions/expectedChange.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { ServerRow } from "../../../core/servers/tree/rows.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { showWarningMessage, withLateProgress } from "../../shell/window.ts";
import { confirmLater } from "../actions/runAction.ts";
import type { ServersView } from "../serversView.ts";
import { checkSsh } from "./sshChoice.ts";

const checkMs = 3_000;

/** Whether a server must be started, or must finish starting, before it can be opened. */
export function mustStart({ server, actionFacts }: ServerRow): boolean {
  return (
    server.status === "starting" ||
    (server.status === "stopped" && actionFacts?.includes("canStart") === true)
  );
}

/**
 * Starts the server if the user agrees, and waits until it accepts connections. Undefined if the user cancels, which
 * doesn't stop the server again, or if it fails, which is reported.
 */
export async function startForSsh(serversView: ServersView, row: ServerRow): Promise<ServerRow | undefined> {
  const { profileName, key, server } = row;
  const name = serverName(server);
  if (server.status !== "starting") {
    const run = await confirmLater(serversView, "start", row, {
      question: vscode.l10n.t("Start {0}? It is stopped.", name),
      button: vscode.l10n.t("Start and Open"),
      note: vscode.l10n.t("It is opened as soon as it accepts SSH connections."),
    });
    if (run === undefined) return undefined;
    await run();
    // Without a request that was accepted, there is nothing to wait for. Why is shown already.
    const change = serversView.actionStore.of(profileName).changes.get(key);
    const now = serversView.rows.find(profileName, key)?.server.status;
    if (change?.kind !== "start" && now !== "starting" && now !== "running") return undefined;
  }
  const title = vscode.l10n.t("Waiting until {0} accepts SSH connections…", name);
  const outcome = await withLateProgress(title, ({ report, signal }) =>
    waitForSsh(serversView, row, report, signal).catch((error: unknown) => {
      if (signal.aborted) return undefined;
      throw error;
    }),
  );
  if (outcome === undefined || typeof outcome !== "string") return outcome;
  const open = vscode.l10n.t("Open in Console");
  const hasConsole = serversView.actionStore.of(profileName).hasConsole;
  const picked = await showWarningMessage(outcome, ...(hasConsole ? [open] : []));
  if (picked === open) await vscode.commands.executeCommand(commandIds.openServerConsole, row);
  return undefined;
}

/** The server once it accepts connections, or a sentence that says why it can't be opened. */
async function waitForSsh(
  serversView: ServersView,
  { profileName, key, server }: ServerRow,
  report: (message: string) => void,
  signal: AbortSignal,
): Promise<ServerRow | string> {
  const name = serverName(server);
  const end = Date.now() + changeTimeoutMs;
  for (let refreshAt = Date.now() + 10_000; Date.now() < end; await wait(checkMs, undefined, { signal })) {
    // The list is requested more often after an action; this is for a server that starts anyway.
    if (Date.now() > refreshAt) {
      refreshAt = Date.now() + 10_000;
      await serversView.refresh(profileName);
    }
    const row = serversView.rows.find(profileName, key);
    if (row === undefined || row.server.id?.value !== server.id?.value)
      return vscode.l10n.t("{0} is no longer in the list, so it wasn't opened.", name);
    const { status } = row.server;
    report(row.change?.text ?? row.status ?? "");
    const isWaiting = serversView.actionStore.of(profileName).changes.get(key)?.kind === "start";
    if (status === "error" || (!isWaiting && (status === "stopped" || status === "stopping")))
      return vscode.l10n.t(
        "{0} didn't start, so it wasn't opened. Its status: {1}",
        name,
        row.status ?? status,
      );
    if (status === "running" && (await checkSsh(row, signal))?.state === "open") return row;
  }
  return vscode.l10n.t(
    "{0} doesn't accept SSH connections after {1} minutes, so it wasn't opened. It may be running and cost money.",
    name,
    String(changeTimeoutMs / 60_000),
  );
}
