import { isRecord, numberField, stringField } from "../../kernel/json.ts";
import type { Cost } from "../../conversation/prices.ts";

/** The user's spending limits; an absent limit means unlimited. */
export interface Budget {
  readonly daily?: number;
  readonly monthly?: number;
  readonly currency: string;
}

/** A limit that has been reached. */
export interface BudgetExcess {
  readonly period: "day" | "month";
  readonly spent: Cost;
  readonly limit: Cost;
}

/** Parses the setting `inferenceGateway.chat.budget`; undefined if it contains no limit. */
export function parseBudget(value: unknown): Budget | undefined {
  if (!isRecord(value)) return undefined;
  const daily = numberField(value, "daily");
  const monthly = numberField(value, "monthly");
  if (daily === undefined && monthly === undefined) return undefined;
  return {
    ...(daily === undefined ? {} : { daily }),
    ...(monthly === undefined ? {} : { monthly }),
    currency: (stringField(value, "currency") ?? "USD").trim().toUpperCase(),
  };
}

/**
 * The limit that is used up, if any, the daily limit before the monthly one. Other currencies don't count towards it.
 */
export function findExcess(
  budget: Budget,
  spent: { readonly day: readonly Cost[]; readonly month: readonly Cost[] },
): BudgetExcess | undefined {
  return (
    excess("day", budget.daily, budget.currency, spent.day) ??
    excess("month", budget.monthly, budget.currency, spent.month)
  );
}

function excess(
  period: BudgetExcess["period"],
  limit: number | undefined,
  currency: string,
  costs: readonly Cost[],
): BudgetExcess | undefined {
  if (limit === undefined) return undefined;
  const amount = costs.find((cost) => cost.currency === currency)?.amount ?? 0;
  if (amount < limit) return undefined;
  return { period, spent: { amount, currency }, limit: { amount: limit, currency } };
}
