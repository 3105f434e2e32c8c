import { t } from "@vscode/l10n";
import { costOrder, formatCost, sumCosts } from "../../conversation/prices.ts";
import type { ServerSpending } from "../cost/serverSpending.ts";
import { gpuTotals, isLive } from "../gpu/gpuWatchState.ts";
import type { GpuWatchState } from "../gpu/gpuWatchState.ts";
import { keptUse } from "../gpu/serverUse.ts";
import type { UsePoint } from "../gpu/serverUse.ts";
import type { Server } from "../server.ts";
import type { SortKey } from "../sortRows.ts";
import type { MeasuredColumn } from "./columns.ts";

/** A value in its displayable form, and what the servers are sorted by. */
interface MeasuredCell {
  readonly text: string;
  readonly order: SortKey;
  readonly plot?: {
    /** Milliseconds between two values. */
    readonly stepMs: number;
    /** From 0 to 100, the latest last; undefined where nothing was measured. */
    readonly values: readonly (number | undefined)[];
  };
}

/** What is measured on a server, or computed from that, by its column. */
export type MeasuredCells = Readonly<Partial<Record<MeasuredColumn, MeasuredCell>>>;

/** The use of the GPUs and their memory, as in the tree, and the temperature of the warmest, as far as it is known. */
function gpuCells(state: GpuWatchState): MeasuredCells {
  const { percent, useText, usedMiB, memoryText } = gpuTotals(state);
  const warmest = Math.max(...state.samples.flatMap(({ temperatureC }) => temperatureC ?? []));
  return {
    ...(useText === "" ? {} : { use: { text: useText, order: percent } }),
    ...(memoryText === "" ? {} : { memory: { text: memoryText, order: usedMiB } }),
    ...(warmest > -Infinity ? { temperature: { text: `${Math.round(warmest)} °C`, order: warmest } } : {}),
  };
}

function sumOf(values: readonly number[]): number {
  return values.reduce((sum, value) => sum + value, 0);
}

/** A plot has this many values, of at least an hour and at most a day. */
const plotLength = 24;
const leastPlotMs = 3_600_000;

/**
 * The cells of a server. Values that are no longer true aren't shown. What isn't measured may stand in the list.
 * @param points What was measured during the last day, the earliest first.
 * @param now Milliseconds since 1970.
 */
export function measuredCells(
  { gpuUse }: Pick<Server, "gpuUse">,
  state: GpuWatchState | undefined,
  points: readonly UsePoint[],
  now: number,
): MeasuredCells {
  const isNow = state?.measuredAt !== undefined && isLive(state, now);
  const listed =
    gpuUse === undefined ? {} : { use: { text: gpuUse.value, order: Number.parseInt(gpuUse.value, 10) } };
  return { ...listed, ...(isNow ? gpuCells(state) : {}), ...historyCell(points, now) };
}

/** The average of each stretch of time. Until the next measurement, a value counts for twice the usual step. */
function historyCell(points: readonly UsePoint[], now: number): MeasuredCells {
  const first = points.find(({ percent }) => percent !== undefined)?.at ?? now;
  const length = Math.min(keptUse.longestMs, Math.max(leastPlotMs, now - first));
  const stepMs = Math.ceil(length / plotLength / 60_000) * 60_000;
  // Fixed times, so that a plot stays the same until there is a new value.
  const end = Math.ceil(now / stepMs) * stepMs;
  const values = Array.from({ length: plotLength }, (_, index) => {
    const to = end - (plotLength - 1 - index) * stepMs;
    const before = points.filter(({ at }) => at <= to);
    const within = before.flatMap(({ at, percent }) => (at > to - stepMs ? (percent ?? []) : []));
    if (within.length > 0) return sumOf(within) / within.length;
    const last = before.at(-1);
    return last !== undefined && last.at >= to - stepMs - 2 * keptUse.stepMs ? last.percent : undefined;
  });
  const known = values.filter((value) => value !== undefined);
  if (known.length < 2) return {};
  const [least, most] = [Math.min(...known), Math.max(...known)].map((value) => String(Math.round(value)));
  const text = t("From {0}% to {1}%", least ?? "", most ?? "");
  return { history: { text, order: sumOf(known) / known.length, plot: { stepMs, values } } };
}

/** What a server has cost: what was observed and what is estimated, which are never added, nor are currencies. */
export function spentCell({ observed, estimated }: ServerSpending, locale: string): MeasuredCells {
  const texts = [
    ...observed.map((cost) => formatCost(cost, locale)),
    ...estimated.map((cost) => `≈ ${formatCost(cost, locale)}`),
  ];
  const [first] = sumCosts([...observed, ...estimated]).toSorted((one, other) =>
    one.currency.localeCompare(other.currency),
  );
  return first === undefined ? {} : { spent: { text: texts.join(" + "), order: costOrder(first) } };
}
