import { sumCosts } from "../../conversation/prices.ts";
import type { Cost } from "../../conversation/prices.ts";
import type { ServerRun } from "./serverRun.ts";

/** What servers have cost in some time. Currencies are never added, and neither are estimates to what was observed. */
export interface ServerSpending {
  /** What the observed time has cost: one amount for each currency, whose code is empty if it isn't known. */
  readonly observed: readonly Cost[];
  /** What more it has cost if the servers ran as it seems, or at about the price that is known. */
  readonly estimated: readonly Cost[];
  /** For how long servers were running, in milliseconds, including the time that is estimated. */
  readonly runningMs: number;
  /** For how long it isn't known what they have cost, in milliseconds. */
  readonly unpricedMs: number;
  /** For how long it isn't known what they did, in milliseconds. */
  readonly gapMs: number;
}

/** What one server has cost on one day. */
interface ServerDay extends ServerSpending {
  /** The date in UTC, such as `2026-11-24`. */
  readonly day: string;
  readonly profile: string;
  readonly server: string;
  readonly name: string;
}

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** The beginning of the day in UTC, and of its month, in milliseconds since 1970. */
export function utcPeriods(now: number): { readonly day: number; readonly month: number } {
  const date = new Date(now);
  return { day: Math.floor(now / dayMs) * dayMs, month: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) };
}

/** What each server has cost on each day (UTC) from `since` until `until`: the earliest day first. */
export function spendingByDay(
  runs: readonly ServerRun[],
  since: number,
  until: number,
): readonly ServerDay[] {
  const days = new Map<string, { readonly start: number; readonly pieces: ServerRun[] }>();
  for (const run of runs) {
    const [from, to] = [Math.max(run.from, since), Math.min(run.to, until)];
    for (let start = utcPeriods(from).day; start < to; start += dayMs) {
      const piece = { ...run, from: Math.max(from, start), to: Math.min(to, start + dayMs) };
      const key = JSON.stringify([start, run.profile, run.server]);
      const day = days.get(key) ?? { start, pieces: [] };
      days.set(key, day);
      day.pieces.push(piece);
    }
  }
  return [...days.values()]
    .toSorted((first, second) => first.start - second.start)
    .flatMap(({ start, pieces }) => {
      const last = pieces.at(-1);
      if (last === undefined) return [];
      const { profile, server, name } = last;
      const day = new Date(start).toISOString().slice(0, 10);
      return [{ day, profile, server, name, ...sumSpending(pieces.map(spendingOf)) }];
    });
}

/** What all of it comes to. */
export function sumSpending(all: readonly ServerSpending[]): ServerSpending {
  const sum = (of: (spending: ServerSpending) => number): number =>
    all.reduce((total, spending) => total + of(spending), 0);
  return {
    observed: sumCosts(all.flatMap(({ observed }) => observed)),
    estimated: sumCosts(all.flatMap(({ estimated }) => estimated)),
    runningMs: sum(({ runningMs }) => runningMs),
    unpricedMs: sum(({ unpricedMs }) => unpricedMs),
    gapMs: sum(({ gapMs }) => gapMs),
  };
}

function spendingOf({ from, to, basis, status, rate }: ServerRun): ServerSpending {
  const length = to - from;
  const cost = rate && { amount: (rate.amount * length) / hourMs, currency: rate.currency };
  const costs = cost === undefined || cost.amount === 0 ? [] : [cost];
  const isExact = basis === "observed" && rate?.isEstimate === false;
  return {
    observed: isExact ? costs : [],
    estimated: isExact ? [] : costs,
    runningMs: status === "running" && basis !== "gap" ? length : 0,
    unpricedMs: rate === undefined && basis !== "gap" ? length : 0,
    gapMs: basis === "gap" ? length : 0,
  };
}
