import { t } from "@vscode/l10n";
import * as v from "valibot";
import { sanitizeLabel } from "../../kernel/foreignText.ts";

/** What the command of a job runs in. */
export interface JobEnvironment {
  readonly kind: "login" | "venv" | "conda";
  /** Its folder on the server; empty for the login shell. */
  readonly path: string;
  /** How it is called: `.venv, Python 3.11`. */
  readonly label: string;
}

const state = ["running", "finished", "stopped", "restarted", "ended", "elsewhere"] as const;
const jobSchema = v.object({
  id: v.pipe(v.string(), v.regex(/^[0-9a-f]{16}$/)),
  command: v.string(),
  folder: v.string(),
  /** The home folder of the account, for showing paths. */
  home: v.optional(v.string()),
  environment: v.string(),
  /**
   * `finished` by itself, `stopped` by the user, `restarted` with the server, `ended` for an unknown reason, or started
   * by another host that has the same home folder, and `elsewhere`.
   */
  state: v.picklist(state),
  /** In milliseconds since 1970, by this machine's clock. */
  startedAt: v.number(),
  /** The same by the server's clock, which its files have. */
  startedThere: v.number(),
  endedAt: v.optional(v.number()),
  exitCode: v.optional(v.number()),
  /** Processes that it has left behind, or that run. */
  processes: v.number(),
  lastLine: v.string(),
  /** Whether it runs although the user has asked it to end. */
  isAskedToStop: v.optional(v.boolean()),
  /** What the part of the product that started it has stored with it. */
  details: v.optional(v.string()),
  /** Whether the user was notified of the end, perhaps on another machine. */
  isTold: v.boolean(),
});

/** A command that runs on a server, or did. All texts come from the server. */
export type Job = Readonly<v.InferOutput<typeof jobSchema>>;

/** Reads what was stored. */
export function parseJobs(value: unknown): readonly Job[] {
  const parsed = v.safeParse(v.array(jobSchema), value);
  return parsed.success ? parsed.output : [];
}

/** Maximum number of jobs of a server that are read. */
const mostJobs = 200;

/** What a script printed about the server. */
export interface ServerJobsReport {
  /** The latest first. */
  readonly jobs: readonly Job[];
  /** VS Code windows of the account, if the script has looked for them. */
  readonly windows: number;
  /** Why the steps couldn't be carried out. */
  readonly failure: string | undefined;
  readonly environments: readonly JobEnvironment[];
  readonly account: string;
  readonly home: string;
  /** The folder that was asked for; undefined if there is none. */
  readonly folder: string | undefined;
}

type Draft = { -readonly [K in keyof Job]: Job[K] };

/**
 * Reads the lines of a script, whatever a server prints instead.
 * @param now Milliseconds since 1970 by this machine's clock, to which the server's times are converted.
 */
export function readServerJobs(lines: readonly string[], now: number): ServerJobsReport {
  const jobs: Draft[] = [];
  const environments: JobEnvironment[] = [];
  const found = {
    failure: undefined as string | undefined,
    windows: 0,
    account: "",
    home: "",
    folder: undefined as string | undefined,
  };
  let clock: Clock = { offset: 0, bootedAt: 0, now };
  for (const line of lines) {
    const [, mark = "", text = ""] = /^IG1 (\w{2,12}) (.{0,8000})/s.exec(line) ?? [];
    const job = jobs.at(-1);
    if (mark === "server") clock = readClock(text, now);
    else if (mark === "job" && jobs.length < mostJobs) jobs.push(...readJob(text, clock, found.home));
    else if (mark === "command" || mark === "folder" || mark === "environment" || mark === "details") {
      if (job !== undefined) job[mark] = text;
    } else if (mark === "last") {
      if (job !== undefined) job.lastLine = plainLine(text);
    } else if (mark === "venv" || mark === "conda") environments.push(...readEnvironment(mark, text));
    else if (mark === "fail") found.failure = text;
    else if (mark === "windows") found.windows = Number.parseInt(text.slice(0, 6), 10) || 0;
    else if (mark === "account" || mark === "home") found[mark] = text;
    else if (mark === "cwd") found.folder = text;
  }
  const unique = new Map(environments.map((each) => [each.path, each]));
  return {
    ...found,
    jobs: jobs.toSorted((first, second) => second.startedAt - first.startedAt),
    environments: [...unique.values()].slice(0, 100),
  };
}

interface Clock {
  /** Milliseconds by which this machine's clock is ahead of the server's. */
  readonly offset: number;
  readonly bootedAt: number;
  readonly now: number;
}

function readClock(text: string, now: number): Clock {
  const [, seconds, booted] = /^(\d{1,12}) (\d{1,12})$/.exec(text) ?? [];
  const offset = seconds === undefined ? 0 : now - Number(seconds) * 1_000;
  return { offset, bootedAt: Number(booted ?? 0) * 1_000 + offset, now };
}

/** Milliseconds between the end of the jobs and the start of the server while it restarts. */
const longestRestartMs = 300_000;

function readJob(text: string, { offset, bootedAt, now }: Clock, home: string): readonly Draft[] {
  const [, id = "", started, code = "-", ended = "-", count, flags = ""] =
    /^([0-9a-f]{16}) (\d{1,12}) (-|\d{1,3}) (-|\d{1,12}) (\d{1,6}) ([-.a-z]{1,60})$/.exec(text) ?? [];
  if (id === "") return [];
  const startedThere = Number(started) * 1_000;
  const startedAt = startedThere + offset;
  const processes = Number(count);
  const isTold = flags.includes("told");
  const job: Draft = {
    ...{ id, command: "", folder: "", environment: "", lastLine: "", startedAt, startedThere, processes },
    ...{ state: "running", isTold, home },
  };
  const wasStopped = flags.includes("stopped");
  if (code !== "-") {
    // The time is missing if the disk was full.
    const endedAt = ended === "-" ? undefined : Math.max(startedAt, Number(ended) * 1_000 + offset);
    const pauseMs = bootedAt - (endedAt ?? bootedAt);
    // A server that restarts asks everything to end.
    const isRestart = code === "143" && pauseMs > 0 && pauseMs < longestRestartMs;
    const state = wasStopped ? "stopped" : isRestart ? "restarted" : "finished";
    const end = isRestart ? bootedAt : endedAt;
    return [{ ...job, state, exitCode: Number(code), ...(end === undefined ? {} : { endedAt: end }) }];
  }
  if (processes > 0) return [wasStopped ? { ...job, isAskedToStop: true } : job];
  if (flags.includes("other")) return [{ ...job, state: "elsewhere" }];
  if (wasStopped) return [{ ...job, state: "stopped" }];
  // A container restarts without another boot, and a clock may have been wrong before one.
  if (bootedAt > startedAt || flags.includes("boot"))
    return [{ ...job, state: "restarted", endedAt: Math.max(startedAt, bootedAt) }];
  // Until our process has noted its identity, the job is starting.
  const isStarting = !flags.includes("pid") && now - startedAt < 60_000;
  return [isStarting ? job : { ...job, state: "ended" }];
}

function readEnvironment(kind: "venv" | "conda", text: string): readonly JobEnvironment[] {
  const space = text.indexOf(" ");
  const version = text.slice(0, space).replace(/^-$/, "");
  const path = text.slice(space + 1);
  // It becomes a quoted part of the script.
  if (!path.startsWith("/") || /\p{Cc}/u.test(path)) return [];
  const name = path
    .split("/")
    .filter(Boolean)
    .slice(kind === "venv" ? -2 : -1)
    .join("/");
  const short = version.split(".").slice(0, 2).join(".");
  const label = kind === "conda" ? t("conda: {0}", name) : name;
  return [{ kind, path, label: sanitizeLabel(short === "" ? label : t("{0}, Python {1}", label, short)) }];
}

/** A line of a log as a terminal shows it. */
function plainLine(text: string): string {
  return sanitizeLabel(plainLog(text), 200);
}

/** Text of a terminal without its control sequences, and without what was overwritten on its line. */
export function plainLog(text: string): string {
  const lines = text.replace(terminalSequence, "").split("\n");
  return lines
    .map((line) => (line.split("\r").findLast((part) => part !== "") ?? "").replace(/[^\P{Cc}\t]/gu, ""))
    .join("\n");
}

const terminalSequence =
  /\u001b(?:\[[\d;?]{0,40}[ -/]{0,4}[@-~]|\][^\u0007\u001b]{0,500}(?:\u0007|\u001b\\)?|.)/g;
