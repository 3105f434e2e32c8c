import { t } from "@vscode/l10n";
import { formatCost, sumCosts } from "../../conversation/prices.ts";
import type { Cost } from "../../conversation/prices.ts";
import { displayLanguage } from "../../kernel/displayLanguage.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import {
  formatDate,
  formatDay,
  formatNumber,
  formatRemaining,
  shortList,
  timeOfDay,
} from "../../kernel/formatTime.ts";
import { useKinds, useText } from "../gpu/serverUse.ts";
import type { ServerUse } from "../gpu/serverUse.ts";
import { countLine } from "../changes/stateChanges.ts";
import type { ServerAnnotation } from "../marks/serverAnnotation.ts";
import type { Server } from "../server.ts";
import { factText, serverName, statusText } from "../serverLabels.ts";
import { formatPrice, hourlyRate, sumRunningCosts } from "../serverPrice.ts";
import { partialText } from "../tree/rowLabels.ts";
import { staleTime } from "../tree/rows.ts";
import type { ServerSection } from "../tree/rows.ts";
import { runKey, runningSince } from "./serverRun.ts";
import type { ServerRun } from "./serverRun.ts";
import { hourMs, spendingByDay, sumSpending, utcPeriods } from "./serverSpending.ts";
import type { ServerSpending } from "./serverSpending.ts";

/** What is known about the servers of all profiles that cost something. */
export interface CostFacts {
  readonly sections: readonly ServerSection[];
  /** What the servers did since the times that `runsNeeded` returns. */
  readonly runs: readonly ServerRun[];
  /** Undefined if it isn't measured. */
  useOf(profileName: string, key: string): ServerUse | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** A server that runs, or that costs something although it doesn't. */
interface CostlyServer {
  readonly profileName: string;
  readonly server: Server;
  readonly mark: ServerAnnotation | undefined;
  readonly use: ServerUse | undefined;
  /** What it does and since when, such as `idle 5 h 10 min`; empty if nothing is known. */
  readonly doing: string;
  /** Its price, or what it costs in its present state; empty if that isn't known. */
  readonly price: string;
}

const mostLines = 15;

/** Whether a server runs, or costs something although it doesn't. */
export function isCostly(server: Server): boolean {
  return server.status === "running" || (hourlyRate(server)?.amount ?? 0) > 0;
}

/** The servers that cost something now: those that nobody needs come first, the rest by name. */
export function costlyServers({
  sections,
  useOf,
  now,
}: Pick<CostFacts, "sections" | "useOf" | "now">): readonly CostlyServer[] {
  const found = sections.flatMap(({ profileName, marks, snapshot: { servers, listedAt = now } }) =>
    servers.flatMap((server): readonly CostlyServer[] => {
      if (!isCostly(server)) return [];
      const isRunning = server.status === "running";
      const use = isRunning ? useOf(profileName, server.key) : undefined;
      const since = runningSince(server, listedAt);
      const running = since === undefined ? "" : t("running for {0}", formatRemaining(now - since));
      const reported = server.gpuUse === undefined ? "" : t("GPU {0}", factText(server.gpuUse));
      const state = isRunning ? [reported, running].filter(Boolean).join(" · ") : statusText(server);
      const doing = (use && useText(use, now)) || state;
      const price = formatPrice(isRunning ? server : { ...server, price: server.costNow });
      return [{ profileName, server, mark: marks.get(server.key), use, doing, price }];
    }),
  );
  const busy = useKinds.indexOf("busy");
  const rank = ({ use, server }: CostlyServer): number => {
    if (use !== undefined) return Math.min(useKinds.indexOf(use.kind), busy);
    // What the list reports is only the use of the GPUs: without a measurement, 0% doesn't mean idle.
    return server.gpuUse?.value === "0%" ? busy - 0.5 : busy;
  };
  return found.toSorted(
    (one, other) =>
      rank(one) - rank(other) ||
      serverName(one.server).localeCompare(serverName(other.server), undefined, { numeric: true }),
  );
}

/** Since when runs are needed, in milliseconds since 1970: this month, and since the servers have been idle. */
export function runsNeeded(servers: readonly CostlyServer[], now: number): number {
  const since = servers.map(({ use }) => (use?.kind === "idle" ? (use.since ?? now) : now));
  return Math.min(utcPeriods(now).month, ...since);
}

/** What the item in the status bar shows. */
interface CostStatus {
  readonly text: string;
  /** The lines of the hover. */
  readonly lines: readonly string[];
}

/** `$93/h · 2 idle` and what is behind it; undefined if nothing runs and nothing is known to cost anything. */
export function costStatus(facts: CostFacts): CostStatus | undefined {
  const { sections } = facts;
  const all = sections.flatMap(({ snapshot }) => snapshot.servers);
  const { rates, running, unpriced, unclear } = sumRunningCosts(all);
  if (running === 0 && rates.length === 0) return undefined;
  const servers = costlyServers(facts);
  const idle = servers.filter(({ use }) => use?.kind === "idle").length;
  const sums = rates.map(({ isEstimate, ...cost }) => {
    const rate = t("{0}/h", formatShort(cost));
    return isEstimate ? `≈ ${rate}` : rate;
  });
  if (rates.length > 0 && unpriced > 0) sums.push(t("{0} unpriced", formatNumber(unpriced)));
  const [stale] = sections
    .map(staleTime)
    .filter((time) => time !== undefined)
    .toSorted();
  const parts = [
    rates.length > 0 ? sums.join(" + ") : t("{0} running", formatNumber(running)),
    idle > 0 ? t("{0} idle", formatNumber(idle)) : "",
  ].filter((part) => part !== "");
  const text = parts.join(" · ") + (stale === undefined ? "" : ` (${stale})`);
  const more = servers.length - mostLines;
  const lines = [
    ...servers.slice(0, mostLines).map((server) => serverLine(server, facts)),
    ...(more > 0 ? [t("and {0} more", formatNumber(more))] : []),
    ...spentLines(facts),
    missingText(unpriced, unclear),
    ...sections.flatMap(({ snapshot }) => partialText(snapshot) ?? []),
    ...(stale === undefined ? [] : [t("Not refreshed since {0}", stale)]),
  ];
  return { text, lines: lines.filter((line) => line !== "") };
}

/** `trainer-08 · $24.00/h · idle since 05:32, $124.00 since` */
function serverLine({ profileName, server, use, price, doing }: CostlyServer, facts: CostFacts): string {
  const since = use?.kind === "idle" ? use.since : undefined;
  const name = sanitizeLabel(serverName(server), 60);
  if (since === undefined) return [name, price || t("no price"), doing].filter(Boolean).join(" · ");
  const spent = spentSince(profileName, server, since, facts);
  const when = facts.now - since < 12 * hourMs ? timeOfDay(since) : formatDate(since);
  const idle = spent === "" ? t("idle since {0}", when) : t("idle since {0}, {1} since", when, spent);
  return [name, price || t("no price"), idle].join(" · ");
}

function spentSince(profileName: string, server: Server, since: number, { runs, now }: CostFacts): string {
  const own = runs.filter((run) => run.profile === profileName && run.server === runKey(server));
  return totalText(sumSpending(spendingByDay(own, since, now)));
}

/** What a server has cost since it has been idle: `≈ $124`; empty if it isn't idle, or if that isn't known. */
export function idleSpent(server: Server, { kind, since, measuredAt }: ServerUse): string {
  if (kind !== "idle" || since === undefined || measuredAt === undefined) return "";
  return spentText(server, since, measuredAt);
}

/** What a server that has run all the time has cost: `≈ $124`; empty if that isn't known. */
export function spentText(server: Server, from: number, to: number): string {
  const rate = hourlyRate(server);
  if (rate === undefined) return "";
  return `≈ ${formatShort({ ...rate, amount: (rate.amount * (to - from)) / hourMs })}`;
}

/** The same in the hover, as a sentence. */
export function idleLines(server: Server, use: ServerUse): readonly string[] {
  if (use.kind !== "idle" || use.since === undefined) return [];
  const [since, spent] = [formatDate(use.since), idleSpent(server, use)];
  return [spent === "" ? t("Idle since {0}", since) : t("Idle since {0}: {1}", since, spent)];
}

/** Milliseconds for which a server must have been idle to be worth a notification. */
const longIdleMs = 2 * hourMs;
const mostNamed = 3;

/** The servers that have been idle for long, without those that the user has muted. */
export function longIdle(servers: readonly CostlyServer[], now: number): readonly CostlyServer[] {
  return servers.filter(
    ({ use, mark }) =>
      use?.kind === "idle" && now - (use.since ?? now) >= longIdleMs && mark?.isMuted !== true,
  );
}

/** `2 servers have been idle: trainer-08 for 5 h 10 min ($124.00), trainer-10 for 2 h.` */
export function idleDigest(servers: readonly CostlyServer[], facts: CostFacts): string {
  const all = shortList(servers, mostNamed, ({ profileName, server, use }) => {
    const since = use?.since ?? facts.now;
    const spent = spentSince(profileName, server, since, facts);
    const name = sanitizeLabel(serverName(server), 60);
    const time = formatRemaining((use?.measuredAt ?? facts.now) - since);
    return spent === "" ? t("{0} for {1}", name, time) : t("{0} for {1} ({2})", name, time, spent);
  });
  return servers.length === 1
    ? t("1 server has been idle: {0}.", all)
    : t("{0} servers have been idle: {1}.", formatNumber(servers.length), all);
}

/** `Today ≈ $612.40 · November ≈ $9,180 (UTC)`, and what of it isn't certain. */
function spentLines({ runs, now }: CostFacts): readonly string[] {
  const { day, month } = utcPeriods(now);
  const [today, all] = [day, month].map((since) => sumSpending(spendingByDay(runs, since, now)));
  if (today === undefined || all === undefined || totalText(all) === "") return [];
  const isKnown = today.unpricedMs + today.unclearMs + today.gapMs === 0;
  const name = new Date(now).toLocaleDateString(displayLanguage(), { month: "long", timeZone: "UTC" });
  const observed = runs.filter(({ basis }) => basis === "observed");
  const first = observed.reduce((begin, { from }) => Math.min(begin, from), now);
  const estimate = costsText(all.estimated);
  return [
    t(
      "Today ≈ {0} · {1} ≈ {2} (UTC)",
      totalText(today) || (isKnown ? "0" : t("unknown")),
      name,
      totalText(all),
    ),
    estimate === "" ? "" : t("{0} of this is an estimate.", estimate),
    first > month ? t("Recorded since {0}.", formatDay(first, "UTC")) : "",
    all.gapMs < hourMs / 4
      ? ""
      : t("Not included: {0} of server time that wasn't observed.", formatRemaining(all.gapMs)),
  ];
}

/** `Not included: 3 servers without a price, disks, 4 servers that don't run.` */
function missingText(unpriced: number, unclear: number): string {
  const parts = [
    countLine(unpriced, t("1 server without a price"), (count) => t("{0} servers without a price", count)),
    t("disks"),
    countLine(unclear, t("1 server that isn't running"), (count) =>
      t("{0} servers that aren't running", count),
    ),
  ];
  return t("Not included: {0}.", parts.filter((part) => part !== "").join(", "));
}

function totalText({ observed, estimated }: ServerSpending): string {
  return costsText(sumCosts([...observed, ...estimated]));
}

/** What was spent, in each currency: without cents from a thousand on. */
function costsText(costs: readonly Cost[]): string {
  return costs
    .map((cost) => (cost.amount < 1_000 ? formatCost(cost, undefined) : formatShort(cost)))
    .join(" + ");
}

/** `$93`, `$2.49` or `€1,234`: without cents if there are none, and from a hundred on. */
function formatShort(cost: Cost): string {
  const { amount, currency } = cost;
  const cents = Math.round(amount * 100);
  if (amount < 100 && (cents % 100 !== 0 || cents === 0)) return formatCost(cost, undefined);
  const options = { maximumFractionDigits: 0 };
  return /^[A-Z]{3}$/.test(currency)
    ? formatNumber(amount, undefined, { style: "currency", currency, minimumFractionDigits: 0, ...options })
    : `${formatNumber(amount, undefined, options)} ${currency}`.trim();
}
