import { t } from "@vscode/l10n";
import { csvText } from "../../kernel/csv.ts";
import { cellCode, escapeMarkdown } from "../../kernel/foreignText.ts";
import { formatNumber } from "../../kernel/formatTime.ts";
import { formatCost, sumCosts } from "../../conversation/prices.ts";
import type { Cost } from "../../conversation/prices.ts";
import { purposeLabel } from "../../conversation/requestPurpose.ts";
import { budgetPeriods } from "../../conversation/budget.ts";
import type { Budget } from "../../conversation/budget.ts";
import type { LedgerOutcome, LedgerRow, LedgerTotal } from "./ledgerRow.ts";

interface ConversationUsage {
  readonly title: string;
  /** Its recorded requests, latest day first. */
  readonly totals: readonly LedgerTotal[];
}

interface UsageReport {
  /** The recorded requests, latest day first. */
  readonly all: readonly LedgerTotal[];
  /** The conversation that is shown, if any. */
  readonly conversation?: ConversationUsage;
  readonly budget: Budget | undefined;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly locale: string | undefined;
}

/** Full blocks in the bar of the day with the highest value; more of them wouldn't fit next to the side bar. */
const longestBar = 8;
/** The end of a bar, from one eighth of a block to seven. */
const partialBlocks = "▏▎▍▌▋▊▉";
/** Days that are shown one by one. */
const shownDays = 31;
/** Share of a month after which its cost can be extrapolated. */
const firstForecast = 1 / 31;

interface Figures {
  readonly requests: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
  readonly costs: readonly Cost[];
  /** The part of the costs that is estimated. */
  readonly estimates: readonly Cost[];
}

/** The recorded requests as a Markdown document: this month's cost, then the sums by day, model, purpose and sender. */
export function usageReport(report: UsageReport): string {
  const { all, conversation, now, locale } = report;
  const month = all.filter(({ day }) => day >= firstDay(now));
  const days = groupBy(all, ({ day }) => day).slice(0, shownDays);
  const modelOf = ({ model }: LedgerTotal): string => (model === "" ? t("unknown") : cellCode(model));
  const shown = conversation?.totals.length === 0 ? undefined : conversation;
  const parts = [
    ...(shown === undefined ? [] : conversationSection(shown, modelOf, locale)),
    ...(days.length === 0 ? [] : [`## ${t("By day")}`, dayTable(days, locale)]),
    ...section(t("This month by model"), t("Model"), month, modelOf, locale),
    ...section(t("This month by purpose"), t("Use"), month, ({ purpose }) => purposeLabel(purpose), locale),
    ...section(
      t("This month by profile"),
      t("Profile"),
      month,
      ({ profile }) => escapeMarkdown(profile),
      locale,
    ),
    ...section(
      t("This month by workspace"),
      t("Workspace"),
      month,
      ({ workspace = "" }) => escapeMarkdown(workspace),
      locale,
    ),
    ...section(
      t("This month by extension"),
      t("Extension"),
      month,
      ({ extension = "" }) => escapeMarkdown(extension),
      locale,
    ),
  ];
  return [
    `# ${t("Usage")}`,
    ...(parts.length === 0
      ? [nothingYet()]
      : [summary(month, report), ...parts, notes(all, shown !== undefined, locale)]),
  ].join("\n\n");
}

function nothingYet(): string {
  return t(
    "Nothing has been sent yet. After the first request, you will see tokens and costs here by day, model, purpose, profile, workspace, and extension.",
  );
}

/** This month's cost with the budget and a forecast, one line for each currency. */
function summary(month: readonly LedgerTotal[], { budget, now, locale }: UsageReport): string {
  if (month.length === 0) return t("There are no requests this month yet.");
  const { costs, estimates } = sum(month);
  const estimate = ({ currency }: Cost): readonly string[] =>
    estimates
      .filter((cost) => cost.currency === currency)
      .map((cost) => t("Of this, {0} is estimated.", formatCost(cost, locale)));
  if (costs.length === 0) return t("No request this month has a known cost.");
  return costs
    .map(
      (cost) =>
        `- ${[spentText(cost, budget, locale), ...estimate(cost), ...forecast(cost, now, locale)].join(" ")}`,
    )
    .join("\n");
}

function spentText(cost: Cost, budget: Budget | undefined, locale: string | undefined): string {
  const spent = formatCost(cost, locale);
  const limit = budget?.currency === cost.currency ? budget.monthly : undefined;
  return limit === undefined
    ? t("Spent this month: {0}.", spent)
    : t("Spent this month: {0} of {1}.", spent, formatCost({ ...cost, amount: limit }, locale));
}

/** Assumes that the rest of the month costs as much per day as the days so far. */
function forecast({ amount, currency }: Cost, now: number, locale: string | undefined): readonly string[] {
  const { month } = budgetPeriods(now);
  const date = new Date(month);
  const end = new Date(date.getFullYear(), date.getMonth() + 1, 1).getTime();
  const share = (now - month) / (end - month);
  if (share < firstForecast) return [];
  return [t("Forecast for the whole month: {0}.", formatCost({ amount: amount / share, currency }, locale))];
}

function firstDay(now: number): string {
  const date = new Date(now);
  return `${date.getFullYear()}-${String(date.getMonth() + 1).padStart(2, "0")}-01`;
}

function conversationSection(
  { title, totals }: ConversationUsage,
  modelOf: (total: LedgerTotal) => string,
  locale: string | undefined,
): readonly string[] {
  const models = groupBy(totals, modelOf).map(([model, of]) => row(model, sum(of), locale));
  return [
    `## ${t("This conversation: {0}", escapeMarkdown(title))}`,
    table(t("Model"), [...models, row(`**${t("Total")}**`, sum(totals), locale)]),
  ];
}

/** With a bar for each day's cost, or for its tokens if no cost is known. */
function dayTable(
  days: readonly (readonly [string, readonly LedgerTotal[]])[],
  locale: string | undefined,
): string {
  const sums = days.map(([day, totals]) => [day, sum(totals)] as const);
  const [currency] = sums.flatMap(([, { costs }]) => costs).toSorted((a, b) => b.amount - a.amount);
  const height = ({ costs, promptTokens, completionTokens }: Figures): number =>
    currency === undefined
      ? promptTokens + completionTokens
      : (costs.find((cost) => cost.currency === currency.currency)?.amount ?? 0);
  const highest = Math.max(...sums.map(([, figures]) => height(figures)), 0);
  const bar = (figures: Figures): string => {
    const eighths = highest === 0 ? 0 : Math.ceil((height(figures) / highest) * longestBar * 8);
    return "█".repeat(Math.floor(eighths / 8)) + partialBlocks.charAt((eighths % 8) - 1);
  };
  // With hyphens at which the preview doesn't break the date.
  const name = (day: string): string => day.replaceAll("-", "\u2011");
  const rows = sums.map(([day, figures]) => `${row(name(day), figures, locale)} ${bar(figures)} |`);
  const total = row(`**${t("Total")}**`, sum(days.flatMap(([, totals]) => totals)), locale);
  return table(t("Day"), [...rows, `${total} |`], [""]);
}

/** Left out if no request has a name of this kind. */
function section(
  title: string,
  first: string,
  totals: readonly LedgerTotal[],
  nameOf: (total: LedgerTotal) => string,
  locale: string | undefined,
): readonly string[] {
  const named = totals.filter((total) => nameOf(total) !== "");
  if (named.length === 0) return [];
  const groups = groupBy(named, nameOf).map(([name, of]) => row(name, sum(of), locale));
  return [`## ${title}`, table(first, groups)];
}

function table(first: string, rows: readonly string[], more: readonly string[] = []): string {
  const names = [
    first,
    t("Requests"),
    t("Input tokens"),
    t("Cached"),
    t("Output tokens"),
    t("Reasoning"),
    t("Cost"),
    ...more,
  ];
  const line = `| --- |${" ---: |".repeat(6)}${" --- |".repeat(more.length)}`;
  return [`| ${names.join(" | ")} |`, line, ...rows].join("\n");
}

function row(name: string, figures: Figures, locale: string | undefined): string {
  const { requests, promptTokens, cachedTokens, completionTokens, reasoningTokens } = figures;
  const { costs, estimates } = figures;
  const numbers = [requests, promptTokens, cachedTokens, completionTokens, reasoningTokens].map((value) =>
    formatNumber(value, locale),
  );
  const exact = costs.flatMap(({ amount, currency }) => {
    const rest = amount - (estimates.find((cost) => cost.currency === currency)?.amount ?? 0);
    return rest > 0 || estimates.length === 0 ? [formatCost({ amount: rest, currency }, locale)] : [];
  });
  const cost = [...exact, ...estimates.map((one) => `≈ ${formatCost(one, locale)}`)].join(" + ");
  return `| ${[name, ...numbers, cost === "" ? "–" : cost].join(" | ")} |`;
}

function sum(totals: readonly LedgerTotal[]): Figures {
  const add = (numberOf: (total: LedgerTotal) => number): number =>
    totals.reduce((before, total) => before + numberOf(total), 0);
  return {
    requests: add(({ requests }) => requests),
    promptTokens: add(({ promptTokens }) => promptTokens),
    cachedTokens: add(({ cachedTokens }) => cachedTokens),
    completionTokens: add(({ completionTokens }) => completionTokens),
    reasoningTokens: add(({ reasoningTokens }) => reasoningTokens),
    costs: sumCosts(totals.flatMap(({ cost }) => cost ?? [])),
    estimates: sumCosts(totals.flatMap(({ estimatedCost }) => estimatedCost ?? [])),
  };
}

/** In the order in which the keys first occur. */
function groupBy<Total>(
  totals: readonly Total[],
  keyOf: (total: Total) => string,
): readonly (readonly [string, readonly Total[]])[] {
  const groups = new Map<string, Total[]>();
  for (const total of totals) {
    const key = keyOf(total);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [total]);
    else group.push(total);
  }
  return [...groups];
}

/** What the figures include and what they don't. */
function notes(all: readonly LedgerTotal[], hasConversation: boolean, locale: string | undefined): string {
  const estimated = all.reduce((before, total) => before + total.estimated, 0);
  const unpriced = all.reduce((before, total) => before + total.unpriced, 0);
  return [
    t(
      "Every request in the usage records of this machine is counted, including those for titles and summaries, and those of deleted messages and conversations.",
    ),
    ...(hasConversation ? [t("Imported and forked messages aren't counted in this conversation.")] : []),
    ...(estimated > 0
      ? [t("Requests with estimated token counts: {0}.", formatNumber(estimated, locale))]
      : []),
    ...(unpriced > 0
      ? [
          t(
            "Requests without a known price at the time: {0}. See the setting `{1}`.",
            formatNumber(unpriced, locale),
            "inferenceGateway.chat.prices",
          ),
        ]
      : []),
  ]
    .map((note) => `- ${note}`)
    .join("\n");
}

/** How a request ended, in the user's language. */
export const outcomeLabels: Readonly<Record<LedgerOutcome, () => string>> = {
  running: () => t("In progress"),
  complete: () => t("Complete"),
  stopped: () => t("Stopped"),
  failed: () => t("Failed"),
  refused: () => t("Not sent"),
  lost: () => t("Window closed"),
};

/** The requests as CSV with a header row; times are ISO dates, durations are in milliseconds. */
export function usageCsv(rows: readonly LedgerRow[]): string {
  const header = [
    ...[t("Time"), t("Use"), t("Extension"), t("Profile"), t("Model"), t("Workspace"), t("Result")],
    ...[t("Reason"), t("HTTP requests"), t("Duration (ms)"), t("Input tokens")],
    ...[t("Cached tokens"), t("Output tokens"), t("Reasoning tokens"), t("Estimated"), t("Cost")],
    ...[t("Currency"), t("Request ID")],
  ];
  return csvText([header, ...rows.map(csvRow)]);
}

function csvRow(request: LedgerRow): readonly string[] {
  const { usage, cost } = request;
  const number = (value: number | undefined): string => (value === undefined ? "" : String(value));
  return [
    new Date(request.startedAt).toISOString(),
    purposeLabel(request.purpose),
    ...[request.extension ?? "", request.profile, request.model, request.workspace ?? ""],
    ...[outcomeLabels[request.outcome](), request.reason ?? ""],
    ...[request.attempts, request.durationMs].map(String),
    ...[usage.promptTokens, usage.cachedTokens, usage.completionTokens, usage.reasoningTokens].map(number),
    request.isEstimated ? t("yes") : "",
    ...[number(cost?.amount), cost?.currency ?? "", request.requestId ?? ""],
  ];
}
