import { t } from "@vscode/l10n";
import { formatCost, sumCosts } from "../../conversation/prices.ts";
import type { Cost } from "../../conversation/prices.ts";
import type { RequestTotal } from "../../conversation/requestTotal.ts";
import { csvText } from "../../kernel/csv.ts";
import { displayLanguage } from "../../kernel/displayLanguage.ts";
import { sanitizeLabel } from "../../kernel/foreignText.ts";
import { formatDay, formatNumber, formatRemaining, shortList } from "../../kernel/formatTime.ts";
import { costGroups, costParts, costPeriods } from "./costsProtocol.ts";
import type { CostPart, CostPlot, CostsChoice, CostsView } from "./costsProtocol.ts";
import type { ServerRun } from "./serverRun.ts";
import { dayMs, hourMs, spendingByDay, utcPeriods } from "./serverSpending.ts";

/** What is known about the costs of servers and of requests since the beginning of a period. */
interface CostsFacts {
  readonly runs: readonly ServerRun[];
  readonly requests: readonly RequestTotal[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** What is counted for servers, in milliseconds, and for requests. */
const countNames = [
  ...(["runningMs", "unpricedMs", "unclearMs", "gapMs"] as const),
  ...(["requests", "promptTokens", "completionTokens", "unpriced"] as const),
] as const;
type Counts = Readonly<Record<(typeof countNames)[number], number>>;

interface Figures extends Counts {
  readonly observed: readonly Cost[];
  readonly estimated: readonly Cost[];
}

/** What a server has cost in a day or an hour, or the requests to a model. */
interface CostEntry extends Figures {
  /** Milliseconds since 1970. */
  readonly at: number;
  readonly profile: string;
  /** Its key in the list of its profile; undefined for requests. */
  readonly server?: string;
  readonly name?: string;
  readonly model?: string;
  readonly workspace?: string | undefined;
}

const noCounts: Counts = {
  ...{ runningMs: 0, unpricedMs: 0, unclearMs: 0, gapMs: 0 },
  ...{ requests: 0, promptTokens: 0, completionTokens: 0, unpriced: 0 },
};
/** Rows of the table, and servers that are named. */
const [mostRows, mostNamed] = [1_000, 5];
const longestName = 100;

/** When a period began, and the length of its bars, in milliseconds. */
function stepsOf({ period }: CostsChoice, now: number): { readonly since: number; readonly step: number } {
  const { day, month } = utcPeriods(now);
  if (period === "today") return { since: day, step: hourMs };
  return { since: period === "week" ? day - 6 * dayMs : month, step: dayMs };
}

/** Since when the facts are needed, in milliseconds since 1970. */
export function costsSince(choice: CostsChoice, now: number): number {
  return stepsOf(choice, now).since;
}

/** What servers and requests have cost: by time, by what the user has chosen, and what isn't known. */
export function costsView(facts: CostsFacts, choice: CostsChoice): CostsView {
  const entries = entriesOf(facts, choice);
  const all = sumFigures(entries);
  const uses = new Map<string, number>();
  for (const { currency } of entries.flatMap(({ observed, estimated }) => [...observed, ...estimated]))
    uses.set(currency, (uses.get(currency) ?? 0) + 1);
  // The most usual one first.
  const currencies = [...uses.keys()].toSorted((one, other) => (uses.get(other) ?? 0) - (uses.get(one) ?? 0));
  return {
    choice,
    periods: costPeriods.map((id) => ({ id, label: periodLabels[id]() })),
    groups: costGroups.map((id) => ({ id, label: groupings[id].label() })),
    plots: currencies.map((currency) => plotOf(entries, currency, facts.now, choice)),
    ...(entries.length === 0 ? {} : { table: tableOf(entries, all, currencies, choice) }),
    missing: missingTexts(entries, all),
    notes: noteTexts(facts, all, choice),
  };
}

/**
 * What the page shows as CSV with a header row: a line for each server or model, time, and currency. What has no currency
 * is in the first of these lines.
 */
export function costsCsv(facts: CostsFacts, choice: CostsChoice): string {
  const header = [
    ...[t("Beginning (UTC)"), t("Server"), t("Model"), t("Profile"), t("Workspace"), t("Currency")],
    ...[t("Cost"), t("Estimated in addition"), t("Running (h)"), t("Running without a price (h)")],
    ...[t("Not running, cost unknown (h)"), t("Not observed (h)"), t("Requests"), t("Input tokens")],
    ...[t("Output tokens"), t("Requests without a price")],
  ];
  const groups = groupBy(entriesOf(facts, choice), ({ at, profile, server, model, workspace }) =>
    JSON.stringify([at, profile, server, model, workspace]),
  );
  return csvText([header, ...groups.flatMap(csvRows)]);
}

function csvRows(entries: readonly CostEntry[]): readonly (readonly string[])[] {
  const { at = 0, profile = "", server, name = server, model, workspace } = entries[0] ?? {};
  const figures = sumFigures(entries);
  const { observed, estimated } = figures;
  const currencies = new Set([...observed, ...estimated].map(({ currency }) => currency));
  const counts = countNames.map((key) =>
    exactNumber(key.endsWith("Ms") ? figures[key] / hourMs : figures[key]),
  );
  return [...(currencies.size === 0 ? [""] : currencies)].map((currency, index) => [
    ...[new Date(at).toISOString(), name ?? "", model ?? "", profile, workspace ?? "", currency],
    ...[observed, estimated].map((costs) =>
      costs.length === 0 ? "" : exactNumber(amountIn(costs, currency)),
    ),
    ...(index === 0 ? counts : counts.map(() => "")),
  ]);
}

/** Without the digits that come from adding binary fractions. */
function exactNumber(value: number): string {
  return String(Number(value.toFixed(8)));
}

function entriesOf({ runs, requests, now }: CostsFacts, choice: CostsChoice): readonly CostEntry[] {
  const { since, step } = stepsOf(choice, now);
  const servers = spendingByDay(runs, since, now, step).map((each) => ({ ...noCounts, ...each }));
  const models = requests
    .filter(({ at }) => at >= since)
    .map(({ cost, estimatedCost, at, ...total }) => ({
      ...{ ...noCounts, ...total, at: Math.floor(at / step) * step },
      observed: cost === undefined ? [] : [cost],
      estimated: estimatedCost === undefined ? [] : [estimatedCost],
    }));
  return [...servers, ...models];
}

function sumFigures(all: readonly Figures[]): Figures {
  const counts = Object.fromEntries(
    countNames.map((name) => [name, all.reduce((sum, figures) => sum + figures[name], 0)]),
  );
  return {
    ...{ ...noCounts, ...counts },
    observed: sumCosts(all.flatMap(({ observed }) => observed)),
    estimated: sumCosts(all.flatMap(({ estimated }) => estimated)),
  };
}

function groupBy(
  entries: readonly CostEntry[],
  keyOf: (entry: CostEntry) => string,
): readonly (readonly CostEntry[])[] {
  const groups = new Map<string, CostEntry[]>();
  for (const entry of entries) {
    const group = groups.get(keyOf(entry));
    if (group === undefined) groups.set(keyOf(entry), [entry]);
    else group.push(entry);
  }
  return [...groups.values()];
}

function amountIn(costs: readonly Cost[], currency: string): number {
  return costs.find((cost) => cost.currency === currency)?.amount ?? 0;
}

const periodLabels: Readonly<Record<CostsChoice["period"], () => string>> = {
  today: () => t("Today"),
  week: () => t("7 Days"),
  month: () => t("Month"),
};

interface Grouping {
  label(): string;
  /** What identifies the row of an entry; undefined for those that share the last row. */
  keyOf(entry: CostEntry): string | undefined;
  nameOf(entry: CostEntry, choice: CostsChoice): string;
}

const groupings: Readonly<Record<CostsChoice["group"], Grouping>> = {
  day: {
    label: () => t("Day"),
    keyOf: ({ at }) => String(at),
    nameOf: ({ at }, choice) => timeLabel(at, choice),
  },
  server: {
    label: () => t("Server"),
    keyOf: ({ profile, server }) => server && JSON.stringify([profile, server]),
    nameOf: ({ server, name = server }) => name ?? t("Requests to models"),
  },
  model: {
    label: () => t("Model"),
    keyOf: ({ model }) => model,
    nameOf: ({ model }) => (model === undefined ? t("Servers") : model || t("unknown")),
  },
  profile: { label: () => t("Profile"), keyOf: ({ profile }) => profile, nameOf: ({ profile }) => profile },
  workspace: {
    label: () => t("Workspace"),
    keyOf: ({ workspace }) => workspace,
    nameOf: ({ workspace, server }) => workspace ?? (server === undefined ? t("No workspace") : t("Servers")),
  },
};

/** `14:00` or `Nov 24`, in UTC. */
function timeLabel(at: number, { period }: CostsChoice): string {
  const date = new Date(at);
  return period === "today"
    ? date.toISOString().slice(11, 16)
    : date.toLocaleDateString(displayLanguage(), { month: "short", day: "numeric", timeZone: "UTC" });
}

const partLabels: Readonly<Record<CostPart, () => string>> = {
  servers: () => t("Servers"),
  estimatedServers: () => t("Servers, estimated"),
  requests: () => t("Requests"),
  estimatedRequests: () => t("Requests, estimated"),
};

function plotOf(entries: readonly CostEntry[], currency: string, now: number, choice: CostsChoice): CostPlot {
  const { since, step } = stepsOf(choice, now);
  const text = (amount: number): string => formatCost({ amount, currency }, undefined);
  const byTime = new Map(groupBy(entries, ({ at }) => String(at)).map((group) => [group[0]?.at, group]));
  const times = Array.from({ length: Math.ceil((now - since) / step) }, (_, index) => since + index * step);
  const bars = times.map((at) => {
    const amounts = new Map<CostPart, number>();
    for (const { server, observed, estimated } of byTime.get(at) ?? []) {
      const [exact, rest] =
        server === undefined
          ? (["requests", "estimatedRequests"] as const)
          : (["servers", "estimatedServers"] as const);
      amounts.set(exact, (amounts.get(exact) ?? 0) + amountIn(observed, currency));
      amounts.set(rest, (amounts.get(rest) ?? 0) + amountIn(estimated, currency));
    }
    return { at, amounts };
  });
  const sum = (values: Iterable<number>): number => [...values].reduce((total, value) => total + value, 0);
  const top = Math.max(...bars.map(({ amounts }) => sum(amounts.values())));
  const used = costParts.filter((part) => bars.some(({ amounts }) => (amounts.get(part) ?? 0) > 0));
  const total = (parts: readonly CostPart[]): number =>
    sum(bars.flatMap(({ amounts }) => parts.map((part) => amounts.get(part) ?? 0)));
  const estimate = total(["estimatedServers", "estimatedRequests"]);
  const exact = total(["servers", "requests"]);
  return {
    total: exact === 0 && estimate > 0 ? "" : text(exact),
    estimate: estimate === 0 ? "" : `≈ ${text(estimate)}`,
    top: text(top),
    bars: bars.map(({ at, amounts }) => ({
      label: timeLabel(at, choice),
      parts: used.flatMap((part) => {
        const amount = amounts.get(part) ?? 0;
        return amount === 0 ? [] : [{ part, share: amount / top, text: text(amount) }];
      }),
    })),
    legend: used.map((part) => ({ part, label: partLabels[part]() })),
  };
}

/** The columns after the first one. Those without any value are left out. */
const columns: readonly { readonly label: () => string; readonly text: (figures: Figures) => string }[] = [
  { label: () => t("Cost"), text: costText },
  {
    label: () => t("Estimated"),
    text: ({ estimated }) => estimated.map((cost) => `≈ ${formatCost(cost, undefined)}`).join(" + "),
  },
  { label: () => t("Running"), text: ({ runningMs }) => hoursText(runningMs) },
  { label: () => t("Requests"), text: ({ requests }) => countText(requests) },
  { label: () => t("Input Tokens"), text: ({ promptTokens }) => countText(promptTokens) },
  { label: () => t("Output Tokens"), text: ({ completionTokens }) => countText(completionTokens) },
];

/** What is certain, and whether there is more. What isn't known is never 0. */
function costText({ observed, estimated, unpricedMs, unclearMs, gapMs, unpriced }: Figures): string {
  const known = observed.map((cost) => formatCost(cost, undefined));
  const all = unpricedMs + unclearMs + gapMs + unpriced > 0 ? [...known, t("unknown")] : known;
  return all.length === 0 && estimated.length === 0 ? "0" : all.join(" + ");
}

function hoursText(ms: number): string {
  if (ms < hourMs) return ms === 0 ? "" : formatRemaining(ms);
  return t("{0} h", formatNumber(ms / hourMs, undefined, { maximumFractionDigits: 1 }));
}

function countText(count: number): string {
  return count === 0 ? "" : formatNumber(count);
}

/** The latest time first, otherwise what has cost most. Currencies are compared one after the other. */
function tableOf(
  entries: readonly CostEntry[],
  all: Figures,
  currencies: readonly string[],
  choice: CostsChoice,
): NonNullable<CostsView["table"]> {
  const { label, keyOf, nameOf } = groupings[choice.group];
  const amounts = ({ observed, estimated }: Figures): readonly number[] =>
    currencies.map((currency) => amountIn(observed, currency) + amountIn(estimated, currency));
  const groups = groupBy(entries, (entry) => keyOf(entry) ?? `-${nameOf(entry, choice)}`)
    .flatMap((members) => {
      const [first] = members;
      const last = members.at(-1);
      if (first === undefined || last === undefined) return [];
      const figures = sumFigures(members);
      // A server may have been renamed.
      const name = sanitizeLabel(nameOf(last, choice), longestName);
      const isRest = keyOf(first) === undefined;
      const order = [Number(isRest), ...amounts(figures).map((amount) => -amount)];
      return [{ name, figures, order: choice.group === "day" ? [-first.at] : order }];
    })
    .toSorted((one, other) => compareLists(one.order, other.order));
  const isHourly = choice.group === "day" && choice.period === "today";
  const shown = columns.filter(({ text }) => text(all) !== "");
  const row = (name: string, figures: Figures): readonly string[] => [
    name,
    ...shown.map(({ text }) => text(figures)),
  ];
  const rest = groups.slice(mostRows);
  return {
    columns: [isHourly ? t("Hour") : label(), ...shown.map((column) => column.label())],
    rows: [
      ...groups.slice(0, mostRows).map(({ name, figures }) => row(name, figures)),
      ...(rest.length === 0
        ? []
        : [
            row(t("and {0} more", formatNumber(rest.length)), sumFigures(rest.map(({ figures }) => figures))),
          ]),
    ],
    total: row(t("Total"), all),
  };
}

function compareLists(one: readonly number[], other: readonly number[]): number {
  const index = one.findIndex((value, place) => value !== other[place]);
  return (one[index] ?? 0) - (other[index] ?? 0);
}

function missingTexts(entries: readonly CostEntry[], all: Figures): readonly string[] {
  const [unpriced, unpricedNames] = namesOf(entries, ({ unpricedMs }) => unpricedMs);
  const [unclear, unclearNames] = namesOf(entries, ({ unclearMs }) => unclearMs);
  const texts = [
    unpriced === 1
      ? t("1 server without a price: {0}", unpricedNames)
      : unpriced > 1
        ? t("{0} servers without a price: {1}", formatNumber(unpriced), unpricedNames)
        : "",
    unclear === 1
      ? t("1 server while it wasn't running: {0}", unclearNames)
      : unclear > 1
        ? t("{0} servers while they weren't running: {1}", formatNumber(unclear), unclearNames)
        : "",
    all.gapMs < 60_000 ? "" : t("{0} of server time that wasn't observed", formatRemaining(all.gapMs)),
    entries.some(({ server }) => server !== undefined) ? t("Disks of servers") : "",
    all.unpriced === 0
      ? ""
      : t(
          "Requests without a price: {0} (see the setting {1})",
          formatNumber(all.unpriced),
          "inferenceGateway.chat.prices",
        ),
  ];
  return texts.filter((text) => text !== "");
}

/** The servers for which this isn't 0, of which the first ones are named. */
function namesOf(
  entries: readonly CostEntry[],
  countOf: (entry: CostEntry) => number,
): readonly [count: number, names: string] {
  const found = entries.filter((entry) => entry.server !== undefined && countOf(entry) > 0);
  const names = new Map(
    found.map(({ profile, server = "", name = server }) => [JSON.stringify([profile, server]), name]),
  );
  return [names.size, shortList([...names.values()], mostNamed, (name) => sanitizeLabel(name, longestName))];
}

function noteTexts({ runs, now }: CostsFacts, all: Figures, choice: CostsChoice): readonly string[] {
  const observed = runs.filter(({ basis }) => basis === "observed");
  const first = observed.reduce((begin, { from }) => Math.min(begin, from), now);
  return [
    choice.period === "today" ? t("Times are in UTC.") : t("Days begin at 00:00 UTC."),
    ...(observed.length > 0 && first > costsSince(choice, now)
      ? [t("Servers have been recorded since {0}.", formatDay(first, "UTC"))]
      : []),
    ...(all.estimated.length > 0
      ? [
          t(
            "Estimated (≈): time that wasn't observed, converted prices, and token counts that weren't reported.",
          ),
        ]
      : []),
    ...(all.requests > 0
      ? [t("Requests include those for titles and summaries, and those of deleted conversations.")]
      : []),
  ];
}
