import { existsSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
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
import { closeQuietly, databaseSuffixes, openJournaled } from "../database/journal.ts";
import { numberColumn, textColumn } from "../database/messageRow.ts";
import type { Sqlite } from "../database/sqlite.ts";
import { BusyError, DamagedError, sqliteTrouble } from "../database/sqliteTrouble.ts";
import { hasProcess } from "../files/hasProcess.ts";
import { createPrivateFile } from "../files/privateFile.ts";
import { createTables, parseRow, parseTotal, prepareLedger } from "./ledgerTable.ts";
import { systemCodeOf } from "../../core/kernel/thrown.ts";

/** Milliseconds after which a request must have ended, even if its window seems to exist or can't be checked. */
const longestRequestMs = 86_400_000;

interface LedgerFileOptions {
  /** Milliseconds since 1970. */
  now(): number;
  /** Whether the whole file is checked, because a part of it has turned out to be damaged. */
  readonly mustCheck?: boolean;
  /** Called when a damaged file was set aside, with its new path. */
  onSetAside(path: string): void;
}

/** Opens the usage records. A damaged file is set aside and replaced. Throws SQLite's error otherwise. */
export function openLedger(sqlite: Sqlite, path: string, options: LedgerFileOptions): LedgerStore {
  const damagedId = fileId(path);
  try {
    return new SqliteLedger(sqlite, path, options);
  } catch (error) {
    if (sqliteTrouble(error) !== "damaged") throw error;
    setAside(path, damagedId, options);
    return new SqliteLedger(sqlite, path, options);
  }
}

/** After this many milliseconds, a window that was setting the file aside must have been killed. */
const longestReplacementMs = 10_000;

/**
 * Sets a damaged file aside. Two windows must not do so at the same time: the second would move the new file of the
 * first. Throws a BusyError while another window does.
 */
function setAside(path: string, damagedId: string, { now, onSetAside }: LedgerFileOptions): void {
  const mark = `${path}.replacing`;
  const since = statSync(mark, { throwIfNoEntry: false })?.mtimeMs;
  if (since !== undefined && Math.abs(Date.now() - since) > longestReplacementMs)
    rmSync(mark, { force: true });
  try {
    writeFileSync(mark, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (existsSync(mark))
      throw new BusyError("Another window is replacing the usage records.", { cause: error });
    throw error;
  }
  try {
    // Another window may have been faster.
    if (damagedId !== "" && fileId(path) !== damagedId) return;
    const aside = `${path}.damaged-${now()}`;
    // The log is moved first: a new database must never be combined with the log of the old one.
    for (const suffix of databaseSuffixes.toReversed()) renameIfThere(path + suffix, aside + suffix);
    onSetAside(aside);
  } finally {
    rmSync(mark, { force: true });
  }
}

function fileId(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.dev}:${stat.ino}`;
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (systemCodeOf(error) !== "ENOENT") throw error;
  }
}

/** The usage records in a file that all windows share. */
class SqliteLedger implements LedgerStore {
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof prepareLedger>;
  readonly #now: () => number;

  constructor(sqlite: Sqlite, path: string, options: LedgerFileOptions) {
    createPrivateFile(path);
    this.#database = openJournaled(sqlite, path);
    this.#now = () => options.now();
    try {
      if (this.#version() === 0) this.#create();
      if (options.mustCheck === true) this.#check();
      this.#statements = prepareLedger(this.#database);
      this.#endLost();
    } catch (error) {
      closeQuietly(this.#database);
      throw error;
    }
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

  close(): void {
    closeQuietly(this.#database);
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

  #create(): void {
    this.#transact(() => {
      if (this.#version() === 0) this.#database.exec(createTables);
    });
  }

  /** A request of a window that was killed keeps what was reserved for it, because it may have cost that much. */
  #endLost(): void {
    const now = this.#now();
    for (const row of this.#statements.running.all()) {
      const isOver = now - numberColumn(row, "started_at") > longestRequestMs;
      if (isOver || hasEnded(textColumn(row, "window"))) this.#statements.lose.run(textColumn(row, "id"));
    }
  }

  #check(): void {
    const result = this.#database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
    if (result !== "ok") throw new DamagedError(String(result));
  }

  #version(): number {
    return numberColumn(this.#database.prepare("PRAGMA user_version").get() ?? {}, "user_version");
  }

  #transact<Result>(action: () => Result): Result {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      const result = action();
      this.#database.exec("COMMIT");
      return result;
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }
}

/** Whether this window, as `<host name>:<process ID>`, was on this machine and no longer exists. */
function hasEnded(window: string): boolean {
  const end = window.lastIndexOf(":");
  return window.slice(0, end) === hostname() && !hasProcess(Number(window.slice(end + 1)));
}

const running: LedgerEnd = { outcome: "running", attempts: 0, durationMs: 0, usage: {}, isEstimated: false };
