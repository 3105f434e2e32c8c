import { t } from "@vscode/l10n";
import { ServiceError } from "../kernel/errors.ts";
import { isRecord, numberField, stringField } from "../kernel/json.ts";
import { formatCost } from "./prices.ts";
import type { Cost } from "./prices.ts";
import { filledFields } from "../kernel/filledFields.ts";

/** The user's spending limits, in units of the currency; an absent limit means unlimited. */
export interface Budget {
  readonly daily?: number;
  readonly monthly?: number;
  /** ISO 4217, such as `EUR`. */
  readonly currency: string;
}

/** A limit that has been reached, or that a request would exceed. */
export interface BudgetExcess {
  readonly period: "day" | "month";
  readonly spent: Cost;
  /** What is reserved for requests in progress, if the budget would last without it. Waiting for them may help. */
  readonly reserved?: Cost;
  readonly limit: Cost;
  /** What the request costs at least, if the limit hasn't been reached without it. */
  readonly least?: Cost;
}

/** What was spent, including what is reserved for requests in progress. */
export interface Spending extends Cost {
  readonly reserved?: number;
}

/**
 * Parses the setting `inferenceGateway.chat.budget`; undefined if it contains no limit. Throws a ServiceError if a limit
 * can't be read, because it isn't the same as none.
 */
export function parseBudget(value: unknown): Budget | undefined {
  if (value === undefined || value === null) return undefined;
  const isReadable =
    isRecord(value) &&
    [value["daily"], value["monthly"]].every((limit) => limit === undefined || typeof limit === "number");
  if (!isReadable) throw unreadableBudget();
  const daily = numberField(value, "daily");
  const monthly = numberField(value, "monthly");
  if (daily === undefined && monthly === undefined) return undefined;
  const currency = (stringField(value, "currency") ?? "USD").trim().toUpperCase();
  return filledFields({ daily, monthly, currency });
}

/**
 * The limit that is used up or too low for another request, if any, the daily limit before the monthly one. Other
 * currencies don't count toward it.
 * @param least What the request costs at least.
 */
export function findExcess(
  budget: Budget,
  spent: { readonly day: readonly Spending[]; readonly month: readonly Spending[] },
  least?: Cost,
): BudgetExcess | undefined {
  return (
    excess("day", budget.daily, budget.currency, spent.day, least) ??
    excess("month", budget.monthly, budget.currency, spent.month, least)
  );
}

function excess(
  period: BudgetExcess["period"],
  limit: number | undefined,
  currency: string,
  costs: readonly Spending[],
  least: Cost | undefined,
): BudgetExcess | undefined {
  if (limit === undefined) return undefined;
  const { amount: all = 0, reserved = 0 } = costs.find((cost) => cost.currency === currency) ?? {};
  const added = least?.currency === currency ? least.amount : 0;
  const exceeds = (sum: number): boolean => sum >= limit || sum + added > limit;
  if (!exceeds(all)) return undefined;
  const amount = all - reserved;
  const facts = { period, spent: { amount, currency }, limit: { amount: limit, currency } } as const;
  if (!exceeds(amount)) return { ...facts, reserved: { amount: reserved, currency } };
  return amount >= limit || least === undefined ? facts : { ...facts, least };
}

/** The starts of the current periods, in milliseconds since 1970. */
export interface BudgetPeriods {
  readonly day: number;
  readonly month: number;
}

/** By local time. */
export function budgetPeriods(now: number): BudgetPeriods {
  const date = new Date(now);
  const [year, month, day] = [date.getFullYear(), date.getMonth(), date.getDate()];
  return { day: new Date(year, month, day).getTime(), month: new Date(year, month, 1).getTime() };
}

/** Why a request isn't sent. */
export function budgetSentence(excess: BudgetExcess, locale: string | undefined): string {
  const [spent, limit] = [formatCost(excess.spent, locale), formatCost(excess.limit, locale)];
  const isDay = excess.period === "day";
  if (excess.reserved !== undefined) {
    const reserved = formatCost(excess.reserved, locale);
    return isDay
      ? t(
          "Of today's budget of {0}, {1} is spent and {2} is reserved for requests in progress. Nothing has been sent yet.",
          ...[limit, spent, reserved],
        )
      : t(
          "Of this month's budget of {0}, {1} is spent and {2} is reserved for requests in progress. Nothing has been sent yet.",
          ...[limit, spent, reserved],
        );
  }
  if (excess.least !== undefined) {
    const least = formatCost(excess.least, locale);
    return isDay
      ? t(
          "This request costs at least {0}, but {1} of today's budget of {2} is spent. Nothing has been sent yet.",
          ...[least, spent, limit],
        )
      : t(
          "This request costs at least {0}, but {1} of this month's budget of {2} is spent. Nothing has been sent yet.",
          ...[least, spent, limit],
        );
  }
  return isDay
    ? t("Today's budget is used up: {0} of {1}. Nothing has been sent yet.", spent, limit)
    : t("This month's budget is used up: {0} of {1}. Nothing has been sent yet.", spent, limit);
}

/** For requests whose sender can't be asked. */
export function budgetError(excess: BudgetExcess, locale: string | undefined): ServiceError {
  return new ServiceError({ reason: "budget", message: budgetSentence(excess, locale) });
}

/** The budget can't be enforced, because what was spent can't be read. */
export function uncheckedBudget(): ServiceError {
  return new ServiceError({
    reason: "budget",
    message: t("The budget couldn't be checked, so nothing was sent. Retry, or see the log for details."),
  });
}

function unreadableBudget(): ServiceError {
  return new ServiceError({
    reason: "budget",
    message: t(
      "Nothing is sent, because the limits in the setting `{0}` aren't numbers.",
      "inferenceGateway.chat.budget",
    ),
  });
}
