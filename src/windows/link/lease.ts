import type { DatabaseSync } from "node:sqlite";
import { createPrivateFile } from "../../storage/files/privateFile.ts";
import { loadSqlite } from "../../storage/database/sqlite.ts";

/**
 * The right of a single window to do something for all of them, implemented as an SQLite lock on an empty file. The
 * system releases it when the process dies for any reason. No clock is involved, so nothing expires while the machine
 * sleeps.
 */
export class Lease {
  readonly #path: string;
  #database: DatabaseSync | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether other windows are locked out, which isn't the case if locking doesn't work. */
  get isHeld(): boolean {
    return this.#database !== undefined;
  }

  /** Whether this window holds the lease now. If locking doesn't work, each window works for itself. */
  acquire(): boolean {
    if (this.#database !== undefined) return true;
    let database: DatabaseSync | undefined;
    try {
      createPrivateFile(this.#path);
      database = new (loadSqlite().DatabaseSync)(this.#path);
      database.exec("PRAGMA busy_timeout = 0; PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE");
      this.#database = database;
      return true;
    } catch (error) {
      database?.close();
      return !isBusy(error);
    }
  }

  release(): void {
    this.#database?.close();
    this.#database = undefined;
  }
}

/** SQLITE_BUSY: another process has it. */
function isBusy(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 5;
}
