import { randomBytes } from "node:crypto";
import * as vscode from "vscode";
import { escapeCodicons, isVisible, sanitizeLabel } from "../../../core/kernel/foreignText.ts";
import { formatBytes } from "../../../core/kernel/formatTime.ts";
import { bytesOf, shortFolder, shortPaths } from "../../../core/servers/files/fileFacts.ts";
import type { Job, JobEnvironment, ServerJobsReport } from "../../../core/servers/jobs/job.ts";
import { probeSteps, removeSteps, startSteps, stopSteps } from "../../../core/servers/jobs/jobScripts.ts";
import { jobFailures, jobName } from "../../../core/servers/jobs/jobText.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { JobRow, ServerRow, TreeRow } from "../../../core/servers/tree/rows.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { showConfirmation, showQuickPick, showWarningMessage, withLateProgress } from "../../shell/window.ts";
import { confirmLater } from "../actions/runAction.ts";
import { chooseSshServer } from "../connect/sshChoice.ts";
import { showSshProblem } from "../connect/sshProblem.ts";
import { chooseRemoteFolder } from "../files/chooseFolder.ts";
import { fileServerOf } from "../files/transfers.ts";
import { findChanges } from "../files/uploadPlan.ts";
import { keepWorkFolder, sourceOf, workFolderOf } from "../files/workFolder.ts";
import type { ServersView } from "../serversView.ts";
import { askCommand, suggestedCommands } from "./jobCommand.ts";

/** Milliseconds until the text of a log must have arrived, and lines that are added to the chat. */
const logPatienceMs = 15_000;
const mostLines = 200;

/** The actions on jobs, by the names of their commands. */
export const jobActions = {
  runOnServer,
  runJobAgain: onJob(runAgain),
  showJobLog: onJob(async (serversView, row) => void (await serversView.jobLogs.show(row))),
  downloadNewFiles: onJob(async (serversView, { server, job }) => {
    const { downloadFrom } = await import("../files/download.ts");
    await downloadFrom(serversView, server, { ...job, since: job.startedThere });
  }),
  stopJob: onJob(stopJob),
  removeJob: onJob(removeJob),
  addJobLogToChat: onJob(addLogToChat),
  stopServerWhenJobEnds: onJob(stopServerWhenEnded),
};

/** An action of the menu of a row, which is the only place that offers it. */
export function onJob(
  run: (serversView: ServersView, row: JobRow) => Promise<void>,
): (serversView: ServersView, row?: TreeRow) => Promise<void> {
  return async (serversView, called) => {
    const row = called ?? serversView.selection;
    if (row?.kind === "job") await run(serversView, row);
  };
}

/** Asks for an environment and a command, and starts a job. */
async function runOnServer(serversView: ServersView, called?: TreeRow): Promise<void> {
  const row = await chooseSshServer(serversView, called);
  if (row === undefined) return;
  const workspace = vscode.workspace.workspaceFolders?.[0]?.name;
  let folder =
    workFolderOf(serversView, row)?.folder ??
    (workspace === undefined || !isVisible(workspace) ? "~" : `~/${workspace}`);
  const server = await fileServerOf(serversView, row);
  for (let isChosen = false; server !== undefined; isChosen = true) {
    const report = await probe(serversView, row, folder);
    if (report === undefined) return;
    if (report.folder === undefined && isChosen)
      void showWarningMessage(
        vscode.l10n.t("{0} doesn't exist on the server.", shortFolder(folder, report.home)),
      );
    folder = report.folder ?? report.home;
    const environment = await pickEnvironment(row, report, folder);
    if (environment === undefined) return;
    if (environment !== "folder")
      return await askAndStart(serversView, row, { report, folder, environment }, suggestedCommands());
    const title = vscode.l10n.t("Run on {0}", server.name);
    const question = { title, choose: vscode.l10n.t("Run Here"), start: folder, hasFiles: false };
    const found = await chooseRemoteFolder(server, question);
    if (found === undefined) return;
    folder = found.folder;
  }
}

async function probe(
  serversView: ServersView,
  row: ServerRow,
  folder: string,
): Promise<ServerJobsReport | undefined> {
  const title = vscode.l10n.t("Looking for environments on {0}…", serverName(row.server));
  return await runJobSteps(serversView, row, title, probeSteps(folder));
}

/** Runs the command of a job once more, in the same folder and environment. */
async function runAgain(serversView: ServersView, { server, job }: JobRow): Promise<void> {
  const report = await probe(serversView, server, job.folder);
  if (report === undefined) return;
  const environment = report.environments.find(({ label }) => label === job.environment) ?? loginShell();
  // What is shown was stored on the server, whole. It is shown before it runs, and can be changed.
  const { command } = report.jobs.find(({ id }) => id === job.id) ?? job;
  await askAndStart(serversView, server, { report, folder: job.folder, environment }, [command]);
}

/** Ends a job after a question, with everything it has started. */
async function stopJob(serversView: ServersView, row: JobRow): Promise<void> {
  const { server, job, name } = row;
  const stop = vscode.l10n.t("Stop Job");
  const message = vscode.l10n.t("Stop {0} on {1}?", name, serverName(server.server));
  const detail = vscode.l10n.t(
    "{0}\n\nThe job is asked to end and has a minute to save its work. Then it is stopped by force, with everything it has started. Nothing else on the server is stopped.",
    sanitizeLabel(shortPaths(job.command, job.home ?? ""), 500),
  );
  if ((await showWarningMessage(message, { modal: true, detail }, stop)) !== stop) return;
  await endJob(serversView, row);
}

/** Ends a job. Whether it has ended; what is left of it is shown otherwise. */
export async function endJob(serversView: ServersView, { server, job, name }: JobRow): Promise<boolean> {
  const title = vscode.l10n.t("Stopping {0}…", name);
  const report = await serversView.jobs.during([job.id], vscode.l10n.t("stopping…"), () =>
    runJobSteps(serversView, server, title, stopSteps(job.id)),
  );
  const left = report?.jobs.find(({ id }) => id === job.id)?.processes ?? 0;
  if (left > 0)
    void showWarningMessage(
      vscode.l10n.t("{0} couldn't be stopped. Processes that still run: {1}.", name, String(left)),
    );
  return report !== undefined && left === 0;
}

/** Removes what the server has of a job, or of all that have ended, after a question. */
async function removeJob(serversView: ServersView, { server, job, name }: JobRow): Promise<void> {
  const shown = serverName(server.server);
  const ended = serversView.jobs
    .rowsOf(server)
    .filter((row) => row.job.processes === 0 && row.job.state !== "running" && row.job.state !== "elsewhere")
    .map((row) => row.job.id);
  const remove = vscode.l10n.t("Remove Job");
  const removeAll = vscode.l10n.t("Remove All {0} Ended Jobs", String(ended.length));
  const message = vscode.l10n.t("Remove {0} from {1}?", name, shown);
  const detail = vscode.l10n.t("The job's log is deleted on the server. Files that it has written stay.");
  const buttons = [remove, ...(ended.length > 1 ? [removeAll] : [])];
  const picked = await showWarningMessage(message, { modal: true, detail }, ...buttons);
  if (picked === undefined) return;
  const ids = picked === removeAll ? ended : [job.id];
  const title = vscode.l10n.t("Removing {0}…", name);
  const report = await serversView.jobs.during(ids, vscode.l10n.t("removing…"), () =>
    runJobSteps(serversView, server, title, removeSteps(ids)),
  );
  if (report?.jobs.some(({ id, processes }) => ids.includes(id) && processes > 0) === true)
    void showWarningMessage(vscode.l10n.t("{0} still runs. Stop the job before you remove it.", name));
}

/** Attaches the end of the log, as the user could by selecting it. */
async function addLogToChat(serversView: ServersView, row: JobRow): Promise<void> {
  const editor = await serversView.jobLogs.show(row);
  const { document } = editor;
  for (const since = Date.now(); document.getText().trim() === "" && Date.now() - since < logPatienceMs;)
    await new Promise((resolve) => setTimeout(resolve, 200));
  const first = new vscode.Position(Math.max(0, document.lineCount - mostLines), 0);
  editor.selection = new vscode.Selection(first, document.lineAt(document.lineCount - 1).range.end);
  await vscode.commands.executeCommand(commandIds.addSelectionToChat);
}

/** Stops the server with the action of its profile when the job has ended, or no longer does. */
async function stopServerWhenEnded(serversView: ServersView, { server, job, name }: JobRow): Promise<void> {
  const { jobs } = serversView;
  const shown = serverName(server.server);
  if (jobs.isArmed(job)) {
    jobs.arm(job, undefined);
    return showConfirmation(vscode.l10n.t("{0} keeps running when {1} ends.", shown, name));
  }
  const stop = await confirmLater(serversView, "stop", server, {
    question: vscode.l10n.t("Stop {0} when {1} ends?", shown, name),
    button: vscode.l10n.t("Stop When It Ends"),
    note: vscode.l10n.t(
      "This works only while this window of VS Code stays open. If another of your jobs runs there by then, the server keeps running.",
    ),
  });
  if (stop === undefined) return;
  jobs.arm(job, async () => {
    const others = jobs.rowsOf(server).filter((row) => row.job.processes > 0 || row.job.state === "running");
    if (others.length === 0) return await stop();
    const names = others.map((row) => row.name).join(", ");
    void showWarningMessage(
      vscode.l10n.t("{0} has ended, but {1} keeps running because of these jobs: {2}.", name, shown, names),
    );
  });
}

/** Runs steps with progress. Undefined if they didn't run, which is shown. */
async function runJobSteps(
  { jobs }: ServersView,
  row: ServerRow,
  title: string,
  steps: string,
): Promise<ServerJobsReport | undefined> {
  const report = await withLateProgress(title, ({ signal }) => jobs.run(row, steps, signal));
  if (report === undefined || !("problem" in report)) return report;
  void showSshProblem(row, report);
  return undefined;
}

/** What a job runs in unless the user chooses an environment. */
export const loginShell = (): JobEnvironment => ({
  kind: "login",
  path: "",
  label: vscode.l10n.t("Login shell"),
});

async function pickEnvironment(
  row: ServerRow,
  report: ServerJobsReport,
  folder: string,
): Promise<JobEnvironment | "folder" | undefined> {
  const items = [
    ...[...report.environments, loginShell()].map((environment) => ({
      label: escapeCodicons(environment.label),
      description: escapeCodicons(shortFolder(environment.path, report.home)),
      environment,
    })),
    {
      label: vscode.l10n.t("$(folder) Change Folder…"),
      description: escapeCodicons(shortFolder(folder, report.home)),
      environment: "folder" as const,
    },
  ];
  const placeHolder = vscode.l10n.t("Select an environment for the command that you enter next");
  const title = vscode.l10n.t("Run on {0} in {1}", serverName(row.server), shortFolder(folder, report.home));
  return (await showQuickPick(items, { title, placeHolder }))?.environment;
}

interface Place {
  readonly report: ServerJobsReport;
  readonly folder: string;
  readonly environment: JobEnvironment;
}

/** Asks for the command, and starts it, after the upload of changed files if the user wants that. */
async function askAndStart(
  serversView: ServersView,
  row: ServerRow,
  place: Place,
  known: readonly string[],
): Promise<void> {
  const { folder, environment } = place;
  const work = workFolderOf(serversView, row);
  const source = sourceOf(work, folder);
  const changes = source && (await findChanges(serversView, row, { folder, source }));
  const chosen = await askCommand({
    ...{ title: placeText(row, place), known, history: serversView.context.workspaceState },
    before: changes && {
      ...{ label: changes.label, isOn: work?.uploads === true },
      description: vscode.l10n.t(
        "{0}, from {1} to {2}",
        ...[formatBytes(bytesOf(changes.plan.entries)), changes.plan.files.name],
        shortFolder(folder, place.report.home),
      ),
      detail: changes.names,
    },
  });
  if (chosen === undefined) return;
  const { command, hasBefore } = chosen;
  const uploads = changes === undefined ? work?.uploads : hasBefore;
  await keepWorkFolder(serversView, row, { folder, source: source?.toString(), uploads });
  if (hasBefore && changes !== undefined && !(await changes.upload())) return;
  const id = randomBytes(8).toString("hex");
  await startJob(serversView, row, jobName(command), { id, command, folder, environment });
}

function placeText(row: ServerRow, { report, folder, environment }: Place): string {
  return vscode.l10n.t(
    "Runs in {0} on {1} as {2} ({3}). Keeps running when you disconnect.",
    ...[shortFolder(folder, report.home), serverName(row.server), report.account, environment.label],
  );
}

/** Starts a job, and shows its row. Whether it runs; the reason is shown otherwise. */
export async function startJob(
  serversView: ServersView,
  row: ServerRow,
  name: string,
  order: Parameters<typeof startSteps>[0],
): Promise<boolean> {
  const { id } = order;
  const title = vscode.l10n.t("Starting {0} on {1}…", name, serverName(row.server));
  const report = await runJobSteps(serversView, row, title, startSteps(order));
  if (report === undefined) return false;
  if (report.failure !== undefined) {
    const failure = jobFailures[report.failure]?.();
    void showWarningMessage(failure ?? vscode.l10n.t("The job couldn't be started."));
    return false;
  }
  const job: Job | undefined = report.jobs.find((each) => each.id === id);
  const shown = serversView.jobs.rowsOf(row).find((each) => each.job.id === id);
  // A server that had nothing below it stays collapsed otherwise.
  if (shown !== undefined) void serversView.view.reveal(shown).then(undefined, () => undefined);
  // It may have failed at once, which is no change that would be noticed later.
  if (job === undefined || job.state === "running") return true;
  await serversView.jobs.notify(row, job);
  return false;
}
