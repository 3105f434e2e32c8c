import { randomBytes } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import * as vscode from "vscode";
import { isVisible, sanitizeLabel } from "../../../core/kernel/foreignText.ts";
import type { Credential } from "../../../core/kernel/credential.ts";
import { gpuLookSteps } from "../../../core/servers/gpu/gpuScript.ts";
import { plainLog } from "../../../core/servers/jobs/job.ts";
import type { Job, JobEnvironment } from "../../../core/servers/jobs/job.ts";
import { secretSteps, tailSteps } from "../../../core/servers/jobs/jobScripts.ts";
import { endpointUrl } from "../../../core/servers/connect/modelEndpoint.ts";
import { holderText } from "../../../core/servers/serve/modelFit.ts";
import {
  curedCommand,
  exposureOf,
  keyVariableOf,
  portOfCommand,
} from "../../../core/servers/serve/serveCommand.ts";
import { explainServeFailure } from "../../../core/servers/serve/serveFailure.ts";
import { heldMemory, shortModelName } from "../../../core/servers/serve/servedModel.ts";
import type { ServedModel } from "../../../core/servers/serve/servedModel.ts";
import { readServeProbe } from "../../../core/servers/serve/serveProbe.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { JobRow, ServerRow } from "../../../core/servers/tree/rows.ts";
import { commandIds } from "../../shell/commandIds.ts";
import {
  showConfirmation,
  showInformationMessage,
  showInputBox,
  showWarningMessage,
  withProgress,
} from "../../shell/window.ts";
import { endJob, loginShell, startJob } from "../jobs/jobActions.ts";
import { loadingJobs, setLoading } from "../serversHost.ts";
import type { ServersView } from "../serversView.ts";
import { runShown } from "./findModels.ts";

/** Milliseconds between two looks at a job whose model isn't ready. */
const lookMs = 5_000;
/** A model that isn't ready by then isn't waited for anymore. */
const longestLoadMs = 3_600_000;
const longestCommand = 4_000;

/** What was confirmed. */
export interface ServeOrder {
  /** Of the job. */
  readonly id: string;
  readonly command: string;
  readonly served: ServedModel;
}

/** Shows the exact command, and serves the model with it once the user agrees. */
export async function serve(
  serversView: ServersView,
  row: ServerRow,
  order: ServeOrder,
  note: string,
): Promise<void> {
  const confirmed = await confirm(row, order, note);
  if (confirmed !== undefined) await start(serversView, row, confirmed);
}

/** Shows the exact command, which can be edited, until it is started or canceled. */
async function confirm(row: ServerRow, proposed: ServeOrder, note: string): Promise<ServeOrder | undefined> {
  let order = proposed;
  const start = vscode.l10n.t("Start Serving");
  const edit = vscode.l10n.t("Edit Command…");
  const { name } = order.served;
  const message = vscode.l10n.t("Serve {0} on {1}?", shortModelName(name), serverName(row.server));
  for (;;) {
    const access =
      keyVariableOf(order.served.runtime) === undefined
        ? vscode.l10n.t(
            "This program has no private way to receive a key: every account on the server can use the model.",
          )
        : vscode.l10n.t(
            "Requests need a random key, which is in a private file on the server and never in the command.",
          );
    const detail = [order.command, exposureOf(order.command) ?? "", access, note].filter(
      (part) => part !== "",
    );
    const options = { modal: true, detail: detail.join("\n\n") };
    const picked = await showInformationMessage(message, options, start, edit);
    if (picked === start) return order;
    if (picked !== edit) return undefined;
    const command = await showInputBox({
      title: vscode.l10n.t("Edit the Command"),
      value: order.command,
      ignoreFocusOut: true,
      validateInput: (text) =>
        text.trim() === "" || text.length > longestCommand || !isVisible(text)
          ? vscode.l10n.t("Enter a command on one line.")
          : undefined,
    });
    if (command === undefined) continue;
    const port = portOfCommand(command, order.served.port);
    order = { ...order, command: command.trim(), served: { ...order.served, port } };
  }
}

/** Starts what was confirmed, and opens a chat once the model responds. */
async function start(serversView: ServersView, row: ServerRow, order: ServeOrder): Promise<void> {
  const { id, command, served } = order;
  const variable = keyVariableOf(served.runtime);
  const key = variable === undefined ? undefined : randomBytes(32).toString("hex");
  const { folder: path } = served;
  const environment: JobEnvironment =
    path === "" ? loginShell() : { kind: "venv", path, label: sanitizeLabel(path) };
  const secrets = variable === undefined || key === undefined ? {} : { [variable]: key };
  const details = JSON.stringify(served);
  const job = { id, command, environment, folder: "~", details, secrets };
  if (await startJob(serversView, row, shortModelName(served.name), job))
    await chatWhenReady(serversView, row, id, served, key);
}

/** Opens the way to a served model, waits until it responds there, and opens a chat, unless the job ends before. */
async function chatWhenReady(
  serversView: ServersView,
  row: ServerRow,
  id: string,
  served: ServedModel,
  key: string | undefined,
): Promise<void> {
  const models = await serversView.loadModels();
  const { port, name: label } = served;
  const controller = new AbortController();
  const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(longestLoadMs)]);
  const title = vscode.l10n.t("Loading {0} on {1}…", shortModelName(label), serverName(row.server));
  await setLoading(serversView.context, id, true);
  const run = async (): Promise<void> => {
    const localPort = await models.open(row, port, label);
    if (localPort === undefined) return;
    const credential: Credential | undefined =
      key === undefined ? undefined : { kind: "apiKey", apiKey: key };
    const ready = models.ready(localPort, credential, signal);
    const names = await Promise.race([ready, watchEnd(serversView, row, id, signal)]);
    controller.abort();
    if (names === undefined) return models.close(localPort);
    const model = names.includes(label) ? label : names[0];
    await models.chat(row, { port, localPort, model, label, credential, job: id });
    serversView.jobs.paint();
  };
  try {
    await withProgress({ location: vscode.ProgressLocation.Window, title }, run);
  } finally {
    await setLoading(serversView.context, id, false);
  }
}

/** Goes on waiting for the models that were loading when the window was reloaded, once their rows are there. */
export function resumeLoading(serversView: ServersView): void {
  const left = new Set(loadingJobs(serversView.context));
  const resume = async (row: JobRow): Promise<void> => {
    // A server that can't be reached now isn't tried at every start.
    await setLoading(serversView.context, row.job.id, false);
    if (row.job.state === "running") await chatWithServed(serversView, row);
  };
  const look = (): void => {
    const rows = serversView.rows.serverRows.flatMap((row) => serversView.jobs.rowsOf(row));
    for (const row of rows) if (left.delete(row.job.id)) void resume(row);
    if (left.size === 0) unsubscribe();
  };
  const unsubscribe = serversView.onDidPaint(look);
  look();
}

/** Resolves once the job has ended. While the server can't be reached, nothing is known about it. */
async function watchEnd(
  { jobs }: ServersView,
  row: ServerRow,
  id: string,
  signal: AbortSignal,
): Promise<undefined> {
  while (!signal.aborted && (jobs.find(id)?.state ?? "running") === "running") {
    await sleep(lookMs, undefined, { signal }).catch(() => undefined);
    if (!signal.aborted) await jobs.look(row);
  }
}

/** Says why a served model's program ended, with its own words beside it, and offers what may cure it. */
export async function explainEnd(
  serversView: ServersView,
  row: ServerRow,
  job: Job,
  served: ServedModel,
): Promise<void> {
  const { id, command } = job;
  const title = vscode.l10n.t("Connecting to {0}…", serverName(row.server));
  const lines = await runShown(serversView, row, tailSteps(id), title);
  const failure = explainServeFailure(plainLog((lines ?? []).join("\n")), job.exitCode);
  const { text, line, remedy } = failure;
  const cure = remedy === undefined ? undefined : curedCommand(command, served.runtime, served.port, remedy);
  const why = line === "" ? text : `${text} “${line}”`;
  const name = shortModelName(served.name);
  const message = vscode.l10n.t("{0} isn't served on {1}. {2}", name, serverName(row.server), why);
  const showLog = vscode.l10n.t("Show Log");
  const picked = await showWarningMessage(message, ...(cure === undefined ? [] : [cure.label]), showLog);
  if (picked === showLog) await serversView.jobs.runOnRow(commandIds.showJobLog, row, id);
  if (cure === undefined || picked !== cure.label) return;
  const next = randomBytes(8).toString("hex");
  const port = remedy?.kind === "port" ? served.port + 1 : served.port;
  const order = { id: next, command: cure.command, served: { ...served, port } };
  await serve(serversView, row, order, text);
}

/** Opens a chat with a model that is served, from whichever window or machine. */
export async function chatWithServed(
  serversView: ServersView,
  { server, job, served }: JobRow,
): Promise<void> {
  if (served === undefined) return;
  const title = vscode.l10n.t("Connecting to {0}…", shortModelName(served.name));
  const lines = await runShown(serversView, server, secretSteps(job.id), title);
  const key = lines?.map((line) => /^[A-Z_]{1,40}=([0-9a-f]{64})$/.exec(line)?.[1]).find(Boolean);
  if (lines !== undefined) await chatWhenReady(serversView, server, job.id, served, key);
}

/** Copies the address of this machine that leads to a served model. The key of its profile isn't part of it. */
export async function copyModelEndpoint(serversView: ServersView, { server, served }: JobRow): Promise<void> {
  if (served === undefined) return;
  const models = await serversView.loadModels();
  const localPort = await models.open(server, served.port, served.name);
  if (localPort === undefined) return;
  const url = endpointUrl("127.0.0.1", localPort);
  await vscode.env.clipboard.writeText(url);
  showConfirmation(vscode.l10n.t("{0} copied", url));
}

/** Ends a served model after a question, and says whether its memory is free again, or who holds it. */
export async function stopServing(serversView: ServersView, row: JobRow): Promise<void> {
  const { server, served, name } = row;
  if (served === undefined) return;
  const stop = vscode.l10n.t("Stop Serving");
  const message = vscode.l10n.t("Stop serving {0} on {1}?", name, serverName(server.server));
  const detail = vscode.l10n.t(
    "Everything that was started to serve it ends, and its memory is checked afterwards. Processes of others aren't touched.",
  );
  if ((await showWarningMessage(message, { modal: true, detail }, stop)) !== stop) return;
  if (!(await endJob(serversView, row))) return;
  const title = vscode.l10n.t("Stopping {0}…", name);
  // Drivers free the memory a moment later.
  const lines = (await runShown(serversView, server, `run sleep 1\n${gpuLookSteps}`, title)) ?? [];
  const held = heldMemory(served, readServeProbe(lines).gpus);
  if (held.length === 0) return void showInformationMessage(vscode.l10n.t("{0} is no longer served.", name));
  const holders = held.flatMap(({ gpu, holders: found }) => {
    const names = found.length === 0 ? [vscode.l10n.t("an unknown process")] : found.map(holderText);
    return names.map((who) => vscode.l10n.t("GPU {0}: {1}", String(gpu), who));
  });
  const still = vscode.l10n.t(
    "{0} is no longer served, but more memory is in use than before. {1}",
    ...[name, holders.join(" · ")],
  );
  void showWarningMessage(still);
}
