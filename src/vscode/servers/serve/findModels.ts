import * as vscode from "vscode";
import { serveProbeSteps } from "../../../core/servers/serve/probeScript.ts";
import { readServeProbe } from "../../../core/servers/serve/serveProbe.ts";
import type { RunningEndpoint, ServeProbe } from "../../../core/servers/serve/serveProbe.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { ServerRow } from "../../../core/servers/tree/rows.ts";
import { runRemote } from "../../../processes/servers/runRemote.ts";
import { askRisk, withLateProgress } from "../../shell/window.ts";
import { remotePlaceOf } from "../connect/remotePlace.ts";
import { showSshProblem } from "../connect/sshProblem.ts";
import { usePort } from "../connect/useModelEndpoint.ts";
import type { ServersView } from "../serversView.ts";

/** Milliseconds for a script. */
const patienceMs = 60_000;

/** Runs steps on a server. Undefined if they didn't run to their end, which is shown unless the user canceled. */
export async function runShown(
  serversView: ServersView,
  row: ServerRow,
  steps: string,
  title: string,
): Promise<readonly string[] | undefined> {
  const place = await remotePlaceOf(serversView, row);
  const result =
    place === undefined
      ? ({ problem: "unreachable", errors: "" } as const)
      : await withLateProgress(title, ({ signal }) => runRemote(place, steps, { patienceMs, signal }));
  if (result === undefined || "lines" in result) return result?.lines;
  void showSshProblem(row, result);
  return undefined;
}

/** Looks at what a server has for serving models. */
export async function probeModels(serversView: ServersView, row: ServerRow): Promise<ServeProbe | undefined> {
  const title = vscode.l10n.t("Looking for models on {0}…", serverName(row.server));
  const lines = await runShown(serversView, row, serveProbeSteps, title);
  return lines === undefined ? undefined : readServeProbe(lines);
}

/** Says to whom the endpoint belongs before anything is sent there, and opens a chat. */
export async function useEndpoint(
  serversView: ServersView,
  row: ServerRow,
  endpoint: RunningEndpoint,
  model: string | undefined,
): Promise<void> {
  const { port, owner, isOwn, isSystem } = endpoint;
  const question = vscode.l10n.t("This endpoint belongs to {0}. Your messages will be sent to it.", owner);
  if (isOwn || isSystem || (await askRisk(question, "", { [vscode.l10n.t("Use Endpoint")]: true })) === true)
    await usePort(serversView, row, port, model);
}
