import { t } from "@vscode/l10n";
import { formatAge, formatRemaining } from "../../kernel/formatTime.ts";
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

/** The words for what a server does. Only the first three mean that nobody needs it at the moment. */
type UseKind = "idle" | "holding" | "serving" | "busy" | "unknown";

/** What a server does, since when, and when that was last measured; times are in milliseconds since 1970. */
export interface ServerUse {
  /**
   * - `idle`: nothing uses a GPU or its memory.
   * - `holding`: processes hold memory and don't compute.
   * - `serving`: only model servers hold memory, and the GPUs don't compute.
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
  /** The highest utilization of a GPU at the last measurement. */
  readonly percent: number | undefined;
}

/** For a server that hasn't been measured. */
const unknownUse: ServerUse = {
  ...{ kind: "unknown", since: undefined, measuredAt: undefined },
  ...{ holders: [], hasCountedRequests: false, percent: undefined },
};

/** Two readings that are further apart say nothing about the time between them, for example after sleep. */
const longestGapMs = 15 * 60_000;
/** A pause between two steps of a job isn't idleness. */
const leastQuietMs = 5 * 60_000;
/** Percentage of a GPU that a desktop or the measurement itself uses at most. */
const quietPercent = 2;
/** Processor cores that a server without work keeps busy at most. */
const quietCores = 0.5;
/** Bytes per second that remote sessions and monitoring transfer at most. */
const quietBytes = 1_000_000;
/** What drivers reserve without any process, as a part of the memory and in MiB. */
const reservedPart = 0.075;
const leastHeldMiB = 1_024;

/** Where the use of servers is found; implemented by what measures them. */
export interface ServerUses {
  /** @param key The key of the server in the profile's list. */
  useOf(profileName: string, key: string): ServerUse;
  /** The listener is called when the use of a server has changed. Returns a function that unsubscribes. */
  onDidChangeUse(listener: () => void): () => void;
}

/** Judges what a server does by its readings, without keeping them. */
export class UseTracker {
  #found: UseKind = "unknown";
  #since = 0;
  #last: UseReading | undefined;
  #gapMs = longestGapMs;

  /**
   * Takes the next reading, in the order of time.
   *
   * @param everyMs Milliseconds until the next reading, if the server is measured rarely.
   */
  add(reading: UseReading, everyMs = 0): void {
    const before = this.#last;
    // Of a new connection, the processes are known only after the first values.
    const isEarly = reading.processes === undefined && before?.processes !== undefined;
    if (isEarly && reading.at - before.at <= this.#gapMs) return;
    this.#gapMs = Math.max(longestGapMs, 3 * everyMs);
    // A counter that hasn't changed proves that there were no requests, even while nothing was measured.
    const isCounted = reading.requests !== undefined && reading.requests === before?.requests;
    const hasServed = reading.requests !== undefined && before?.requests !== undefined && !isCounted;
    const quiet = quietUse(reading);
    const found = hasServed && quiet === "serving" ? "busy" : quiet;
    const pauseMs = before === undefined ? Infinity : reading.at - before.at;
    const isUnbroken = pauseMs >= 0 && (pauseMs <= this.#gapMs || isCounted);
    if (!isUnbroken) this.#since = reading.at;
    else if (found !== this.#found)
      // Model servers are without requests since the last reading that had one.
      this.#since = found === "serving" && this.#found === "busy" ? (before?.at ?? reading.at) : reading.at;
    this.#found = found;
    this.#last = reading;
  }

  use(now: number): ServerUse {
    const last = this.#last;
    if (last === undefined) return unknownUse;
    const found = this.#found;
    const isOld = now - last.at > this.#gapMs || now < last.at - longestGapMs;
    const isLong = found === "busy" || found === "serving" || last.at - this.#since >= leastQuietMs;
    return {
      kind: !isOld && isLong ? found : "unknown",
      since: this.#since,
      measuredAt: last.at,
      holders: (last.processes ?? []).filter(({ memoryMiB }) => memoryMiB !== 0),
      hasCountedRequests: last.requests !== undefined,
      percent: highestPercent(last.samples),
    };
  }
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
  const distinct = [...new Set(names)];
  const more = distinct.length - mostNamed;
  const shown = distinct.slice(0, mostNamed).join(", ");
  return more > 0 ? t("{0} and {1} more", shown, String(more)) : shown;
}
