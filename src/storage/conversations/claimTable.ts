import type { DatabaseSync } from "node:sqlite";
import type { ClaimKind } from "../../core/conversation/conversationStore.ts";
import { statementsOf } from "../database/journal.ts";
import { numberColumn } from "../database/messageRow.ts";

/** How long a message belongs to the window that has taken it from the queue, in milliseconds. */
export const takenForMs = 10_000;

/** What only one window may do, in an open database. Call it inside a transaction. */
export class ClaimTable {
  readonly #sql: ReturnType<typeof statementsOf>;

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database);
  }

  /**
   * Claims something for this many milliseconds. Returns false if another window has claimed it and its time isn't over.
   * A claim that lasts more than twice as long as this one was made before the clock was set back: by more than the
   * fraction of a second by which clocks are corrected all the time.
   * @param now Milliseconds since 1970.
   */
  take(kind: ClaimKind, key: string, now: number, forMs: number): boolean {
    const { changes } = this.#sql(
      `
      INSERT INTO claim (kind, key, until) VALUES (?, ?, ?)
      ON CONFLICT (kind, key) DO UPDATE SET until = excluded.until WHERE until <= ? OR until > ?`,
    ).run(...[kind, key, now + forMs, now, now + 2 * forMs]);
    return Number(changes) > 0;
  }

  /** Claims it whether another window has claimed it or not. */
  renew(kind: ClaimKind, key: string, until: number): void {
    this.#sql("INSERT OR REPLACE INTO claim (kind, key, until) VALUES (?, ?, ?)").run(kind, key, until);
  }

  release(kind: ClaimKind, key: string): void {
    this.#sql("DELETE FROM claim WHERE kind = ? AND key = ?").run(kind, key);
  }

  /** Milliseconds since 1970; undefined if nobody has claimed it. */
  until(kind: ClaimKind, key: string): number | undefined {
    const row = this.#sql("SELECT until FROM claim WHERE kind = ? AND key = ?").get(kind, key);
    return row === undefined ? undefined : numberColumn(row, "until");
  }

  /** Removes claims whose time is over. Those of windows are kept for a week, because a window may be suspended. */
  sweep(now: number): void {
    this.#sql(
      "DELETE FROM claim WHERE until <= ? - CASE kind WHEN 'window' THEN 7 * 86400000 ELSE 0 END",
    ).run(now);
  }
}
