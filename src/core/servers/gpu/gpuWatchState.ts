import { t } from "@vscode/l10n";
import { formatAge } from "../../kernel/formatTime.ts";
import type { JsonObject } from "../../kernel/json.ts";
import { gpuProblems } from "./gpuStream.ts";
import type { GpuProblem, GpuSample } from "./gpuStream.ts";

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
    samples.length === 1 ? t("GPU {0}", percent) : t("{0} GPUs {1}", samples.length, percent),
    memoryText(
      sumOf(samples.map(({ memoryUsedMiB }) => memoryUsedMiB)),
      sumOf(samples.map(({ memoryTotalMiB }) => memoryTotalMiB)),
    ),
    lost === 0 ? "" : t("GPUs lost: {0}", lost),
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
    ...samples.map((sample) =>
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
    ),
    ...(lost === 0 ? [] : [t("GPUs lost: {0}", lost)]),
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
    gpus: samples.map((sample) =>
      Object.fromEntries(
        Object.entries(sample).flatMap(([name, value]: [string, string | number | undefined]) =>
          value === undefined ? [] : [[name, value] as const],
        ),
      ),
    ),
    ...(lost === 0 ? {} : { gpusLost: lost }),
    ...(problem === undefined ? {} : { problem: gpuProblems[problem].text() }),
  };
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
