import { hostname } from "node:os";
import type { DatabaseSync } from "node:sqlite";
import type { Cost } from "../../core/conversation/prices.ts";
import { findExcess } from "../../core/conversation/budget.ts";
import type { BudgetExcess } from "../../core/conversation/budget.ts";
import type {
  LedgerEnd,
  LedgerLimit,
  LedgerProgress,
  LedgerRow,
  LedgerStart,
  LedgerStore,
  LedgerTotal,
} from "../../core/responses/usage/ledgerRow.ts";
import { numberColumn, textColumn } from "../database/messageRow.ts";
import { hasProcess } from "../files/hasProcess.ts";
import { parseRow, parseTotal, prepareLedger } from "./ledgerTable.ts";

/** Milliseconds after which a request must have ended, even if its window seems to exist or can't be checked. */
const longestRequestMs = 86_400_000;

/** The usage records in a file that all windows share. */
export class SqliteLedger implements LedgerStore {
  readonly #statements: ReturnType<typeof prepareLedger>;
  readonly #transact: <Result>(action: () => Result) => Result;
  readonly #now: () => number;

  /**
   * @param transact Runs the action in one transaction.
   * @param now Milliseconds since 1970.
   */
  constructor(database: DatabaseSync, transact: <Result>(action: () => Result) => Result, now: () => number) {
    this.#statements = prepareLedger(database);
    this.#transact = transact;
    this.#now = now;
  }

  enter(start: LedgerStart, limit: LedgerLimit | undefined): BudgetExcess | "unmeasured" | undefined {
    return this.#transact(() => {
      const excess = limit === undefined ? undefined : this.#findExcess(limit);
      if (excess !== undefined) return excess;
      if (limit !== undefined && this.#isUnmeasured(start, limit)) return "unmeasured";
      this.#put(start, running, this.#expect(start));
      return undefined;
    });
  }

  end(start: LedgerStart, end: LedgerEnd): void {
    this.#put(start, end, end.cost);
  }

  note(id: string, { attempts, usage, reserved, requestId }: LedgerProgress): void {
    this.#statements.note.run(
      ...[attempts, usage.promptTokens ?? null, usage.completionTokens ?? null],
      ...[reserved?.amount ?? null, reserved?.currency ?? null, requestId ?? null, id],
    );
  }

  read(since: number): readonly LedgerRow[] {
    this.#endLost();
    return this.#statements.read.all(since).map(parseRow);
  }

  totals(since: number): readonly LedgerTotal[] {
    this.#endLost();
    return this.#statements.totals.all(since).map(parseTotal);
  }

  totalsOf(conversationId: string): readonly LedgerTotal[] {
    this.#endLost();
    return this.#statements.totalsOf.all(conversationId).map(parseTotal);
  }

  spentSince(since: number): readonly Cost[] {
    return this.#statements.spent
      .all(since)
      .map((row) => ({ amount: numberColumn(row, "amount"), currency: textColumn(row, "currency") }));
  }

  /** What the model's latest requests have cost on average, if that is more than the estimate. */
  #expect({ model, reserved }: LedgerStart): Cost | undefined {
    if (reserved === undefined) return undefined;
    return { ...reserved, amount: Math.max(reserved.amount, this.#usual(model, reserved) ?? 0) };
  }

  /**
   * Whether no request to the model is complete, so that its cost isn't known, and the running ones and this one may
   * exceed the budget.
   */
  #isUnmeasured({ model }: LedgerStart, limit: LedgerLimit): boolean {
    const { long } = limit;
    if (long === undefined || this.#usual(model, long) !== undefined) return false;
    // Those of a window that was killed will never show what they cost.
    this.#endLost();
    const others = numberColumn(this.#statements.runningOf.get(model, long.currency) ?? {}, "count");
    const least = { ...long, amount: long.amount * (others + 1) };
    return others > 0 && this.#findExcess({ ...limit, least }) !== undefined;
  }

  #usual(model: string, { currency }: Cost): number | undefined {
    const amount = this.#statements.usual.get(model, currency)?.["amount"];
    return typeof amount === "number" ? amount : undefined;
  }

  #findExcess({ budget, periods, least }: LedgerLimit): BudgetExcess | undefined {
    const spent = { day: this.spentSince(periods.day), month: this.spentSince(periods.month) };
    return findExcess(budget, spent, least);
  }

  #put(start: LedgerStart, end: LedgerEnd, cost: Cost | undefined): void {
    const { usage } = end;
    this.#statements.put.run(
      ...[start.id, start.startedAt, start.purpose, start.extension ?? null, start.profile, start.model],
      ...[start.workspace ?? null, start.conversationId ?? null, start.messageId ?? null],
      ...[end.outcome, end.attempts, end.durationMs, Number(end.isEstimated)],
      ...[usage.promptTokens ?? null, usage.cachedTokens ?? null, usage.completionTokens ?? null],
      ...[usage.reasoningTokens ?? null, cost?.amount ?? null, cost?.currency ?? null],
      ...[end.reason ?? null, end.requestId ?? null, `${hostname()}:${process.pid}`],
    );
  }

  /** A request of a window that was killed keeps what was reserved for it, because it may have cost that much. */
  #endLost(): void {
    const now = this.#now();
    for (const row of this.#statements.running.all()) {
      const isOver = now - numberColumn(row, "started_at") > longestRequestMs;
      if (isOver || hasEnded(textColumn(row, "window"))) this.#statements.lose.run(textColumn(row, "id"));
    }
  }
}

/** Whether this window, as `<host name>:<process ID>`, was on this machine and no longer exists. */
function hasEnded(window: string): boolean {
  const end = window.lastIndexOf(":");
  return window.slice(0, end) === hostname() && !hasProcess(Number(window.slice(end + 1)));
}

const running: LedgerEnd = { outcome: "running", attempts: 0, durationMs: 0, usage: {}, isEstimated: false };
