import type { Message } from "./conversation.ts";
import { costOf, findPrice, sumCosts } from "./prices.ts";
import type { Cost, PriceTable } from "./prices.ts";

/** The usage of one model's responses on one day. */
export interface UsageTotal {
  /** The local day, such as `2026-11-21`. */
  readonly day: string;
  /** Absent for responses whose model isn't known. */
  readonly model?: string;
  readonly responses: number;
  /** Number of responses for which the service reported both input and output tokens. The sums are for these. */
  readonly counted: number;
  readonly promptTokens: number;
  readonly cachedTokens: number;
  readonly completionTokens: number;
  readonly reasoningTokens: number;
}

/** The local day of a time in milliseconds since 1970, such as `2026-11-21`. */
export function localDay(time: number): string {
  const date = new Date(time);
  const two = (part: number): string => String(part).padStart(2, "0");
  return `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
}

/** The sums of several totals. */
interface UsageSum extends Omit<UsageTotal, "day" | "model"> {
  readonly costs: readonly Cost[];
  /** Counted responses without a known price. */
  readonly unpriced: number;
}

const nothing: Omit<UsageTotal, "day" | "model"> = {
  responses: 0,
  counted: 0,
  promptTokens: 0,
  cachedTokens: 0,
  completionTokens: 0,
  reasoningTokens: 0,
};

/**
 * Adds up the usage of messages by day and model. `dayOf` returns the local day of a time in milliseconds since 1970.
 */
export function totalsOf(
  messages: readonly Message[],
  dayOf: (createdAt: number) => string,
): readonly UsageTotal[] {
  const totals = new Map<string, UsageTotal>();
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    const day = dayOf(message.createdAt);
    const key = JSON.stringify([day, message.model]);
    const model = message.model === undefined ? {} : { model: message.model };
    const before = totals.get(key) ?? { day, ...model, ...nothing };
    totals.set(key, { ...before, ...addTokens(before, responseTotal(message)) });
  }
  return [...totals.values()];
}

/** The sum of the totals, with the costs by currency and the number of responses without a known price. */
export function sumTotals(totals: readonly UsageTotal[], prices: PriceTable): UsageSum {
  const priced = totals.map((total) => ({ counted: total.counted, cost: costOfTotal(total, prices) }));
  return {
    ...totals.reduce(addTokens, nothing),
    costs: sumCosts(priced.flatMap(({ cost }) => (cost === undefined ? [] : [cost]))),
    unpriced: priced.reduce((sum, { counted, cost }) => sum + (cost === undefined ? counted : 0), 0),
  };
}

function costOfTotal(total: UsageTotal, prices: PriceTable): Cost | undefined {
  const price = total.model === undefined ? undefined : findPrice(total.model, prices);
  return price === undefined ? undefined : costOf(total, price);
}

function responseTotal({ usage = {} }: Message): Omit<UsageTotal, "day" | "model"> {
  const { promptTokens, completionTokens, cachedTokens = 0, reasoningTokens = 0 } = usage;
  if (promptTokens === undefined || completionTokens === undefined) return { ...nothing, responses: 1 };
  return { responses: 1, counted: 1, promptTokens, cachedTokens, completionTokens, reasoningTokens };
}

function addTokens(
  left: Omit<UsageTotal, "day" | "model">,
  right: Omit<UsageTotal, "day" | "model">,
): Omit<UsageTotal, "day" | "model"> {
  return {
    responses: left.responses + right.responses,
    counted: left.counted + right.counted,
    promptTokens: left.promptTokens + right.promptTokens,
    cachedTokens: left.cachedTokens + right.cachedTokens,
    completionTokens: left.completionTokens + right.completionTokens,
    reasoningTokens: left.reasoningTokens + right.reasoningTokens,
  };
}
