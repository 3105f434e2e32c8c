import { t } from "@vscode/l10n";
import { formatAge, formatBytes, timeOfDay } from "../../kernel/formatTime.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isWindowsShell, sshProblemOf, sshProblems } from "../connect/sshSession.ts";
import type { GpuInstance, GpuSample } from "./gpuReadings.ts";
import type { GpuFrame, GpuStream, LostGpu } from "./gpuStream.ts";
import { holdersText, useText } from "./serverUse.ts";
import type { GpuProcess, ServerUse } from "./serverUse.ts";
import { filledFields } from "../../kernel/filledFields.ts";

/** Why the GPUs of a server are no longer watched, and whether retrying without the user makes sense. */
export const gpuProblems = {
  ...sshProblems,
  windows: {
    retries: false,
    text: () =>
      t(
        "The server seems to run Windows. Measuring GPUs needs a POSIX shell, so only Linux servers can be watched. Open an SSH session in a terminal and run “nvidia-smi” there.",
      ),
  },
  noTool: {
    retries: false,
    text: () =>
      t(
        "No tool that measures GPUs, such as “nvidia-smi” or “amd-smi”, was found on the server. If it has a GPU, install the GPU driver's tools, or give the container that you connect to access to the GPU.",
      ),
  },
  driver: {
    retries: false,
    text: () => t("The server's GPU driver isn't working. If it was updated recently, restart the server."),
  },
  mismatch: {
    retries: false,
    text: () =>
      t("The server's GPU driver was updated, but the previous version is still loaded. Restart the server."),
  },
  noGpu: { retries: false, text: () => t("The server's GPU driver didn't find any GPUs.") },
  noAccess: {
    retries: false,
    text: () =>
      t(
        "Your account on the server isn't allowed to read its GPUs. For AMD GPUs, ask its administrator to add the account to the groups “render” and “video”.",
      ),
  },
  silent: {
    retries: false,
    text: (tool = "") =>
      t(
        "The tool that measures the GPUs ({0}) doesn't respond on the server. A GPU may be faulty; restarting the server may help.",
        tool,
      ),
  },
  ended: {
    retries: false,
    text: (tool = "") => t("The tool that measures the GPUs ({0}) exited on the server.", tool),
  },
} as const satisfies Readonly<
  Record<string, { readonly retries: boolean | "later"; text(tool?: string): string }>
>;

/** Why the GPUs of a server can't be measured. */
export type GpuProblem = keyof typeof gpuProblems;

/**
 * Why a connection ended, judged by what was printed rather than by exit codes, which tools use differently.
 *
 * @param errors What `ssh` and the server's shell reported.
 */
export function gpuProblemOf(stream: GpuStream, errors: string): GpuProblem {
  if (!stream.hasBegun) {
    const problem = sshProblemOf(errors);
    return problem === "noShell" && isWindowsShell(errors) ? "windows" : problem;
  }
  const { end, words } = stream;
  if (end === undefined && !stream.isFruitless) return "lost";
  return problemInWords(words) ?? (end === 127 ? "noTool" : (end ?? 0) > 128 ? "silent" : "ended");
}

/** What the tools say themselves, whose exit codes mean different things. */
function problemInWords(words: string): GpuProblem | undefined {
  if (/version mismatch/i.test(words)) return "mismatch";
  const isBroken =
    /couldn't communicate with the NVIDIA driver|Failed to initialize NVML|driver not (?:loaded|initialized)|DRIVER_NOT_LOADED/i;
  if (isBroken.test(words)) return "driver";
  if (/No devices were found|No (?:AMD )?GPUs? (?:was |were )?(?:found|detected)/i.test(words))
    return "noGpu";
  return /permission|required groups|NO_PERM/i.test(words) ? "noAccess" : undefined;
}

/** What is known about the GPUs of a server that the user watches. */
export interface GpuWatchState {
  readonly samples: readonly GpuSample[];
  readonly lost: readonly LostGpu[];
  readonly processes?: readonly GpuProcess[] | undefined;
  readonly failed?: GpuFrame["failed"];
  readonly diskFreeBytes?: number | undefined;
  /** The tool that has failed or doesn't respond. */
  readonly tool?: string | undefined;
  /** Milliseconds since 1970; undefined before the first values. */
  readonly measuredAt: number | undefined;
  readonly intervalMs: number;
  readonly problem: GpuProblem | undefined;
}

/** Values that are older than a few intervals aren't live, whatever the connection says. */
export function isLive({ measuredAt, intervalMs, problem }: GpuWatchState, now: number): boolean {
  return problem === undefined && measuredAt !== undefined && now - measuredAt <= 3 * intervalMs + 2_000;
}

/** What the GPUs of a server do together. What isn't known of all of them isn't added. */
interface GpuTotals {
  /** The average of those that report it. */
  readonly percent: number | undefined;
  readonly usedMiB: number | undefined;
  /** `1 GPU lost · 71%`; empty if nothing is known. */
  readonly useText: string;
  /** `512/640 GB`; empty if it isn't known. */
  readonly memoryText: string;
}

/** The utilization and memory of all GPUs of a server that can be reached, and how many are lost. */
export function gpuTotals({ samples, lost }: Pick<GpuWatchState, "samples" | "lost">): GpuTotals {
  const known = samples.flatMap(({ utilizationPercent }) => utilizationPercent ?? []);
  const sum = known.reduce((total, value) => total + value, 0);
  const percent = known.length === 0 ? undefined : sum / known.length;
  const usedMiB = sumOf(samples.map(({ memoryUsedMiB }) => memoryUsedMiB));
  const total = sumOf(samples.map(({ memoryTotalMiB }) => memoryTotalMiB));
  const isShared = samples.some(({ isMemoryShared }) => isMemoryShared === true);
  return {
    ...{ percent, usedMiB, memoryText: memoryText(usedMiB, total, isShared) },
    useText: [lostText(lost.length), amountText(percent, "%")].filter((part) => part !== "").join(" · "),
  };
}

/** `1 GPU lost`; empty if there is none. */
function lostText(count: number): string {
  if (count === 0) return "";
  return count === 1 ? t("1 GPU lost") : t("{0} GPUs lost", String(count));
}

/**
 * A few words for the row of the server: `71% · 512/640 GB`, with the age of values that aren't live.
 *
 * @param spent What it has cost to be idle; empty if that isn't known.
 */
export function gpuSummary(state: GpuWatchState, use: ServerUse, now: number, spent = ""): string {
  const { lost, measuredAt, problem } = state;
  const what = useText(use, now);
  if (use.kind === "unreachable") return what;
  if (measuredAt === undefined && use.percent === undefined)
    return problem === undefined ? t("GPU: connecting…") : t("GPU unavailable");
  if (use.kind === "idle")
    return [lostText(lost.length), spent === "" ? what : `${what} (${spent})`].filter(Boolean).join(" · ");
  const totals = gpuTotals(state);
  const isOld = use.kind === "unknown" && what !== "";
  const at = measuredAt ?? use.measuredAt ?? now;
  const parts = [
    ...(what === "" ? [totals.useText || amountText(use.percent, "%")] : [lostText(lost.length), what]),
    isOld ? "" : totals.memoryText,
    isLive(state, now) || isOld ? "" : t("{0} ago", formatAge(now - at)),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/** The GPUs of a server in the status bar: `GPU 71% · 61/80 GB`, or `GPUs 71% · 512/640 GB · 1 lost`. */
export function gpuStatus(state: GpuWatchState): string {
  const { samples, lost, measuredAt } = state;
  if (measuredAt === undefined) return t("GPU unavailable");
  const { percent, memoryText: memory } = gpuTotals(state);
  const parts = [
    amountText(percent, "%"),
    memory,
    lost.length === 0 ? "" : t("{0} lost", String(lost.length)),
    state.problem === undefined ? "" : t("as of {0}", timeOfDay(measuredAt)),
  ];
  const values = parts.filter((part) => part !== "").join(" · ");
  return `${samples.length + lost.length > 1 ? t("GPUs") : t("GPU")} ${values}`.trim();
}

/** `98% · 78/80 GB · 61 °C`. */
function sampleText(sample: GpuSample): string {
  const { utilizationPercent, memoryUsedMiB, memoryTotalMiB, temperatureC, instances } = sample;
  const parts = [
    amountText(utilizationPercent, "%"),
    memoryText(memoryUsedMiB, memoryTotalMiB, sample.isMemoryShared),
    amountText(temperatureC, " °C"),
    instances === undefined ? "" : t("MIG, utilization per instance not reported"),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

function amountText(value: number | undefined, unit: string): string {
  return value === undefined ? "" : `${Math.round(value)}${unit}`;
}

/** One line for each GPU, then when that was measured, and what is wrong. Undefined `now`: the lines stay for a while. */
export function gpuLines(state: GpuWatchState, now?: number): readonly string[] {
  const { samples, lost, measuredAt, problem, processes = [], failed = [], tool, diskFreeBytes } = state;
  return [
    ...lost.map((gpu) => t("GPU {0} is lost", lostName(gpu))),
    ...samples.flatMap((sample) => [
      [`GPU ${sample.index}`, sample.name ?? "", sampleText(sample), amountText(sample.powerW, " W")]
        .filter((part) => part !== "")
        .join(" · "),
      ...(sample.instances ?? []).map(instanceLine),
    ]),
    ...(processes.length === 0 ? [] : [t("Memory held by {0}", holdersText(processes))]),
    ...(diskFreeBytes === undefined ? [] : [t("{0} free on the disk", formatBytes(diskFreeBytes))]),
    ...(measuredAt === undefined
      ? []
      : [now === undefined ? t("as of {0}", timeOfDay(measuredAt)) : measuredText(now - measuredAt)]),
    ...(problem === undefined ? [] : [gpuProblems[problem].text(tool)]),
    ...failed.flatMap(({ tool: name, words }) => {
      const why = problemInWords(words);
      return why === undefined || why === "noGpu" ? [] : [`${name}: ${gpuProblems[why].text()}`];
    }),
  ];
}

/** What a row of the tree shows about one GPU. */
export interface GpuRowText {
  /** The same for the same GPU. */
  readonly key: string;
  readonly title: string;
  readonly text: string;
  readonly isLost: boolean;
  /** Whether one of its processes serves a model. */
  readonly isServing: boolean;
}

/** A row for each GPU, those that are lost first: `GPU 0`, `98% · 78/80 GB · 61 °C · train.py (you)`. */
export function gpuRows({ samples, lost, processes = [] }: GpuWatchState): readonly GpuRowText[] {
  const isAlone = new Set(samples.map(({ tool }) => tool)).size <= 1;
  return [
    ...lost.map(({ index, bus = "" }, place) => ({
      key: `lost ${index ?? ""} ${bus} ${place}`,
      title: index === undefined ? t("GPU") : t("GPU {0}", String(index)),
      text: bus === "" ? t("lost") : t("lost ({0})", bus),
      ...{ isLost: true, isServing: false },
    })),
    ...samples.map((sample) => {
      const { index, name = "", tool = "" } = sample;
      const holders = isAlone
        ? processes.filter(({ gpu, memoryMiB }) => gpu === index && memoryMiB !== 0)
        : [];
      const parts = [sampleText(sample), holdersText(holders), isAlone ? "" : name];
      return {
        key: `${tool} ${index}`,
        title: t("GPU {0}", String(index)),
        text: parts.filter((part) => part !== "").join(" · "),
        ...{ isLost: false, isServing: holders.some(({ model }) => model !== undefined) },
      };
    }),
  ];
}

/** The number and the address of a lost GPU, as far as they are known. */
function lostName({ index, bus }: LostGpu): string {
  if (index === undefined) return bus ?? "";
  return bus === undefined || bus === "" ? String(index) : `${index} (${bus})`;
}

function measuredText(ageMs: number): string {
  return ageMs < 1_000 ? t("Measured just now") : t("Measured {0} ago", formatAge(ageMs));
}

/** The values for a model. */
export function gpuFacts(state: GpuWatchState, now: number): JsonObject {
  const { samples, lost, measuredAt = now, problem, processes = [] } = state;
  return {
    isLive: isLive(state, now),
    measuredAt: new Date(measuredAt).toISOString(),
    ageSeconds: Math.max(0, Math.round((now - measuredAt) / 1_000)),
    gpus: samples.map(({ instances, ...values }) => {
      const migInstances = instances?.map((instance) => filledFields(instance));
      return filledFields({ ...values, migInstances });
    }),
    ...(lost.length === 0 ? {} : { gpusLost: lost.map(lostName) }),
    ...(processes.length === 0
      ? {}
      : { processes: processes.map(({ isOwn, ...process }) => ({ ...filledFields(process), isOwn })) }),
    ...(problem === undefined ? {} : { problem: gpuProblems[problem].text(state.tool) }),
  };
}

function instanceLine({ device, profile, memoryUsedMiB, memoryTotalMiB }: GpuInstance): string {
  const parts = [`MIG ${device}`, profile ?? "", memoryText(memoryUsedMiB, memoryTotalMiB)];
  return `– ${parts.filter((part) => part !== "").join(" · ")}`;
}

/** Undefined unless all are known. */
function sumOf(values: readonly (number | undefined)[]): number | undefined {
  const known = values.flatMap((value) => value ?? []);
  return known.length === values.length && known.length > 0
    ? known.reduce((total, value) => total + value, 0)
    : undefined;
}

/** In units of 1,024³ bytes, which the makers of GPUs call GB. */
function memoryText(used: number | undefined, total: number | undefined, isShared = false): string {
  if (used === undefined || total === undefined) return "";
  const [usedGb, totalGb] = [used, total].map((mebibytes) =>
    (mebibytes / 1_024).toFixed(total < 10_000 ? 1 : 0),
  );
  const text = t("{0}/{1} GB", usedGb ?? "", totalGb ?? "");
  return isShared ? t("{0} shared memory", text) : text;
}
