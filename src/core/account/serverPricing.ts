import { t } from "@vscode/l10n";
import { isRecord } from "../kernel/json.ts";

/** What something costs per hour, as the user states it. */
export interface StatedPrice {
  readonly amount: number;
  /** ISO 4217. */
  readonly currency: string;
  /** Of each GPU of a server or of the whole server. */
  readonly per: "gpu" | "server";
}

/** The states other than running that have a rule of their own for what servers cost in them. */
export const restingStates = ["stopped", "starting", "failed"] as const;
/** A state that has a rule. */
export type RestingState = (typeof restingStates)[number];

const ruleWords = ["nothing", "full"] as const;
/** What servers cost in a state: nothing, as much as while they run, or an amount. */
export type RestingRule = (typeof ruleWords)[number] | StatedPrice;

/**
 * What the user states about the prices of a profile's servers. What isn't stated is taken from the records, and what
 * they cost in a state without a rule is unknown.
 */
export interface ServerPricing extends Readonly<Partial<Record<RestingState, RestingRule>>> {
  /** By the server's name, its type or its GPU. */
  readonly prices?: Readonly<Record<string, StatedPrice>>;
  /** The currency of prices that don't name one. */
  readonly currency?: string;
}

/** Parses the option `serverPrices` of a profile. What is invalid is reported and left out. */
export function parseServerPricing(
  value: unknown,
  report: (problem: string) => void,
): ServerPricing | undefined {
  if (value === undefined || value === null) return undefined;
  const problem = (name: string): undefined => {
    report(t("“{0}” in “{1}” is invalid and is ignored.", name, "serverPrices"));
    return undefined;
  };
  if (!isRecord(value)) return problem("serverPrices");
  const { prices, currency, ...states } = value;
  const table = Object.entries(isRecord(prices) ? prices : {}).flatMap(([name, entry]) => {
    const price = parseStated(entry) ?? problem(name);
    return price === undefined ? [] : [[name, price] as const];
  });
  const rules = restingStates.flatMap((state) => {
    const rule = states[state];
    if (rule === undefined || rule === "unknown") return [];
    const read = ruleWords.find((word) => word === rule) ?? parseStated(rule) ?? problem(state);
    return read === undefined ? [] : [[state, read] as const];
  });
  const code = currency === undefined ? undefined : (parseCurrency(currency) ?? problem("currency"));
  return {
    ...(table.length === 0 ? {} : { prices: Object.fromEntries(table) }),
    ...(code === undefined ? {} : { currency: code }),
    ...Object.fromEntries(rules),
  };
}

function parseStated(value: unknown): StatedPrice | undefined {
  if (!isRecord(value)) return undefined;
  const { amount, per } = value;
  const currency = parseCurrency(value["currency"]);
  if (typeof amount !== "number" || !isHourlyAmount(amount) || currency === undefined) return undefined;
  return { amount, currency, per: per === "gpu" ? per : "server" };
}

/** Whether a price per hour may be this amount, in any currency. */
export function isHourlyAmount(amount: number): boolean {
  return amount >= 0 && amount <= 1e6;
}

/** A code of three letters, in capitals; undefined for anything else. */
export function parseCurrency(value: unknown): string | undefined {
  const code = typeof value === "string" ? value.trim().toUpperCase() : "";
  return /^[A-Z]{3}$/.test(code) ? code : undefined;
}
