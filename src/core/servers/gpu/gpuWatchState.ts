import { t } from "@vscode/l10n";
import { formatAge } from "../../kernel/formatTime.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { isWindowsShell, sshProblemOf, sshProblems } from "../connect/sshSession.ts";
import type { GpuInstance, GpuSample } from "./gpuReadings.ts";
import type { GpuStream } from "./gpuStream.ts";

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
        "The tools “nvidia-smi”, “amd-smi”, and “rocm-smi” weren't found on the server. If it has an NVIDIA or AMD GPU, install the GPU driver's tools, or give the container that you connect to access to the GPU.",
      ),
  },
  driver: {
    retries: false,
    text: () => t("The server's GPU driver isn't working. If it was updated recently, restart the server."),
  },
  noGpu: { retries: false, text: () => t("The server's GPU driver didn't find any GPUs.") },
  noAccess: {
    retries: false,
    text: () =>
      t(
        "Your account on the server isn't allowed to read its GPUs. For AMD GPUs, ask its administrator to add the account to the groups “render” and “video”.",
      ),
  },
  silent: { retries: false, text: () => t("The server didn't report any GPU values in time.") },
  ended: { retries: false, text: () => t("The tool that measures the GPUs exited on the server.") },
} as const satisfies Readonly<Record<string, { readonly retries: boolean; text(): string }>>;

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
  if (
    /couldn't communicate with the NVIDIA driver|Failed to initialize NVML|driver not (?:loaded|initialized)|DRIVER_NOT_LOADED/i.test(
      words,
    )
  )
    return "driver";
  if (/No devices were found|No (?:AMD )?GPUs? (?:was |were )?(?:found|detected)/i.test(words))
    return "noGpu";
  if (/permission|required groups|NO_PERM/i.test(words)) return "noAccess";
  return end === 127 ? "noTool" : "ended";
}

/** What is known about the GPUs of a server that the user watches. */
export interface GpuWatchState {
  readonly samples: readonly GpuSample[];
  readonly lost: number;
  /** Milliseconds since 1970; undefined before the first values. */
  readonly measuredAt: number | undefined;
  readonly intervalMs: number;
  readonly problem: GpuProblem | undefined;
}

/** Values that are older than a few intervals aren't live, whatever the connection says. */
export function isLive({ measuredAt, intervalMs, problem }: GpuWatchState, now: number): boolean {
  return problem === undefined && measuredAt !== undefined && now - measuredAt <= 3 * intervalMs + 2_000;
}

/** A few words for the row of the server: `GPU 93% · 69.5/79.6 GiB`, with the age of values that aren't live. */
export function gpuSummary(state: GpuWatchState, now: number): string {
  const { samples, lost, measuredAt, problem } = state;
  if (measuredAt === undefined) return problem === undefined ? t("GPU: connecting…") : t("GPU unavailable");
  const known = samples.flatMap(({ utilizationPercent }) => utilizationPercent ?? []);
  const average = known.reduce((total, value) => total + value, 0) / known.length;
  const percent = known.length === 0 ? "–" : `${Math.round(average)}%`;
  const parts = [
    samples.length === 1 ? t("GPU {0}", percent) : t("{0} GPUs {1}", String(samples.length), percent),
    memoryText(
      sumOf(samples.map(({ memoryUsedMiB }) => memoryUsedMiB)),
      sumOf(samples.map(({ memoryTotalMiB }) => memoryTotalMiB)),
    ),
    lost === 0 ? "" : t("GPUs lost: {0}", String(lost)),
    isLive(state, now) ? "" : t("{0} ago", formatAge(now - measuredAt)),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/** One line for each GPU, then what is wrong. */
export function gpuLines(state: GpuWatchState, now: number): readonly string[] {
  const { samples, lost, measuredAt, problem } = state;
  const amountText = (value: number | undefined, unit: string): string =>
    value === undefined ? "" : `${Math.round(value)}${unit}`;
  return [
    ...samples.flatMap((sample) => [
      [
        `GPU ${sample.index}`,
        sample.name ?? "",
        amountText(sample.utilizationPercent, "%"),
        memoryText(sample.memoryUsedMiB, sample.memoryTotalMiB),
        amountText(sample.temperatureC, " °C"),
        amountText(sample.powerW, " W"),
      ]
        .filter((part) => part !== "")
        .join(" · "),
      ...(sample.instances ?? []).map(instanceLine),
    ]),
    ...(lost === 0 ? [] : [t("GPUs lost: {0}", String(lost))]),
    ...(measuredAt === undefined ? [] : [measuredText(now - measuredAt)]),
    ...(problem === undefined ? [] : [gpuProblems[problem].text()]),
  ];
}

function measuredText(ageMs: number): string {
  return ageMs < 1_000 ? t("Measured just now") : t("Measured {0} ago", formatAge(ageMs));
}

/** The values for a model. */
export function gpuFacts(state: GpuWatchState, now: number): JsonObject {
  const { samples, lost, measuredAt = now, problem } = state;
  return {
    isLive: isLive(state, now),
    measuredAt: new Date(measuredAt).toISOString(),
    ageSeconds: Math.max(0, Math.round((now - measuredAt) / 1_000)),
    gpus: samples.map(({ instances, ...values }) => ({
      ...known(values),
      ...(instances === undefined
        ? {}
        : { migInstances: instances.map((instance) => known({ ...instance })) }),
    })),
    ...(lost === 0 ? {} : { gpusLost: lost }),
    ...(problem === undefined ? {} : { problem: gpuProblems[problem].text() }),
  };
}

function known(values: Readonly<Record<string, string | number | undefined>>): JsonObject {
  return Object.fromEntries(
    Object.entries(values).flatMap(([name, value]) => (value === undefined ? [] : [[name, value] as const])),
  );
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

function memoryText(used: number | undefined, total: number | undefined): string {
  if (used === undefined || total === undefined) return "";
  const [usedGiB, totalGiB] = [used, total].map((mebibytes) => (mebibytes / 1_024).toFixed(1));
  return `${usedGiB}/${totalGiB} GiB`;
}
