import * as vscode from "vscode";
import { endpointUrl } from "../../../core/servers/connect/modelEndpoint.ts";
import { serveProbeSteps } from "../../../core/servers/serve/probeScript.ts";
import { readServeProbe } from "../../../core/servers/serve/serveProbe.ts";
import type { RunningEndpoint, ServeProbe } from "../../../core/servers/serve/serveProbe.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { ServerRow, TreeRow } from "../../../core/servers/tree/rows.ts";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { runRemote } from "../../../processes/servers/runRemote.ts";
import {
  showInformationMessage,
  showQuickPick,
  showWarningMessage,
  withLateProgress,
} from "../../shell/window.ts";
import { checkEndpoint } from "../connect/askEndpoint.ts";
import { remotePlaceOf } from "../connect/remotePlace.ts";
import { chooseSshTarget } from "../connect/sshChoice.ts";
import { showSshProblem } from "../connect/sshProblem.ts";
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

/** Lets the user choose one of the models that a server serves already, and opens a chat with it. */
export async function useRunningModel(serversView: ServersView, called?: TreeRow): Promise<void> {
  const row = (await chooseSshTarget(serversView, called))?.row;
  const probe = row === undefined ? undefined : await probeModels(serversView, row);
  if (row === undefined || probe === undefined) return;
  const name = serverName(row.server);
  const items = probe.endpoints.flatMap((endpoint) =>
    (endpoint.models ?? [undefined]).slice(0, 50).map((model) => endpointItem(endpoint, model)),
  );
  if (items.length === 0) {
    const message = vscode.l10n.t(
      "No model server was found on {0}. It may listen on an unusual port.",
      name,
    );
    return void showInformationMessage(message);
  }
  const picked = await showQuickPick(items, {
    title: vscode.l10n.t("Models That Run on {0}", name),
    placeHolder: vscode.l10n.t("Model to chat with"),
    matchOnDescription: true,
  });
  if (picked !== undefined) await useEndpoint(serversView, row, picked.endpoint, picked.model);
}

function endpointItem(
  endpoint: RunningEndpoint,
  model: string | undefined,
): vscode.QuickPickItem & { readonly endpoint: RunningEndpoint; readonly model: string | undefined } {
  const { port, owner, isOwn, program, container, needsKey } = endpoint;
  const facts = [
    model === undefined ? "" : program,
    vscode.l10n.t("port {0}", String(port)),
    container === "" ? "" : vscode.l10n.t("container {0}", container),
    isOwn
      ? vscode.l10n.t("started by you")
      : owner === ""
        ? vscode.l10n.t("owner unknown")
        : vscode.l10n.t("started by {0}", owner),
    needsKey ? vscode.l10n.t("needs an API key") : "",
  ];
  return {
    label: escapeCodicons(model ?? (program === "" ? vscode.l10n.t("Model server") : program)),
    description: escapeCodicons(facts.filter((fact) => fact !== "").join(" · ")),
    ...{ endpoint, model },
  };
}

/** Says to whom the endpoint belongs before anything is sent there, and opens a chat. */
export async function useEndpoint(
  serversView: ServersView,
  row: ServerRow,
  endpoint: RunningEndpoint,
  model: string | undefined,
): Promise<void> {
  const { port, owner, isOwn, isSystem } = endpoint;
  if (!isOwn && !isSystem && !(await mayUse(owner))) return;
  const models = await serversView.loadModels();
  const label = model ?? vscode.l10n.t("Port {0}", String(port));
  const localPort = await models.open(row, port, label);
  if (localPort === undefined) return;
  const url = endpointUrl("http", "127.0.0.1", localPort);
  const checked = await checkEndpoint(serversView.context, label, url);
  if (checked === undefined || checked === "otherPlace") return models.close(localPort);
  await models.chat(row, { port, localPort, model, label, credential: checked.credential });
}

async function mayUse(owner: string): Promise<boolean> {
  const use = vscode.l10n.t("Use Endpoint");
  const message =
    owner === ""
      ? vscode.l10n.t("It isn't known to whom this endpoint belongs. Your messages go to it.")
      : vscode.l10n.t("This endpoint belongs to {0}. Your messages go to it.", owner);
  return (await showWarningMessage(message, { modal: true }, use)) === use;
}
