import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { escapeCodicons } from "../../../core/kernel/foreignText.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import { sshTargetOf } from "../../../core/servers/connect/sshTarget.ts";
import { fitModel, fitText, gibText } from "../../../core/servers/serve/modelFit.ts";
import { freePortOf, pairsOf, serveCommand } from "../../../core/servers/serve/serveCommand.ts";
import type { ServePlan } from "../../../core/servers/serve/serveCommand.ts";
import { shortModelName } from "../../../core/servers/serve/servedModel.ts";
import type { ServedModel } from "../../../core/servers/serve/servedModel.ts";
import { runtimeNames } from "../../../core/servers/serve/serveProbe.ts";
import type { RunningEndpoint, ServeProbe } from "../../../core/servers/serve/serveProbe.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import { rowFacts } from "../../../core/servers/tree/rows.ts";
import type { JobRow, ServerRow, TreeRow } from "../../../core/servers/tree/rows.ts";
import { showInformationMessage, showQuickPick } from "../../shell/window.ts";
import { chooseServer } from "../chooseServer.ts";
import { chooseSshServer } from "../connect/sshChoice.ts";
import { useModelEndpoint } from "../connect/useModelEndpoint.ts";
import type { ServersView } from "../serversView.ts";
import { probeModels, useEndpoint } from "./findModels.ts";
import { chatWithServed, serve } from "./serveJob.ts";
import type { ServeOrder } from "./serveJob.ts";

const order = ["fits", "tight", "unknown", "tooLarge"];

/** Lets the user choose a model that a server has, shows the exact command, and serves it. */
export async function serveModel(serversView: ServersView, called?: TreeRow): Promise<void> {
  const row = await chooseSshServer(serversView, called);
  const probe = row === undefined ? undefined : await probeModels(serversView, row);
  if (row === undefined || probe === undefined) return;
  const items = pairsOf(probe)
    .map((pair) => planItem(pair, probe))
    .toSorted((first, second) => first.rank - second.rank);
  if (items.length === 0) return void showInformationMessage(nothingText(probe, serverName(row.server)));
  const picked = await showQuickPick(items, {
    title: vscode.l10n.t("Serve a Model on {0}", serverName(row.server)),
    placeHolder: vscode.l10n.t("Model on the server's disk. Whether it fits is an estimate"),
    matchOnDescription: true,
  });
  if (picked === undefined) return;
  const running = probe.endpoints.find(({ program }) => program === runtimeNames.ollama);
  if (picked.plan.runtime.kind === "ollama" && running !== undefined)
    await useEndpoint(serversView, row, running, picked.plan.model.name);
  else await serve(serversView, row, orderOf(picked.plan, probe), noteOf(picked.plan, probe));
}

/** What is missing on the server. */
function nothingText({ models, runtimes }: ServeProbe, server: string): string {
  if (runtimes.length === 0)
    return vscode.l10n.t(
      "No program that serves models was found on {0}. Supported are {1}. Nothing is installed for you.",
      server,
      Object.values(runtimeNames).join(", "),
    );
  return models.length === 0
    ? vscode.l10n.t("No models were found on the disk of {0}. Download one there first.", server)
    : vscode.l10n.t("The programs on {0} can't serve the models on its disk.", server);
}

function planItem(
  pair: Pick<ServePlan, "model" | "runtime">,
  probe: ServeProbe,
): vscode.QuickPickItem & { readonly plan: ServePlan; readonly rank: number } {
  const { model, runtime } = pair;
  const fit = fitModel(model.bytes, model.shape, probe.gpus?.samples ?? [], probe.memoryGib);
  const facts = [
    gibText(Math.max(0.1, model.bytes / 2 ** 30)),
    model.isPartial
      ? vscode.l10n.t("download incomplete")
      : fitText(fit, probe.gpus?.processes ?? [], model.shape.isAtMost),
    `${runtimeNames[runtime.kind]} ${runtime.version}`.trim(),
  ];
  const rank = model.isPartial ? order.length : order.indexOf(fit.verdict);
  return {
    label: escapeCodicons(shortModelName(model.name)),
    description: escapeCodicons(facts.filter((fact) => fact !== "").join(" · ")),
    ...{ plan: { ...pair, fit, port: freePortOf(probe, runtime) }, rank },
  };
}

function orderOf(plan: ServePlan, probe: ServeProbe): ServeOrder {
  const { runtime, model, fit, port } = plan;
  const id = randomBytes(8).toString("hex");
  // What a program of Python calls must be found as well.
  const folder = /^(.+)\/bin\/vllm$/.exec(runtime.program)?.[1] ?? "";
  const isOfSystem = ["/usr", "/usr/local", `${probe.home}/.local`].includes(folder);
  const used = fit.gpus.map((gpu) => probe.gpus?.samples.find(({ index }) => index === gpu)?.memoryUsedMiB);
  const served: ServedModel = {
    ...{ serves: 1, name: model.name, runtime: runtime.kind, port, gpus: [...fit.gpus] },
    usedMiB: used.map((value) => value ?? 0),
    folder: isOfSystem ? "" : folder,
  };
  return { id, command: serveCommand(plan), served };
}

/** What the user should know before it starts. */
function noteOf({ model, fit }: ServePlan, { gpus }: ServeProbe): string {
  const notes = [
    vscode.l10n.t(
      "Estimate: {0}, context of {1} tokens.",
      fitText(fit, gpus?.processes ?? [], model.shape.isAtMost),
      formatNumber(fit.context),
    ),
    model.isPartial ? vscode.l10n.t("Files of the model are missing.") : "",
  ];
  return notes.filter((note) => note !== "").join(" ");
}

interface EndpointItem extends vscode.QuickPickItem {
  readonly endpoint: RunningEndpoint;
  readonly model: string | undefined;
  /** The job that serves it, if it is one of ours, whose key is known. */
  readonly ours: JobRow | undefined;
}

/** Lets the user choose one of the models that a server serves already, or name its port, and opens a chat with it. */
export async function useRunningModel(serversView: ServersView, called?: TreeRow): Promise<void> {
  const suits = (_: unknown, row: ServerRow): boolean => rowFacts(row).includes("hasAddress");
  const row = await chooseServer(serversView, called, suits);
  if (row === undefined) return;
  if (sshTargetOf(row.server) === undefined) return await useModelEndpoint(serversView, row);
  const probe = await probeModels(serversView, row);
  const name = serverName(row.server);
  const jobs = serversView.jobs.rowsOf(row).filter(({ job }) => job.state === "running");
  const found = (probe?.endpoints ?? []).flatMap((endpoint) => {
    const ours = endpoint.isOwn ? jobs.find(({ served }) => served?.port === endpoint.port) : undefined;
    const models = endpoint.models ?? [ours?.served?.name];
    return models.slice(0, 50).map((model) => endpointItem(endpoint, model, ours));
  });
  const other: vscode.QuickPickItem & Partial<EndpointItem> = {
    label: vscode.l10n.t("$(edit) Choose another port or address…"),
    alwaysShow: true,
  };
  const picked = await showQuickPick([...found, other], {
    title: vscode.l10n.t("Models That Run on {0}", name),
    placeHolder:
      found.length > 0
        ? vscode.l10n.t("Model to chat with")
        : vscode.l10n.t("No model server was found on {0}. It may listen on an unusual port.", name),
    matchOnDescription: true,
  });
  if (picked?.ours !== undefined) await chatWithServed(serversView, picked.ours);
  else if (picked?.endpoint !== undefined) await useEndpoint(serversView, row, picked.endpoint, picked.model);
  else if (picked !== undefined) await useModelEndpoint(serversView, row);
}

function endpointItem(
  endpoint: RunningEndpoint,
  model: string | undefined,
  ours: JobRow | undefined,
): EndpointItem {
  const { port, owner, isOwn, program, container, needsKey } = endpoint;
  const facts = [
    model === undefined ? "" : program,
    vscode.l10n.t("port {0}", String(port)),
    container === "" ? "" : vscode.l10n.t("container {0}", container),
    isOwn ? vscode.l10n.t("started by you") : vscode.l10n.t("started by {0}", owner),
    needsKey && ours === undefined ? vscode.l10n.t("needs an API key") : "",
  ];
  return {
    label: escapeCodicons(model ?? (program === "" ? vscode.l10n.t("Model server") : program)),
    description: escapeCodicons(facts.filter((fact) => fact !== "").join(" · ")),
    ...{ endpoint, model, ours },
  };
}
