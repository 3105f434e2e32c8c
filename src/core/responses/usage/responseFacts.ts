import { t } from "@vscode/l10n";
import type { Usage } from "../../conversation/completion.ts";
import type { ConversationSettings, Timing } from "../../conversation/conversation.ts";
import { formatNumber, formatMs } from "../../kernel/formatTime.ts";
import { describeEnding } from "../../conversation/finishReason.ts";
import { costOf, findPrice, formatCost } from "../../conversation/prices.ts";
import type { PriceTable } from "../../conversation/prices.ts";

/** UTF-16 units of a setting that are shown. */
const longestValue = 300;

/** What is known about a response besides its text. */
export interface ResponseFacts {
  readonly model?: string;
  readonly usage?: Usage;
  readonly timing?: Timing;
  readonly finishReason?: string;
  /** The settings of the request. */
  readonly settings?: ConversationSettings;
}

/** One fact in readable form. */
interface LabeledFact {
  readonly label: string;
  readonly value: string;
}

/**
 * Tokens per second of a response while it streamed. Undefined if that can't be determined.
 * @param firstMs When the first token arrived, and `lastMs` the last one, in milliseconds from the same start.
 */
export function tokensPerSecond(
  tokens: number | undefined,
  firstMs: number | undefined,
  lastMs: number | undefined,
): number | undefined {
  if (tokens === undefined || tokens < 2 || firstMs === undefined || lastMs === undefined) return undefined;
  const seconds = (lastMs - firstMs) / 1000;
  // Faster than a millisecond clock can measure.
  return seconds < 0.001 ? undefined : (tokens - 1) / seconds;
}

function rateOf({ usage, timing }: ResponseFacts): number | undefined {
  return tokensPerSecond(usage?.completionTokens, timing?.firstDeltaMs, timing?.totalMs);
}

/** How fast a response was, as it is shown everywhere. Unknown facts are omitted. */
export function describeSpeed(facts: ResponseFacts, locale: string | undefined): readonly string[] {
  return [
    ...given(facts.timing?.firstDeltaMs, (ms) => t("{0} to first token", formatMs(ms, locale))),
    ...given(rateOf(facts), (rate) => t("{0} tokens/s", formatRate(rate, locale))),
  ];
}

/** The line under a response: what matters, in a few words each. Unknown facts are omitted. */
export function summarizeResponse(
  facts: ResponseFacts,
  prices: PriceTable,
  locale: string | undefined,
): readonly string[] {
  const { usage, finishReason } = facts;
  const number = (value: number): string => formatNumber(value, locale);
  return [
    ...given(usage?.promptTokens, (tokens) => t("{0} input", number(tokens))),
    ...given(positive(usage?.cachedTokens), (tokens) => t("{0} cached", number(tokens))),
    ...given(usage?.completionTokens, (tokens) => t("{0} output", number(tokens))),
    ...given(positive(usage?.reasoningTokens), (tokens) => t("{0} reasoning", number(tokens))),
    ...describeSpeed(facts, locale),
    ...given(costText(facts, prices, locale), (cost) => cost),
    ...given(describeEnding(finishReason), (words) => words),
  ];
}

/** Everything known about a response. */
export function listResponseFacts(
  facts: ResponseFacts,
  prices: PriceTable,
  locale: string | undefined,
): readonly LabeledFact[] {
  const { model, usage, timing, finishReason } = facts;
  const count = (label: string, tokens: number | undefined): readonly LabeledFact[] =>
    tokens === undefined ? [] : [{ label, value: formatNumber(tokens, locale) }];
  const time = (label: string, ms: number | undefined): readonly LabeledFact[] =>
    ms === undefined ? [] : [{ label, value: formatMs(ms, locale) }];
  const words = (label: string, value: string | undefined): readonly LabeledFact[] =>
    value === undefined ? [] : [{ label, value }];
  const rate = rateOf(facts);
  return [
    ...words(t("Model"), model),
    ...count(t("Input tokens"), usage?.promptTokens),
    ...count(t("Cached"), usage?.cachedTokens),
    ...count(t("Output tokens"), usage?.completionTokens),
    ...count(t("Reasoning"), usage?.reasoningTokens),
    ...count(t("Total tokens"), usage?.totalTokens),
    ...time(t("Time to first token"), timing?.firstDeltaMs),
    ...time(t("Reasoning time"), timing?.reasoningMs),
    ...time(t("Total time"), timing?.totalMs),
    ...words(t("Tokens per second"), rate === undefined ? undefined : formatRate(rate, locale)),
    ...words(t("Cost"), costText(facts, prices, locale)),
    ...words(t("Finish reason"), finishReason),
    ...listSettings(facts.settings ?? {}),
  ];
}

/** The settings of a response's request, by the names in the request body. */
function listSettings({
  systemPrompt,
  parameters = {},
  tools = [],
}: ConversationSettings): readonly LabeledFact[] {
  return [
    ...(systemPrompt === undefined ? [] : [{ label: t("System prompt"), value: shorten(systemPrompt) }]),
    ...Object.entries(parameters).map(([label, value]) => ({ label, value: shorten(JSON.stringify(value)) })),
    ...(tools.length === 0 ? [] : [{ label: t("Tools"), value: shorten(tools.join(", ")) }]),
  ];
}

/** Enough to recognize it; the request contains all of it. */
function shorten(text: string): string {
  return text.length <= longestValue ? text : `${text.slice(0, longestValue).trimEnd()}…`;
}

function formatRate(rate: number, locale: string | undefined): string {
  return formatNumber(rate, locale, { maximumFractionDigits: rate < 10 ? 1 : 0 });
}

function costText(facts: ResponseFacts, prices: PriceTable, locale: string | undefined): string | undefined {
  const price = facts.model === undefined ? undefined : findPrice(facts.model, prices);
  const cost = facts.usage === undefined ? undefined : costOf(facts.usage, price);
  return cost === undefined ? undefined : formatCost(cost, locale);
}

function positive(count: number | undefined): number | undefined {
  return count === 0 ? undefined : count;
}

function given<Value>(value: Value | undefined, say: (value: Value) => string): readonly string[] {
  return value === undefined ? [] : [say(value)];
}
