import { t } from "@vscode/l10n";
import { formatAge, formatRemaining, shortList } from "../../kernel/formatTime.ts";
import type { GpuSample } from "./gpuReadings.ts";

/** A process that holds memory of a GPU. */
export interface GpuProcess {
  readonly pid: number;
  /** Undefined if the tool doesn't report on which GPU it runs. */
  readonly gpu: number | undefined;
  readonly memoryMiB: number | undefined;
  /** Such as `train.py`; undefined if it runs in another container. */
  readonly name: string | undefined;
  readonly user: string | undefined;
  readonly isOwn: boolean;
  /** The model that it serves. Empty for a model server whose command line doesn't name one. */
  readonly model: string | undefined;
}

/** What one measurement of a server found. What wasn't measured is undefined. */
export interface UseReading {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly samples: readonly GpuSample[];
  readonly processes?: readonly GpuProcess[] | undefined;
  /** Number of processor cores that were busy on average. */
  readonly busyCores?: number | undefined;
  readonly networkBytesPerSecond?: number | undefined;
  /** Changes whenever the model servers receive a request; otherwise it is of no importance. */
  readonly requests?: string | undefined;
  /** Whether a job or a transfer of this extension is running. */
  readonly isWorking?: boolean | undefined;
}

/** The words for what a server does, those that cost money for nothing first. */
export const useKinds = ["idle", "holding", "serving", "unreachable", "busy", "unknown"] as const;
type UseKind = (typeof useKinds)[number];

/** What is kept of the measurements of a server, so that a restart or another window doesn't start from nothing. */
export interface UsePoint {
  /** When it was measured, and since when all measurements have agreed; in milliseconds since 1970. */
  readonly at: number;
  readonly since: number;
  readonly kind: UseKind;
  /** The average utilization of the GPUs, and how much of their memory is in use. */
  readonly percent: number | undefined;
  readonly memoryPercent: number | undefined;
  readonly requests: string | undefined;
  readonly hasProcesses: boolean;
}

/** Port: the measurements of the last day, which all windows share. */
export interface UseHistory {
  /** @param server What identifies it in the list of the profile. */
  note(profile: string, server: string, point: UsePoint): Promise<void>;
  /** The points after a time, the earliest first. */
  read(profile: string, server: string, after: number): Promise<readonly UsePoint[]>;
}

/** A point is kept for this long, and one of this many milliseconds is enough. */
export const keptUse = { longestMs: 24 * 3_600_000, stepMs: 5 * 60_000 } as const;
/** What has changed is kept sooner. */
const shortestStepMs = 30_000;

/** What a server does, since when, and when that was last measured; times are in milliseconds since 1970. */
export interface ServerUse {
  /**
   * - `idle`: nothing uses a GPU or its memory.
   * - `holding`: processes hold memory and don't compute.
   * - `serving`: only model servers hold memory, and the GPUs don't compute.
   * - `unreachable`: it is running, and nothing can be measured because it doesn't accept connections.
   * - `unknown`: not measured, not for long enough, or too long ago.
   */
  readonly kind: UseKind;
  /** Since when all measurements have agreed; of `serving`, the last request. */
  readonly since: number | undefined;
  readonly measuredAt: number | undefined;
  /** The processes that hold memory. */
  readonly holders: readonly GpuProcess[];
  /** Whether the model servers report their requests, so that it is certain that there were none. */
  readonly hasCountedRequests: boolean;
  /** The average utilization of the GPUs at the last measurement. */
  readonly percent: number | undefined;
}

/** For a server that hasn't been measured. */
export const unknownUse: ServerUse = {
  ...{ kind: "unknown", since: undefined, measuredAt: undefined },
  ...{ holders: [], hasCountedRequests: false, percent: undefined },
};

/** Two readings that are further apart say nothing about the time between them, for example after sleep. */
const longestGapMs = 15 * 60_000;
/** A pause between two steps of a job isn't idleness. */
const leastQuietMs = 5 * 60_000;
/** SSH needs a moment after a start. */
const leastUnreachableMs = 60_000;
/** Percentage of a GPU that a desktop or the measurement itself uses at most. */
const quietPercent = 2;
/** Processor cores that a server without work keeps busy at most. */
const quietCores = 0.5;
/** Bytes per second that remote sessions and monitoring transfer at most. */
const quietBytes = 1_000_000;
/** What drivers reserve without any process, as a part of the memory and in MiB. */
const reservedPart = 0.075;
const leastHeldMiB = 1_024;

/** Judges what a server does by its readings, of which it keeps only the last. */
export class UseTracker {
  #last: UsePoint | undefined;
  #holders: readonly GpuProcess[] = [];
  #gapMs = longestGapMs;

  /** The last measurement and what follows from it; undefined before the first. */
  get point(): UsePoint | undefined {
    return this.#last;
  }

  /** Continues from what was measured before a restart or in another window, unless it is older than what is known. */
  restore(point: UsePoint, everyMs = 0): void {
    if (this.#last !== undefined && this.#last.at >= point.at) return;
    this.#gapMs = gapMsOf(everyMs);
    this.#last = point;
    this.#holders = [];
  }

  /**
   * Takes the next reading, in the order of time.
   *
   * @param everyMs Milliseconds until the next reading, if the server is measured rarely.
   */
  add(reading: UseReading, everyMs = 0): void {
    const { at, samples, processes, requests } = reading;
    const before = this.#last;
    // Of a new connection, the processes are known only after the first values.
    const isEarly = processes === undefined && before?.hasProcesses === true;
    if (isEarly && at - before.at <= this.#gapMs) return;
    // A counter that hasn't changed proves that there were no requests, even while nothing was measured.
    const isCounted = requests !== undefined && requests === before?.requests;
    const hasServed = requests !== undefined && before?.requests !== undefined && !isCounted;
    const quiet = quietUse(reading);
    const kind = hasServed && quiet === "serving" ? "busy" : quiet;
    // Model servers are without requests since the last reading that had one.
    const isDone = kind === "serving" && before?.kind === "busy";
    this.#holders = (processes ?? []).filter(({ memoryMiB }) => memoryMiB !== 0);
    const amounts = amountsOf(samples);
    const found = { at, kind, requests, hasProcesses: processes !== undefined, ...amounts };
    this.#enter(found, everyMs, isCounted, isDone);
  }

  /** Called instead if the server couldn't be reached, although it is running. */
  addFailure(at: number, everyMs = 0): void {
    const nothing = { percent: undefined, memoryPercent: undefined, requests: undefined };
    this.#holders = [];
    this.#enter({ at, kind: "unreachable", hasProcesses: false, ...nothing }, everyMs);
  }

  use(now: number): ServerUse {
    const last = this.#last;
    if (last === undefined) return unknownUse;
    const { at, kind, since, percent } = last;
    const isOld = now - at > this.#gapMs || now < at - longestGapMs;
    const leastMs = kind === "unreachable" ? leastUnreachableMs : leastQuietMs;
    const isLong = kind === "busy" || kind === "serving" || at - since >= leastMs;
    return {
      ...{ kind: !isOld && isLong ? kind : "unknown", since, measuredAt: at, percent },
      ...{ holders: this.#holders, hasCountedRequests: last.requests !== undefined },
    };
  }

  #enter(found: Omit<UsePoint, "since">, everyMs: number, isCounted = false, isDone = false): void {
    const before = this.#last;
    this.#gapMs = gapMsOf(everyMs);
    const pauseMs = before === undefined ? Infinity : found.at - before.at;
    const isUnbroken = pauseMs >= 0 && (pauseMs <= this.#gapMs || isCounted);
    const isSame = isUnbroken && found.kind === before?.kind;
    const since = isSame ? before.since : isUnbroken && isDone ? (before?.at ?? found.at) : found.at;
    this.#last = { ...found, since };
  }
}

function gapMsOf(everyMs: number): number {
  return Math.max(longestGapMs, 3 * everyMs);
}

/** Whether a point says enough that the one that was kept last doesn't. */
export function isWorthKeeping(point: UsePoint, kept: UsePoint | undefined): boolean {
  if (kept === undefined) return true;
  const age = point.at - kept.at;
  const isOther = point.kind !== kept.kind || point.since !== kept.since;
  // Otherwise, a restart would continue the idleness of before.
  const isBusy = point.kind === "busy" && kept.kind !== "busy";
  return age < 0 || age >= keptUse.stepMs || isBusy || (isOther && age >= shortestStepMs);
}

function amountsOf(samples: readonly GpuSample[]): Pick<UsePoint, "percent" | "memoryPercent"> {
  const percents = samples.flatMap(({ utilizationPercent }) => utilizationPercent ?? []);
  const memory = samples.flatMap(({ memoryUsedMiB: used, memoryTotalMiB: total }) =>
    used === undefined || total === undefined || total <= 0 ? [] : [[used, total] as const],
  );
  const sum = (values: readonly number[]): number => values.reduce((all, value) => all + value, 0);
  const total = sum(memory.map(([, each]) => each));
  return {
    percent: percents.length === 0 ? undefined : sum(percents) / percents.length,
    memoryPercent:
      memory.length === 0 || memory.length < samples.length
        ? undefined
        : (100 * sum(memory.map(([used]) => used))) / total,
  };
}

function quietUse(reading: UseReading): UseKind {
  const { samples, processes, busyCores = 0, networkBytesPerSecond = 0, isWorking = false } = reading;
  const percent = highestPercent(samples);
  if (isWorking || (percent ?? 0) > quietPercent) return "busy";
  const holders = (processes ?? []).filter(({ memoryMiB }) => memoryMiB !== 0);
  const isServing = holders.length > 0 && holders.every(({ model }) => model !== undefined);
  // Some model servers keep cores busy while they wait for requests. If these are counted, they decide.
  if (isServing && reading.requests !== undefined) return "serving";
  if (busyCores > quietCores || networkBytesPerSecond > quietBytes) return "busy";
  if (isServing) return "serving";
  if (holders.length > 0) return "holding";
  const isHeld = isMemoryHeld(samples);
  if (isHeld === true) return "holding";
  // The utilization of a GPU that is split isn't reported. Without a process and memory, there is none.
  const isQuiet = samples.every(({ utilizationPercent }) => utilizationPercent !== undefined);
  if (samples.length === 0 || (!isQuiet && processes === undefined)) return "unknown";
  return isHeld === undefined && processes === undefined ? "unknown" : "idle";
}

/** Whether more memory is in use than drivers reserve; undefined if a GPU doesn't report it. */
function isMemoryHeld(samples: readonly GpuSample[]): boolean | undefined {
  let isKnown = true;
  for (const { memoryUsedMiB: used, memoryTotalMiB: total } of samples) {
    if (used === undefined) isKnown = false;
    else if (used > Math.max(leastHeldMiB, (total ?? 0) * reservedPart)) return true;
  }
  return isKnown ? false : undefined;
}

function highestPercent(samples: readonly GpuSample[]): number | undefined {
  const known = samples.flatMap(({ utilizationPercent }) => utilizationPercent ?? []);
  return known.length === 0 ? undefined : Math.max(...known);
}

/** A few words such as `idle 5 h 10 min`; empty for a server that is busy or was never measured. */
export function useText({ kind, since, measuredAt, holders, ...use }: ServerUse, now: number): string {
  const time = formatRemaining((measuredAt ?? now) - (since ?? measuredAt ?? now));
  switch (kind) {
    case "idle":
      return t("idle {0}", time);
    case "holding": {
      const by = holdersText(holders);
      return by === "" ? t("holding memory for {0}", time) : t("holding memory for {0}: {1}", time, by);
    }
    case "serving":
      return use.hasCountedRequests
        ? t("serving, no requests for {0}", time)
        : t("serving, GPU at 0% for {0}", time);
    case "unreachable":
      return t("running, no SSH for {0}", time);
    case "busy":
      return "";
    case "unknown":
      return measuredAt === undefined || now - measuredAt <= longestGapMs || use.percent === undefined
        ? ""
        : t("{0}% when last measured, {1} ago", String(Math.round(use.percent)), formatAge(now - measuredAt));
  }
}

/** Number of processes that a row names. */
const mostNamed = 3;

/** Who holds the memory: `train.py (you), python (alice)`. */
export function holdersText(holders: readonly GpuProcess[]): string {
  const names = holders.map(({ pid, name, model, user, isOwn }) => {
    const what = model === undefined || model === "" ? (name ?? t("process {0}", String(pid))) : model;
    return isOwn ? t("{0} (you)", what) : user === undefined ? what : `${what} (${user})`;
  });
  return shortList([...new Set(names)], mostNamed, String);
}
