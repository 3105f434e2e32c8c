import { hostname } from "node:os";
import type { DatabaseSync } from "node:sqlite";
import type { Cost } from "../../core/conversation/prices.ts";
import type { RequestTotal } from "../../core/conversation/requestTotal.ts";
import { findExcess } from "../../core/conversation/budget.ts";
import type { BudgetExcess, Spending } from "../../core/conversation/budget.ts";
import type {
  LedgerEnd,
  LedgerLimit,
  LedgerProgress,
  LedgerRow,
  LedgerStart,
  LedgerStore,
} from "../../core/responses/usage/ledgerRow.ts";
import { numberField } from "../../core/kernel/json.ts";
import { statementsOf, transact } from "../database/journal.ts";
import { numberColumn, textColumn } from "../database/messageRow.ts";
import { hasProcess } from "../files/hasProcess.ts";
import { ledgerSums, parseRow, parseTotal } from "./ledgerTable.ts";

/** Milliseconds after which a request must have ended, even if its window seems to exist or can't be checked. */
const longestRequestMs = 86_400_000;

/** The usage records in a file that all windows share. */
export class SqliteLedger implements LedgerStore {
  readonly #sql: ReturnType<typeof statementsOf>;
  readonly #database: DatabaseSync;
  readonly #now: () => number;

  /** @param now Milliseconds since 1970. */
  constructor(database: DatabaseSync, now: () => number) {
    this.#sql = statementsOf(database);
    this.#database = database;
    this.#now = now;
  }

  enter(start: LedgerStart, limit: LedgerLimit | undefined): BudgetExcess | undefined {
    return transact(this.#database, () => {
      const excess = limit === undefined ? undefined : this.#findExcess(limit);
      if (excess === undefined) this.#put(start, running, start.reserved);
      return excess;
    });
  }

  end(start: LedgerStart, end: LedgerEnd): void {
    this.#put(start, end, end.cost);
  }

  note(id: string, { attempts, usage, received, reserved, requestId }: LedgerProgress): void {
    this.#sql(
      `
      UPDATE request SET attempts = ?, is_estimated = 1, prompt_tokens = ?, completion_tokens = ?, received = ?,
        amount = coalesce(max(coalesce(amount, 0), ?), amount), currency = coalesce(?, currency),
        request_id = coalesce(?, request_id)
      WHERE id = ? AND outcome = 'running'`,
    ).run(
      ...[attempts, usage.promptTokens ?? null, usage.completionTokens ?? null, received?.amount ?? null],
      ...[reserved?.amount ?? null, reserved?.currency ?? null, requestId ?? null, id],
    );
  }

  usualOutput(model: string): number | undefined {
    const usual = this.#sql(`
      SELECT avg(completion_tokens) AS tokens FROM (
        SELECT completion_tokens FROM request WHERE model = ? AND outcome = 'complete'
        ORDER BY started_at DESC LIMIT 20)`);
    const tokens = usual.get(model)?.["tokens"];
    return typeof tokens === "number" ? Math.ceil(tokens) : undefined;
  }

  read(since: number): readonly LedgerRow[] {
    this.#endLost();
    const rows = this.#sql("SELECT * FROM request WHERE started_at >= ? ORDER BY started_at DESC, id");
    return rows.all(since).map(parseRow);
  }

  totals(since: number): readonly RequestTotal[] {
    this.#endLost();
    return this.#sql(ledgerSums).all(since).map(parseTotal);
  }

  spentSince(since: number): readonly Spending[] {
    const spent = this.#sql(`
      SELECT currency, sum(amount) AS amount, sum(amount) FILTER (WHERE outcome = 'running') AS reserved FROM request
      WHERE started_at >= ? AND amount IS NOT NULL GROUP BY currency`);
    return spent.all(since).map((row) => {
      const reserved = numberField(row, "reserved");
      const all = { amount: numberColumn(row, "amount"), currency: textColumn(row, "currency") };
      return reserved === undefined ? all : { ...all, reserved };
    });
  }

  #findExcess({ budget, periods, least }: LedgerLimit): BudgetExcess | undefined {
    // Those of a window that was killed need nothing anymore.
    this.#endLost();
    const spent = { day: this.spentSince(periods.day), month: this.spentSince(periods.month) };
    return findExcess(budget, spent, least);
  }

  #put(start: LedgerStart, end: LedgerEnd, cost: Cost | undefined): void {
    const { usage } = end;
    const places = Array.from({ length: 23 }, () => "?").join(", ");
    this.#sql(`INSERT OR REPLACE INTO request VALUES (${places})`).run(
      ...[start.id, start.startedAt, start.purpose, start.extension ?? null, start.profile, start.model],
      ...[start.workspace ?? null, start.conversationId ?? null, start.messageId ?? null],
      ...[end.outcome, end.attempts, end.durationMs, Number(end.isEstimated)],
      ...[usage.promptTokens ?? null, usage.cachedTokens ?? null, usage.completionTokens ?? null],
      ...[usage.reasoningTokens ?? null, cost?.amount ?? null, cost?.currency ?? null],
      ...[end.reason ?? null, end.requestId ?? null, null, `${hostname()}:${process.pid}`],
    );
  }

  /** A request of a window that was killed is booked with what was received. */
  #endLost(): void {
    const now = this.#now();
    const lose = this.#sql(
      "UPDATE request SET outcome = 'lost', is_estimated = 1, amount = received WHERE id = ?",
    );
    for (const row of this.#sql("SELECT * FROM request WHERE outcome = 'running'").all()) {
      const isOver = now - numberColumn(row, "started_at") > longestRequestMs;
      if (isOver || hasEnded(textColumn(row, "window"))) lose.run(textColumn(row, "id"));
    }
  }
}

/** Whether this window, as `<host name>:<process ID>`, was on this machine and no longer exists. */
function hasEnded(window: string): boolean {
  const end = window.lastIndexOf(":");
  return window.slice(0, end) === hostname() && !hasProcess(Number(window.slice(end + 1)));
}

const running: LedgerEnd = { outcome: "running", attempts: 0, durationMs: 0, usage: {}, isEstimated: false };
