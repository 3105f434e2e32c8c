import type { DatabaseSync } from "node:sqlite";

/** Milliseconds between taking a change and writing it: what a kill of the process can lose, and some reserve. */
const writeDelayMs = 150;
/** Another window holds the file: so long until the next try. */
const busyDelayMs = 100;
/** The disk refuses (full, read-only): so long until the next try. */
const failureDelayMs = 5_000;

/** Changes of the database, written together in one transaction a moment after the first of them. */
export class WriteQueue {
  readonly #database: DatabaseSync;
  readonly #onProblem: (sentence: string) => void;
  #changes: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #hasFailed = false;

  constructor(database: DatabaseSync, onProblem: (sentence: string) => void) {
    this.#database = database;
    this.#onProblem = onProblem;
  }

  add(change: () => void): void {
    this.#changes.push(change);
    this.#schedule(writeDelayMs);
  }

  /** Writes what waits now. What can't be written stays and is tried again; nothing is thrown. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#changes.length === 0) return;
    try {
      this.#writeAll();
      this.#changes = [];
      this.#hasFailed = false;
    } catch (error) {
      this.#recover(error);
    }
  }

  #writeAll(): void {
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      for (const change of this.#changes) change();
      this.#database.exec("COMMIT");
    } catch (error) {
      this.#database.exec("ROLLBACK");
      throw error;
    }
  }

  #recover(error: unknown): void {
    if (isBusy(error)) return this.#schedule(busyDelayMs);
    if (!this.#hasFailed) {
      this.#onProblem(
        "Conversations can't be written to disk just now; they are kept in memory and tried again every few seconds. " +
          `The database says: ${error instanceof Error ? error.message : "unknown error"}.`,
      );
    }
    this.#hasFailed = true;
    this.#schedule(failureDelayMs);
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.flush();
    }, ms);
  }
}

/** SQLITE_BUSY is 5, SQLITE_LOCKED is 6; the extended codes carry them in the low byte. */
function isBusy(error: unknown): boolean {
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return false;
  return (error.errcode & 0xff) === 5 || (error.errcode & 0xff) === 6;
}
