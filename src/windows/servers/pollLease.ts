import type { DatabaseSync } from "node:sqlite";
import { createPrivateFile } from "../../storage/files/privateFile.ts";
import { loadSqlite } from "../../storage/database/sqlite.ts";

/**
 * The right of one of all windows to poll, as an SQLite lock on an empty file. The system releases it when a process
 * dies, however it dies. No clock is involved, so that nothing expires while the machine sleeps.
 */
export class PollLease {
  readonly #path: string;
  #database: DatabaseSync | undefined;

  constructor(path: string) {
    this.#path = path;
  }

  /** Whether other windows are kept out; not so if nothing can be locked. */
  get isHeld(): boolean {
    return this.#database !== undefined;
  }

  /** Whether it is this window's now. Where nothing can be locked each window polls for itself. */
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
