import * as vscode from "vscode";
import * as v from "valibot";
import { formatRemaining, timeOfDay } from "../../../core/kernel/formatTime.ts";
import type { RunningReport, RunningThings } from "../../../core/servers/actions/runningThings.ts";
import { sshProblems } from "../../../core/servers/connect/sshSession.ts";
import type { SshProblem, SshReport } from "../../../core/servers/connect/sshSession.ts";
import { spentText } from "../../../core/servers/cost/costStatus.ts";
import { runningSince } from "../../../core/servers/cost/serverRun.ts";
import { parseJobs, readServerJobs } from "../../../core/servers/jobs/job.ts";
import type { Job, ServerJobsReport } from "../../../core/servers/jobs/job.ts";
import { jobDescription, jobEndText, jobName } from "../../../core/servers/jobs/jobText.ts";
import { listSteps, runningSteps, toldSteps } from "../../../core/servers/jobs/jobScripts.ts";
import { parseServedModel, servedText, shortModelName } from "../../../core/servers/serve/servedModel.ts";
import type { ServedModel } from "../../../core/servers/serve/servedModel.ts";
import { mayRun } from "../../../core/servers/server.ts";
import { serverName } from "../../../core/servers/serverLabels.ts";
import type { JobRow, RowChange, ServerRow, TreeRow } from "../../../core/servers/tree/rows.ts";
import type { ServerTreeRows } from "../../../core/servers/tree/serverTreeRows.ts";
import { runRemote } from "../../../processes/servers/runRemote.ts";
import { commandIds } from "../../shell/commandIds.ts";
import { showInformationMessage, showWarningMessage } from "../../shell/window.ts";
import type { ServersContext } from "../serversHost.ts";
import { aliasOf, remotePlaceOf } from "../connect/remotePlace.ts";
import { showSshProblem } from "../connect/sshProblem.ts";
import type { GpuWatches } from "../gpuWatches.ts";
import type { ServedModels } from "../serve/servedModels.ts";

/** The part of the view with the servers that jobs need. */
interface JobsContext {
  readonly isSeen: boolean;
  readonly rows: Pick<ServerTreeRows, "servers" | "serverRows" | "find">;
  readonly runningThings: RunningThings[];
  readonly context: Pick<ServersContext, "storageUri" | "globalState" | "claimNotice">;
  readonly models: Pick<ServedModels, "links"> | undefined;
  readonly gpu: Pick<GpuWatches, "useOf"> | undefined;
  originOf(profileName: string): string;
}

/** Where the jobs that this machine knows of are stored, by server. */
const jobsKey = "inferenceGateway.servers.jobs";
/** Maximum number of servers whose jobs are stored: those that were asked last. */
const mostServers = 50;

const tickMs = 5_000;
/** Milliseconds between two looks at running jobs: while the servers are visible, otherwise, and after a failure. */
const pollMs = { seen: 15_000, hidden: 120_000, failed: 300_000 } as const;
/** Milliseconds after which what a row shows is old, and its time is shown. */
const oldMs = 360_000;
/** Milliseconds for a script. One that stops a job waits for it twice. */
const patienceMs = 150_000;

interface Known {
  jobs: readonly Job[];
  /** When the server was asked, in milliseconds since 1970. */
  checkedAt: number;
  /** When the server is asked next. */
  nextAt: number;
  /** Why it isn't asked again until the user does something there. */
  problem?: SshProblem;
  isAsking?: boolean;
}

const storedSchema = v.record(v.string(), v.object({ jobs: v.unknown(), checkedAt: v.number() }));

/** What is done when a job has ended, if the user wants it. */
type WhenEnded = () => Promise<void>;

/**
 * The jobs on the servers on which the user has run some, or has looked for them. Their state is on the servers; what is
 * stored here, for all windows, is what was last known.
 */
export class ServerJobs implements vscode.Disposable {
  /** Notifies of the end of a model that nobody has stopped. */
  onServedEnd: ((row: ServerRow, job: Job, served: ServedModel) => Promise<void>) | undefined;
  readonly #serversView: JobsContext;
  readonly #emit: (change: RowChange) => void;
  readonly #known = new Map<string, Known>();
  /** The rows by their IDs, which stay the same objects. */
  readonly #rows = new Map<string, JobRow>();
  readonly #whenEnded = new Map<string, WhenEnded>();
  /** What this window is doing to a job at the moment, in words. */
  readonly #busy = new Map<string, string>();
  readonly #timer: NodeJS.Timeout;
  #shown: ReadonlyMap<TreeRow, string> = new Map();

  constructor(serversView: JobsContext, emit: (change: RowChange) => void) {
    this.#serversView = serversView;
    this.#emit = emit;
    this.#adopt();
    this.#timer = setInterval(() => this.#tick(), tickMs);
    serversView.runningThings.push((row) => this.#running(row));
  }

  /** The rows below a server. */
  rowsOf(server: ServerRow): readonly JobRow[] {
    const { jobs = [], checkedAt = 0 } = this.#known.get(this.#idOf(server)) ?? {};
    const now = Date.now();
    return jobs.map((job) => {
      const id = `job:${job.id}:${server.id}`;
      const isOld = job.state === "running" && (!mayRun(server.server) || now - checkedAt > oldMs);
      // It isn't known to have run any longer.
      const at = isOld ? checkedAt : now;
      const served = parseServedModel(job.details);
      const busy = this.#busy.get(job.id);
      const text =
        served !== undefined && job.state === "running" && job.isAskedToStop !== true
          ? this.#servedText(server, job, served, at)
          : jobDescription(job, at);
      const texts = [
        busy ?? text,
        isOld ? vscode.l10n.t("as of {0}", timeOfDay(checkedAt)) : "",
        this.isArmed(job) ? vscode.l10n.t("then stops the server") : "",
      ];
      const row: JobRow = {
        ...{ kind: "job", id, server, job, served, isOld },
        ...{ isArmed: this.isArmed(job), isBusy: busy !== undefined },
        name: served === undefined ? jobName(job.command) : shortModelName(served.name),
        text: texts.filter((part) => part !== "").join(" · "),
      };
      const kept = Object.assign(this.#rows.get(id) ?? row, row);
      this.#rows.set(id, kept);
      return kept;
    });
  }

  find(id: string): Job | undefined {
    return [...this.#known.values()].flatMap(({ jobs }) => jobs).find((job) => job.id === id);
  }

  /** Whether a job runs on a server, except for those that wait for requests. */
  isRunning(row: Pick<ServerRow, "profileName" | "key">): boolean {
    const { jobs = [] } = this.#known.get(this.#idOf(row)) ?? {};
    return jobs.some(({ state, details }) => state === "running" && parseServedModel(details) === undefined);
  }

  /** Whether a job is being ended, or has ended, as far as is known. */
  endOf(row: Pick<ServerRow, "profileName" | "key">, id: string): "ending" | "ended" | undefined {
    if (this.#busy.has(id)) return "ending";
    this.#adopt();
    const known = this.#known.get(this.#idOf(row));
    const job = known?.jobs.find((each) => each.id === id);
    if (job?.isAskedToStop === true) return "ending";
    // Another of several hosts with the same home folder may have been asked.
    const isRunning = job?.state === "running" || job?.state === "elsewhere";
    return known === undefined || isRunning ? undefined : "ended";
  }

  /** Shows in the rows of jobs what is done to them, in words, until it is done. */
  async during<T>(ids: readonly string[], text: string, task: () => Promise<T>): Promise<T> {
    for (const id of ids) this.#busy.set(id, text);
    this.paint();
    try {
      return await task();
    } finally {
      for (const id of ids) this.#busy.delete(id);
      this.paint();
    }
  }

  isArmed({ id }: Job): boolean {
    return this.#whenEnded.has(id);
  }

  /** Does something when a job has ended, as long as this window is open. Undefined takes it back. */
  arm({ id }: Job, whenEnded: WhenEnded | undefined): void {
    if (whenEnded === undefined) this.#whenEnded.delete(id);
    else this.#whenEnded.set(id, whenEnded);
    this.paint();
  }

  /**
   * Runs steps on a server that print its jobs. Resolves with what they printed, or with why they didn't run; undefined
   * if the user canceled.
   */
  async run(
    row: Pick<ServerRow, "profileName" | "key" | "server">,
    steps: string,
    signal?: AbortSignal,
  ): Promise<ServerJobsReport | SshReport | undefined> {
    const place = await remotePlaceOf(this.#serversView, row);
    if (place === undefined) return { problem: "unreachable", errors: "" };
    const result = await runRemote(place, steps, { patienceMs, signal });
    if (result === undefined) return undefined;
    if ("problem" in result) {
      const known = this.#known.get(this.#idOf(row));
      if (known !== undefined) {
        known.nextAt = Date.now() + pollMs.failed;
        if (sshProblems[result.problem].retries === false) known.problem = result.problem;
      }
      return result;
    }
    const report = readServerJobs(result.lines, Date.now());
    // Steps that fail end before they list the jobs.
    if (report.failure === undefined) await this.#update(row, report.jobs);
    return report;
  }

  /** Looks for jobs that were started from elsewhere. */
  async look(row: ServerRow): Promise<void> {
    await this.run(row, listSteps);
  }

  /** Notifies of the end of a job once, over all windows and machines of the user. */
  async notify(row: Pick<ServerRow, "profileName" | "key" | "server">, job: Job): Promise<void> {
    const { context } = this.#serversView;
    if (job.isTold || job.state === "stopped" || job.state === "elsewhere") return;
    if (!(await context.claimNotice(JSON.stringify(["job", job.id])))) return;
    const place = await remotePlaceOf(this.#serversView, row);
    if (place !== undefined) void runRemote(place, toldSteps([job.id]), { patienceMs });
    const shown = this.#serversView.rows.find(row.profileName, row.key);
    const served = parseServedModel(job.details);
    if (shown !== undefined && served !== undefined) return await this.onServedEnd?.(shown, job, served);
    const showLog = vscode.l10n.t("Show Log");
    const download = vscode.l10n.t("Download New Files…");
    const stopServer = vscode.l10n.t("Stop Server…");
    const canStop = shown?.actionFacts?.includes("canStop") === true;
    const show = job.exitCode === 0 ? showInformationMessage : showWarningMessage;
    const [now, since] = [Date.now(), job.endedAt ?? Infinity];
    // From an hour on, unless the server was stopped in the meantime, as far as its record says.
    const isWhole = now - since > 3_600_000 && (runningSince(row.server, now) ?? Infinity) <= since;
    const spent = isWhole ? spentText(row.server, since, now) : "";
    const text = jobEndText(job, serverName(row.server), spent);
    // The first button is what most people want.
    const first = job.exitCode === 0 ? [download, showLog] : [showLog, download];
    const picked = await show(text, ...first, ...(canStop ? [stopServer] : []));
    const command = { [showLog]: commandIds.showJobLog, [download]: commandIds.downloadNewFiles }[
      picked ?? ""
    ];
    if (command !== undefined) await this.runOnRow(command, row, job.id);
    if (picked === stopServer) await vscode.commands.executeCommand(commandIds.stopServer, shown);
  }

  /** Runs the command of a job's row, which may be gone since the command was offered. */
  async runOnRow(command: string, server: Pick<ServerRow, "profileName" | "key">, id: string): Promise<void> {
    const shown = this.#serversView.rows.find(server.profileName, server.key);
    const jobRow = shown && this.rowsOf(shown).find(({ job }) => job.id === id);
    if (jobRow === undefined) void showWarningMessage(vscode.l10n.t("This job isn't known here."));
    else await vscode.commands.executeCommand(command, jobRow);
  }

  dispose(): void {
    clearInterval(this.#timer);
  }

  #servedText(row: ServerRow, { id, startedAt }: Job, served: ServedModel, at: number): string {
    const { models, gpu } = this.#serversView;
    const isReady = models?.links.some(({ job }) => job === id) === true;
    return servedText(served, isReady, at - startedAt, gpu?.useOf(row.profileName, row.key));
  }

  /** What of the user runs on a server, for the question before it is stopped. */
  async #running(row: Parameters<ServerJobs["run"]>[0]): Promise<RunningReport | undefined> {
    const isKnown = this.#known.has(this.#idOf(row)) || (await aliasOf(this.#serversView, row)) !== undefined;
    if (!isKnown) return undefined;
    const report = await this.run(row, runningSteps);
    if (report === undefined) return undefined;
    if ("problem" in report) return { problem: sshProblems[report.problem].text() };
    const now = Date.now();
    const running = report.jobs.filter(({ processes }) => processes > 0);
    const things = running.map(({ command, startedAt, details }) => {
      const served = parseServedModel(details);
      if (served !== undefined) return vscode.l10n.t("{0}, serving", shortModelName(served.name));
      return vscode.l10n.t("job {0}, {1}", jobName(command), formatRemaining(Math.max(0, now - startedAt)));
    });
    if (report.windows === 1) things.push(vscode.l10n.t("1 VS Code window"));
    if (report.windows > 1) things.push(vscode.l10n.t("{0} VS Code windows", String(report.windows)));
    // What was started in another way isn't known from this.
    return things.length === 0 ? undefined : { checkedAt: now, things };
  }

  #tick(): void {
    this.#adopt();
    const now = Date.now();
    for (const row of this.#serversView.rows.servers) {
      const known = this.#known.get(this.#idOf(row));
      if (known === undefined || known.isAsking === true || known.problem !== undefined || known.nextAt > now)
        continue;
      const isActive = known.jobs.some(({ processes, state }) => processes > 0 || state === "running");
      if (!isActive || !mayRun(row.server)) continue;
      known.isAsking = true;
      void this.run(row, listSteps)
        .finally(() => (known.isAsking = false))
        .then((report) => {
          if (report !== undefined && "problem" in report) void this.#reportUnseen(row, known, report);
        });
    }
    this.paint();
  }

  /** A server that refuses the connection isn't asked again by itself: what waits for the end of a job wouldn't happen. */
  async #reportUnseen(row: ServerRow, known: Known, failure: SshReport): Promise<void> {
    const armed = known.jobs.find((job) => this.isArmed(job));
    if (known.problem === undefined || armed === undefined) return;
    const names = [serverName(row.server), jobName(armed.command)];
    const what = vscode.l10n.t(
      "{0} won't be stopped when {1} ends, because its jobs can't be checked anymore.",
      ...names,
    );
    if (!(await showSshProblem(row, failure, { what, again: vscode.l10n.t("Try Again") }))) return;
    delete known.problem;
    known.nextAt = 0;
  }

  /** Takes over what another window, or this one before it was reloaded, has found out. */
  #adopt(): void {
    for (const [id, { jobs, checkedAt }] of Object.entries(this.#stored)) {
      const known = this.#known.get(id);
      if (known !== undefined && known.checkedAt >= checkedAt) continue;
      const isNew = known === undefined;
      this.#known.set(id, {
        jobs: parseJobs(jobs),
        checkedAt,
        nextAt: isNew ? 0 : Date.now() + this.#pauseMs,
      });
    }
  }

  get #stored(): v.InferOutput<typeof storedSchema> {
    const parsed = v.safeParse(storedSchema, this.#serversView.context.globalState.get(jobsKey));
    return parsed.success ? parsed.output : {};
  }

  get #pauseMs(): number {
    return this.#serversView.isSeen ? pollMs.seen : pollMs.hidden;
  }

  async #update(row: Pick<ServerRow, "profileName" | "key" | "server">, jobs: readonly Job[]): Promise<void> {
    const id = this.#idOf(row);
    const before = this.#known.get(id);
    const checkedAt = Date.now();
    if (before === undefined && jobs.length === 0) return;
    this.#known.set(id, { jobs, checkedAt, nextAt: checkedAt + this.#pauseMs });
    const { replaceSecrets } = await import("../../../core/account/secrets/scanSecrets.ts");
    const hide = (text: string): string => replaceSecrets(text, "••••••", "careful");
    const stored = jobs.map((job) => ({
      ...{ ...job, command: hide(job.command), lastLine: hide(job.lastLine) },
    }));
    const all = Object.entries({ ...this.#stored, [id]: { jobs: stored, checkedAt } })
      .toSorted(([, one], [, other]) => other.checkedAt - one.checkedAt)
      .slice(0, mostServers);
    await this.#serversView.context.globalState.update(jobsKey, Object.fromEntries(all));
    this.paint();
    for (const job of jobs) {
      const wasRunning = before?.jobs.some((each) => each.id === job.id && each.state === "running") === true;
      if (!wasRunning || job.state === "running") continue;
      void this.notify(row, job);
      const whenEnded = this.#whenEnded.get(job.id);
      this.#whenEnded.delete(job.id);
      void whenEnded?.();
    }
  }

  /** Redraws the jobs that look different, and the servers that have other jobs now. */
  paint(): void {
    if (this.#known.size === 0) return;
    const shown = new Map<TreeRow, string>();
    for (const row of this.#serversView.rows.serverRows) {
      const jobs = this.rowsOf(row);
      shown.set(row, jobs.map(({ id }) => id).join());
      for (const job of jobs) shown.set(job, `${job.text} ${job.job.processes}`);
    }
    const before = this.#shown;
    this.#shown = shown;
    const changed = [...shown].filter(([row, text]) => text !== (before.get(row) ?? ""));
    this.#emit(changed.map(([row]) => row));
  }

  /** The same for all profiles of a gateway. */
  #idOf({ profileName, key }: Pick<ServerRow, "profileName" | "key">): string {
    return JSON.stringify([this.#serversView.originOf(profileName), key]);
  }
}
