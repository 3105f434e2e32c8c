import { t } from "@vscode/l10n";
import type { Price, Usage } from "./completion.ts";
import { isRecord, numberField, stringField } from "../kernel/json.ts";
import { formatNumber } from "../kernel/formatTime.ts";

/** Services that name no currency charge dollars. */
export const usualCurrency = "USD";

/** Keyed by a model ID or a pattern of IDs in which `*` matches anything. */
export type PriceTable = Readonly<Record<string, Price>>;

/** An amount of money, in units of its currency. */
export interface Cost {
  readonly amount: number;
  /** ISO 4217, such as `EUR`. */
  readonly currency: string;
}

/** Parses the setting `inferenceGateway.chat.prices`; invalid entries are ignored. */
export function parsePrices(value: unknown): PriceTable {
  if (!isRecord(value)) return {};
  const entries = Object.entries(value).flatMap(([pattern, entry]) => {
    if (!isRecord(entry)) return [];
    const currency = (stringField(entry, "currency") ?? usualCurrency).trim().toUpperCase();
    const price = {
      ...priceField(entry, "input"),
      ...priceField(entry, "cachedInput"),
      ...priceField(entry, "cacheWrite"),
      ...priceField(entry, "output"),
      currency,
    };
    return [[pattern, price] as const];
  });
  return Object.fromEntries(entries);
}

/** The price of the model: the one for its ID, otherwise the one for the longest matching pattern. */
export function findPrice(model: string, table: PriceTable): Price | undefined {
  if (Object.hasOwn(table, model)) return table[model];
  const [pattern] = Object.keys(table)
    .filter((candidate) => fits(model, candidate))
    .toSorted((left, right) => right.length - left.length);
  return pattern === undefined ? undefined : table[pattern];
}

/** A model, with what its service asks for it. */
interface PricedModel {
  readonly id: string;
  readonly price?: Price;
}

/** The price of a model: what the setting says, otherwise what the service publishes. */
export function priceOf(
  { id, price: published }: PricedModel,
  table: PriceTable,
): { readonly price: Price; readonly isPublished: boolean } | undefined {
  const set = findPrice(id, table);
  const price = set ?? published;
  return price === undefined ? undefined : { price, isPublished: set === undefined };
}

/** The table with what the service publishes about the models that it doesn't contain. */
export function withPublished(table: PriceTable, models: readonly PricedModel[]): PriceTable {
  const published = models.flatMap((model) => {
    const found = priceOf(model, table);
    return found?.isPublished === true ? [[model.id, found.price] as const] : [];
  });
  return { ...table, ...Object.fromEntries(published) };
}

/** The price of a model in words, with its source. Undefined unless the prices of input and output are known. */
export function describePrice(
  model: PricedModel,
  table: PriceTable,
  locale: string | undefined,
): { readonly sentence: string; readonly brief: string } | undefined {
  const { price, isPublished } = priceOf(model, table) ?? {};
  if (price?.input === undefined || price.output === undefined) return undefined;
  const cost = (amount: number): string => formatCost({ amount, currency: price.currency }, locale);
  const [input, output] = [cost(price.input), cost(price.output)];
  return {
    sentence: isPublished
      ? t("{0} input, {1} output per million tokens, as published by the service", input, output)
      : t("{0} input, {1} output per million tokens, as in your settings", input, output),
    brief: `${input} / ${output}`,
  };
}

/** What the service charges for this many tokens; undefined if it doesn't report it and a count or price isn't known. */
export function costOf(usage: Usage, price: Price | undefined): Cost | undefined {
  if (usage.cost !== undefined) return { amount: usage.cost, currency: price?.currency ?? usualCurrency };
  const { promptTokens, completionTokens, cachedTokens = 0, cacheWriteTokens = 0 } = usage;
  const { input, cachedInput = input, cacheWrite = input, output } = price ?? {};
  if (promptTokens === undefined || completionTokens === undefined || price === undefined) return undefined;
  if (input === undefined || cachedInput === undefined || cacheWrite === undefined || output === undefined)
    return undefined;
  const cached = Math.min(cachedTokens, promptTokens);
  const written = Math.min(cacheWriteTokens, promptTokens - cached);
  const millionths =
    (promptTokens - cached - written) * input +
    cached * cachedInput +
    written * cacheWrite +
    completionTokens * output;
  return { amount: millionths / 1_000_000, currency: price.currency };
}

/** One sum per currency, because currencies are never mixed. */
export function sumCosts(costs: readonly Cost[]): readonly Cost[] {
  const sums = new Map<string, number>();
  for (const { amount, currency } of costs) sums.set(currency, (sums.get(currency) ?? 0) + amount);
  return [...sums].map(([currency, amount]) => ({ amount, currency }));
}

/** What amounts are sorted by: their currency first, because amounts in different ones can't be compared. */
export function costOrder({ amount, currency }: Cost): string {
  return `${currency} ${Math.round(amount * 1_000_000)}`;
}

/** Formats an amount for people: small ones with all their significant digits. */
export function formatCost({ amount, currency }: Cost, locale: string | undefined): string {
  const digits =
    amount === 0 || amount >= 1
      ? { minimumFractionDigits: 2, maximumFractionDigits: 2 }
      : { minimumSignificantDigits: 2, maximumSignificantDigits: 2 };
  // Not every text in a setting is a currency code that the formatter accepts.
  return /^[A-Z]{3}$/.test(currency)
    ? formatNumber(amount, locale, { style: "currency", currency, ...digits })
    : `${formatNumber(amount, locale, digits)} ${currency}`.trim();
}

function priceField(
  entry: Readonly<Record<string, unknown>>,
  name: Exclude<keyof Price, "currency">,
): Partial<Price> {
  const value = numberField(entry, name);
  return value === undefined || value < 0 ? {} : { [name]: value };
}

/** Each piece between two stars is searched for once, from the left, which is linear for any pattern. */
function fits(model: string, pattern: string): boolean {
  const pieces = pattern.split("*");
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (pieces.length === 1) return model === pattern;
  if (!model.startsWith(first) || !model.endsWith(last) || model.length < first.length + last.length) {
    return false;
  }
  let at = first.length;
  const end = model.length - last.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = model.indexOf(piece, at);
    if (found === -1 || found + piece.length > end) return false;
    at = found + piece.length;
  }
  return true;
}
