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
  /** For how long they were running at a price that isn't known, in milliseconds. */
  readonly unpricedMs: number;
  /** For how long it isn't known what they have cost although they weren't running, in milliseconds. */
  readonly unclearMs: number;
  /** For how long it isn't known what they did, in milliseconds. */
  readonly gapMs: number;
}

/** What one server has cost on one day, or in one hour. */
interface ServerPeriod extends ServerSpending {
  /** The beginning of the day or hour in UTC, in milliseconds since 1970. */
  readonly at: number;
  readonly profile: string;
  readonly server: string;
  readonly name: string;
}

/** An hour in milliseconds. */
export const hourMs = 3_600_000;
/** A day in milliseconds. */
export const dayMs = 24 * hourMs;

/** The beginning of the day in UTC, and of its month, in milliseconds since 1970. */
export function utcPeriods(now: number): { readonly day: number; readonly month: number } {
  const date = new Date(now);
  return { day: Math.floor(now / dayMs) * dayMs, month: Date.UTC(date.getUTCFullYear(), date.getUTCMonth()) };
}

/**
 * What each server has cost on each day (UTC) from `since` until `until`: the earliest day first.
 * @param step The length of a day, or of an hour for each hour, in milliseconds.
 */
export function spendingByDay(
  runs: readonly ServerRun[],
  since: number,
  until: number,
  step = dayMs,
): readonly ServerPeriod[] {
  const periods = new Map<string, { readonly at: number; readonly pieces: ServerRun[] }>();
  for (const run of runs) {
    const [from, to] = [Math.max(run.from, since), Math.min(run.to, until)];
    // A clock that was ahead may have entered what is yet to come.
    if (to < from || (to === from && run.to > run.from)) continue;
    let at = Math.floor(from / step) * step;
    // What only one list has shown is a piece without a length.
    do {
      const piece = { ...run, from: Math.max(from, at), to: Math.min(to, at + step) };
      const key = JSON.stringify([at, run.profile, run.server]);
      const period = periods.get(key) ?? { at, pieces: [] };
      periods.set(key, period);
      period.pieces.push(piece);
      at += step;
    } while (at < to);
  }
  return [...periods.values()]
    .toSorted((first, second) => first.at - second.at)
    .flatMap(({ at, pieces }) => {
      const last = pieces.at(-1);
      if (last === undefined) return [];
      const { profile, server, name } = last;
      return [{ at, profile, server, name, ...sumSpending(pieces.map(spendingOf)) }];
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
    unclearMs: sum(({ unclearMs }) => unclearMs),
    gapMs: sum(({ gapMs }) => gapMs),
  };
}

function spendingOf({ from, to, basis, status, rate }: ServerRun): ServerSpending {
  const length = to - from;
  const cost = rate && { amount: (rate.amount * length) / hourMs, currency: rate.currency };
  const costs = cost === undefined || cost.amount === 0 ? [] : [cost];
  const isExact = basis === "observed" && rate?.isEstimate === false;
  // What is seen only once is unknown, too.
  const unknownMs = rate === undefined && basis !== "gap" ? Math.max(length, 1) : 0;
  return {
    observed: isExact ? costs : [],
    estimated: isExact ? [] : costs,
    runningMs: status === "running" && basis !== "gap" ? length : 0,
    unpricedMs: status === "running" ? unknownMs : 0,
    unclearMs: status === "running" ? 0 : unknownMs,
    gapMs: basis === "gap" ? length : 0,
  };
}
