import { t } from "@vscode/l10n";
import { formatNumber } from "../../kernel/formatNumber.ts";
import { formatCost } from "../../conversation/prices.ts";
import type { PriceTable } from "../../conversation/prices.ts";
import { sumTotals } from "../../conversation/usageTotals.ts";
import type { UsageTotal } from "../../conversation/usageTotals.ts";

export interface UsageReport {
  /** All conversations, latest day first. */
  readonly all: readonly UsageTotal[];
  /** The conversation that is shown, if any. */
  readonly conversation?: { readonly title: string; readonly totals: readonly UsageTotal[] };
  readonly prices: PriceTable;
  readonly locale: string | undefined;
}

/** The usage of the stored responses as a Markdown document: by conversation, by day, and by day and model. */
export function usageReport({ all, conversation, prices, locale }: UsageReport): string {
  const row = (name: string, totals: readonly UsageTotal[]): string => usageRow(name, totals, prices, locale);
  const days = groupBy(all, ({ day }) => day);
  return [
    `# ${t("Usage")}`,
    ...(conversation === undefined
      ? []
      : [
          `## ${t("This conversation: {0}", plain(conversation.title))}`,
          table(t("Model"), [
            ...byModel(conversation.totals).map(([model, totals]) => row(model, totals)),
            row(`**${t("Total")}**`, conversation.totals),
          ]),
        ]),
    `## ${t("By day")}`,
    table(t("Day"), [...days.map(([day, totals]) => row(day, totals)), row(`**${t("Total")}**`, all)]),
    `## ${t("By day and model")}`,
    ...days.flatMap(([day, totals]) => [
      `### ${day}`,
      table(
        t("Model"),
        byModel(totals).map(([model, ofModel]) => row(model, ofModel)),
      ),
    ]),
    notes(all, prices),
  ].join("\n\n");
}

function byModel(totals: readonly UsageTotal[]): readonly (readonly [string, readonly UsageTotal[]])[] {
  const groups = groupBy(totals, ({ model }) => model);
  return groups.map(([model, ofModel]) => [
    model === undefined ? t("unknown") : `\`${plain(model)}\``,
    ofModel,
  ]);
}

function table(first: string, rows: readonly string[]): string {
  const names = [
    first,
    t("Responses"),
    t("Input tokens"),
    t("cached"),
    t("Output tokens"),
    t("reasoning"),
    t("Cost"),
  ];
  return [`| ${names.join(" | ")} |`, "| --- | ---: | ---: | ---: | ---: | ---: | ---: |", ...rows].join(
    "\n",
  );
}

function usageRow(
  name: string,
  totals: readonly UsageTotal[],
  prices: PriceTable,
  locale: string | undefined,
): string {
  const sum = sumTotals(totals, prices);
  const numbers = [
    sum.responses,
    sum.promptTokens,
    sum.cachedTokens,
    sum.completionTokens,
    sum.reasoningTokens,
  ].map((value) => formatNumber(value, locale));
  const cost = sum.costs.map((amount) => formatCost(amount, locale)).join(" + ");
  return `| ${[name, ...numbers, cost === "" ? "–" : cost].join(" | ")} |`;
}

/** In the order in which the keys first occur. */
function groupBy<Key>(
  totals: readonly UsageTotal[],
  keyOf: (total: UsageTotal) => Key,
): readonly (readonly [Key, readonly UsageTotal[]])[] {
  const groups = new Map<Key, UsageTotal[]>();
  for (const total of totals) {
    const key = keyOf(total);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [total]);
    else group.push(total);
  }
  return [...groups];
}

/** What the figures don't include. */
function notes(all: readonly UsageTotal[], prices: PriceTable): string {
  const { responses, counted, unpriced } = sumTotals(all, prices);
  return [
    t("Based on the responses stored on this machine. Deleted conversations aren't included."),
    ...(responses > counted ? [t("Responses without token counts: {0}.", responses - counted)] : []),
    ...(unpriced > 0
      ? [
          t(
            "Responses without a known price: {0}. See the setting `{1}`.",
            unpriced,
            "inferenceGateway.chat.prices",
          ),
        ]
      : []),
  ]
    .map((note) => `- ${note}`)
    .join("\n");
}

/** Names come from servers, so nothing in them may be interpreted as Markdown. */
function plain(name: string): string {
  return name.replace(/[`|\\<>[\]\r\n*_]/g, (mark) => (mark === "_" ? "_" : " ")).slice(0, 200);
}
