import { t } from "@vscode/l10n";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { formatDate, formatRemaining, timeOfDay } from "../../kernel/formatTime.ts";
import { shortFolder, shortPaths } from "../files/fileFacts.ts";
import type { Job } from "./job.ts";

/** The program of a command, such as `train.py` of `python train.py --epochs 3`. */
export function jobName(command: string): string {
  const words = command.trim().split(/\s+/).slice(0, 12);
  const word =
    words.find((each) => /\.\w{1,5}$/.test(each)) ?? words.find((each) => !each.includes("=")) ?? command;
  const name = word.replace(/["';]/g, "").split("/").at(-1) ?? "";
  return sanitizeLabel(name === "" ? command : name, 60);
}

/** The text after the name of a job: what changes first. */
export function jobDescription(job: Job, now: number): string {
  const age = formatRemaining(Math.max(0, (job.endedAt ?? now) - job.startedAt));
  const left =
    job.processes > 0 && job.state !== "running"
      ? t("processes still running: {0}", String(job.processes))
      : "";
  // A row is narrow: why something failed comes before everything else, and without the shell and its folder.
  const reason = job.lastLine.replace(/^(?:\S{0,200}\/)?\w{0,8}sh:(?: ?(?:line )?\d{1,6}:)? /, "");
  const parts =
    job.state === "finished" && job.exitCode !== 0
      ? [
          reason === "" ? "" : t("failed: {0}", reason),
          t("exit code {0}", String(job.exitCode)),
          left,
          t("after {0}", age),
        ]
      : [stateText(job, age), left, job.lastLine];
  return parts.filter((part) => part !== "").join(" · ");
}

function stateText({ state: is, exitCode, endedAt = 0, isAskedToStop }: Job, age: string): string {
  if (isAskedToStop === true) return t("asked to stop, still running");
  switch (is) {
    case "running":
      return t("running for {0}", age);
    case "finished":
      return t("exit code {0} after {1}", String(exitCode), age);
    case "stopped":
      return endedAt === 0 ? t("stopped") : t("stopped after {0}", age);
    case "elsewhere":
      return t("started by another host with the same home folder");
    case "restarted":
      return t("no exit code, the server restarted at {0}", timeOfDay(endedAt));
    case "ended":
      return t("ended without an exit code");
  }
}

/** The notification about the end of a job. `spent` is what its server has cost since, such as `≈ $186`, if it is known. */
export function jobEndText(job: Job, serverName: string, spent: string): string {
  const name = jobName(job.command);
  const { state: is, exitCode, startedAt, endedAt = startedAt } = job;
  const time = timeOfDay(endedAt);
  if (is === "restarted")
    return t("{0} on {1}: The server restarted at {2}. The job has no exit code.", name, serverName, time);
  if (is === "ended")
    return t("{0} on {1} ended without an exit code. Something may have killed it.", name, serverName);
  const age = formatRemaining(Math.max(0, endedAt - startedAt));
  const facts = [name, serverName, time];
  const end =
    exitCode === 0
      ? t("{0} on {1} finished at {2}, exit code 0, after {3}.", ...facts, age)
      : t("{0} on {1} failed at {2}, exit code {3}, after {4}.", ...facts, String(exitCode), age);
  const since = spent === "" ? "" : t("The server has cost {0} since.", spent);
  return [end, since, exitCode === 0 ? "" : job.lastLine].filter((part) => part !== "").join(" ");
}

/** Why a job couldn't be started, by what the script printed. */
export const jobFailures: Readonly<Record<string, () => string>> = {
  noFolder: () => t("The folder doesn't exist on the server."),
  noSpace: () =>
    t(
      "The job's folder, ~/.cache/inference-gateway, couldn't be written on the server. Its disk may be full, or read-only.",
    ),
  noSetsid: () =>
    t("The program “setsid” wasn't found on the server, without which a job would end with the connection."),
  noProc: () => t("Jobs need a Linux server."),
};

/** What is shown about a job on hover. */
export function jobLines(job: Job): readonly string[] {
  const { home = "" } = job;
  const lines = [
    shortPaths(job.command, home),
    t("Folder: {0}", shortFolder(job.folder, home)),
    t("Environment: {0}", shortFolder(job.environment, home)),
    t("Started: {0}", formatDate(job.startedAt)),
    job.endedAt === undefined ? "" : t("Ended: {0}", formatDate(job.endedAt)),
    job.lastLine,
  ];
  return lines.filter((line) => line !== "").map((line) => sanitizeLabel(line, 1_000));
}
