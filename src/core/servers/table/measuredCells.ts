import { t } from "@vscode/l10n";
import { costOrder, formatCost, sumCosts } from "../../conversation/prices.ts";
import type { ServerSpending } from "../cost/serverSpending.ts";
import { gpuTotals, isLive } from "../gpu/gpuWatchState.ts";
import type { GpuWatchState } from "../gpu/gpuWatchState.ts";
import type { SortKey } from "../sortRows.ts";
import type { MeasuredColumn } from "./columns.ts";

/** A value in its displayable form, and what the servers are sorted by. */
interface MeasuredCell {
  readonly text: string;
  readonly order: SortKey;
  /** The values of a plot from 0 to 100, evenly spaced in time; undefined where nothing was measured. */
  readonly points?: readonly (number | undefined)[];
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

/** Number of measurements that are plotted: some minutes while a server is measured all the time. */
const mostPoints = 120;

/** The latest measurements of the watched servers, by what identifies these. */
export class MeasuredServers {
  readonly #histories = new Map<string, { at: number; points: readonly (number | undefined)[] }>();

  /** The cells of a server. Values that are no longer true aren't shown. `now` is in milliseconds since 1970. */
  cells(id: string, state: GpuWatchState | undefined, now: number): MeasuredCells {
    if (state?.measuredAt === undefined) {
      this.#histories.delete(id);
      return {};
    }
    const isNow = isLive(state, now);
    const cells = isNow ? gpuCells(state) : {};
    const { at, points } = this.#histories.get(id) ?? { at: state.measuredAt, points: [] };
    if (points.length > 0 && at === state.measuredAt) return { ...cells, ...historyCell(points) };
    const isUnbroken = points.length === 0 || isLive({ ...state, measuredAt: at }, state.measuredAt);
    const percent = isNow ? gpuTotals(state).percent : undefined;
    const added = [...points, ...(isUnbroken ? [] : [undefined]), percent].slice(-mostPoints);
    this.#histories.set(id, { at: state.measuredAt, points: added });
    return { ...cells, ...historyCell(added) };
  }
}

function historyCell(points: readonly (number | undefined)[]): MeasuredCells {
  const known = points.filter((value) => value !== undefined);
  if (known.length < 2) return {};
  const [least, most] = [Math.min(...known), Math.max(...known)].map((value) => String(Math.round(value)));
  const text = t("From {0}% to {1}%", least ?? "", most ?? "");
  return { history: { text, order: sumOf(known) / known.length, points } };
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
