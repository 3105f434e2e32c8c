import { existsSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { t } from "@vscode/l10n";
import type { LedgerStore } from "../../core/responses/usage/ledgerRow.ts";
import {
  closeQuietly,
  durably,
  emptyLog,
  openBy,
  openJournaled,
  removeDatabase,
  transact,
} from "../database/journal.ts";
import { numberColumn } from "../database/messageRow.ts";
import { fileIdOf, replaceFile } from "../database/setAsideFiles.ts";
import type { Sqlite } from "../database/sqlite.ts";
import { BusyError, sqliteTrouble } from "../database/sqliteTrouble.ts";
import { createPrivateFile } from "../files/privateFile.ts";
import { createLedgerTable } from "./ledgerTable.ts";
import { SqliteLedger } from "./sqliteLedger.ts";

/** The open file. Don't keep it beyond an attempt: it may be closed and replaced. */
export interface OpenRecords {
  readonly database: DatabaseSync;
  readonly ledger: LedgerStore;
}

/** How an action on the file is carried out. */
export interface AttemptOptions {
  /**
   * Whether a locked file is tried for more than a minute, because nothing waits for the result. Otherwise, it is tried
   * for three seconds.
   */
  readonly isPatient?: boolean;
  /** Whether the change must survive a power failure from the moment that the promise resolves. */
  readonly isDurable?: boolean;
  /**
   * Whether the action removes content, which must then not remain in SQLite's log either. It is patient in any case.
   */
  readonly isErasure?: boolean;
}

/** Everything small that all windows share and that isn't part of a conversation, in one SQLite file. */
export interface Records {
  /**
   * Runs the action on the file, which is opened at the first use. While another process has locked it, the action is
   * attempted again and the host isn't blocked. Rejects with a BusyError if it stays locked, and with SQLite's error if
   * the file can't be used. A damaged file is replaced first.
   */
  attempt<Result>(action: (records: OpenRecords) => Result, options?: AttemptOptions): Promise<Result>;
}

interface RecordsFileContext {
  readonly sqlite: Sqlite;
  readonly path: string;
  /** Milliseconds since 1970. */
  now(): number;
  /** Called when a damaged file was replaced by an empty one. */
  onStartedOver(): void;
}

/** Deletes what a table has of a profile, names included. Never rejects. */
export async function forgetProfile(
  records: Records,
  table: "server_run" | "server_use",
  profile: string,
): Promise<void> {
  const erase = records.attempt(
    ({ database }) => database.prepare(`DELETE FROM ${table} WHERE profile = ?`).run(profile),
    { isErasure: true },
  );
  await erase.catch(() => undefined);
}

/** Milliseconds for which a locked file is tried, and between two tries. */
const [usualPatienceMs, longPatienceMs, triesApartMs] = [3_000, 75_000, 50] as const;
/** Milliseconds from a removal to emptying the log, and to the next try while another process is reading. */
const emptyLogMs = 250;

/** The version of the tables. A file with an older one gets the tables that it lacks. */
const version = 3;

const createTables = `
  ${createLedgerTable}
  CREATE TABLE IF NOT EXISTS exchange (
    number INTEGER PRIMARY KEY,
    -- Of the usage record.
    id TEXT NOT NULL UNIQUE,
    conversation_id TEXT,
    message_id TEXT,
    size INTEGER NOT NULL,
    -- Compressed JSON: what was measured, and the bodies that were sent if they are kept.
    data BLOB NOT NULL,
    content BLOB
  ) STRICT;
  CREATE INDEX IF NOT EXISTS exchange_by_message ON exchange (conversation_id, message_id);
  CREATE TABLE IF NOT EXISTS server_list (
    profile TEXT NOT NULL,
    identity TEXT NOT NULL,
    text TEXT NOT NULL,
    PRIMARY KEY (profile, identity)
  ) STRICT;
  CREATE TABLE IF NOT EXISTS tool_permissions (
    id INTEGER PRIMARY KEY CHECK (id = 1),
    text TEXT NOT NULL
  ) STRICT;
  CREATE TABLE IF NOT EXISTS server_run (
    profile TEXT NOT NULL,
    server TEXT NOT NULL,
    name TEXT NOT NULL,
    status TEXT NOT NULL,
    basis TEXT NOT NULL,
    began INTEGER NOT NULL,
    ended INTEGER NOT NULL,
    -- Per hour.
    amount REAL,
    currency TEXT,
    is_estimate INTEGER NOT NULL,
    PRIMARY KEY (profile, server, began)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS run_by_time ON server_run (ended);
  CREATE TABLE IF NOT EXISTS server_use (
    profile TEXT NOT NULL,
    server TEXT NOT NULL,
    -- There is one row for every few minutes.
    slot INTEGER NOT NULL,
    at INTEGER NOT NULL,
    since INTEGER NOT NULL,
    kind TEXT NOT NULL,
    percent REAL,
    memory_percent REAL,
    requests TEXT,
    has_processes INTEGER NOT NULL,
    PRIMARY KEY (profile, server, slot)
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX IF NOT EXISTS use_by_time ON server_use (at);
  PRAGMA user_version = ${version};`;

/** The only owner of the file in this window: it opens, replaces, and closes it for all of its tables. */
export class RecordsFile implements Records {
  readonly #context: RecordsFileContext;
  #records: OpenRecords | undefined;
  /** Identifies the open file, which another program may have removed, replaced, or emptied. */
  #id = "";
  /** Identifies a file that turned out to be damaged. */
  #damagedId: string | undefined;
  #running = 0;
  #isDisposed = false;
  #emptying: NodeJS.Timeout | undefined;

  constructor(context: RecordsFileContext) {
    this.#context = context;
  }

  async attempt<Result>(
    action: (records: OpenRecords) => Result,
    { isPatient = false, isDurable = false, isErasure = false }: AttemptOptions = {},
  ): Promise<Result> {
    this.#running++;
    try {
      const patienceMs = isPatient || isErasure ? longPatienceMs : usualPatienceMs;
      const run = isDurable
        ? (records: OpenRecords) => durably(records.database, () => action(records))
        : action;
      const result = await this.#retry(run, performance.now() + patienceMs);
      if (isErasure) this.#emptyLogSoon();
      return result;
    } finally {
      this.#running--;
      if (this.#isDisposed) this.#closeUnused();
    }
  }

  /** Attempts that are made or end later still succeed, and the file is closed after them. */
  dispose(): void {
    this.#isDisposed = true;
    this.#closeUnused();
  }

  /** @param end When to give up, in monotonic milliseconds. */
  async #retry<Result>(action: (records: OpenRecords) => Result, end: number): Promise<Result> {
    for (let isReplaced = false; ; await pause(triesApartMs)) {
      try {
        return action(this.#current());
      } catch (error) {
        const trouble = sqliteTrouble(error);
        if (trouble === "damaged" && !isReplaced) {
          isReplaced = true;
          this.#damagedId = this.#id;
          this.#close();
        } else if (trouble !== "busy") throw error;
        else if (performance.now() > end) throw lockedError(this.#context.path, error);
      }
    }
  }

  /** What is written to a file that was removed or replaced would be lost, so the one in its place is opened. */
  #current(): OpenRecords {
    const { path } = this.#context;
    if (this.#records !== undefined && fileIdOf(path) !== this.#id) this.#close();
    if (this.#records !== undefined) return this.#records;
    this.#id = fileIdOf(path);
    this.#records = this.#open(this.#id);
    // A new file gets its identity with its first page.
    this.#id = fileIdOf(path);
    return this.#records;
  }

  #open(fileId: string): OpenRecords {
    // A new file must not be combined with the log of one that was removed.
    const isLost = fileId === "" && existsSync(`${this.#context.path}-wal`);
    if (isLost || fileId === this.#damagedId) this.#startOver(fileId);
    const records = this.#openOnce();
    // A window that was killed may have left content in the log that it had deleted.
    this.#emptyLogSoon();
    return records;
  }

  #openOnce(): OpenRecords {
    const { sqlite, path, now } = this.#context;
    createPrivateFile(path);
    const database = openJournaled(sqlite, path);
    try {
      prepareTables(database);
      return { database, ledger: new SqliteLedger(database, now) };
    } catch (error) {
      closeQuietly(database);
      throw error;
    }
  }

  /** Replaces the damaged file by an empty one. Nothing that was deleted may stay on disk, so it isn't kept. */
  #startOver(formerId: string): void {
    const { sqlite, path, now, onStartedOver } = this.#context;
    let damaged: string | undefined;
    const fill = (next: string, aside: string | undefined): void => {
      closeQuietly(openBy(sqlite, next, prepareTables));
      damaged = aside;
    };
    replaceFile(sqlite, { path, formerId, now: now(), fill });
    if (damaged === undefined) return;
    removeDatabase(damaged);
    onStartedOver();
  }

  #emptyLogSoon(): void {
    this.#emptying ??= setTimeout(() => {
      this.#emptying = undefined;
      if (!this.#emptyLog()) this.#emptyLogSoon();
    }, emptyLogMs).unref();
  }

  #emptyLog(): boolean {
    try {
      return this.#records === undefined || emptyLog(this.#records.database);
    } catch {
      // The next action on the file reports what is wrong with it.
      return false;
    }
  }

  #closeUnused(): void {
    if (this.#running === 0) this.#close();
  }

  #close(): void {
    if (this.#records === undefined) return;
    // Closing empties the log only if no other process has the file open.
    if (this.#emptying !== undefined) this.#emptyLog();
    clearTimeout(this.#emptying);
    this.#emptying = undefined;
    closeQuietly(this.#records.database);
    this.#records = undefined;
  }
}

function lockedError(path: string, cause: unknown): BusyError {
  const sentence = t("Another program has locked the file {0}. Try again when it has finished.", path);
  return new BusyError(sentence, { cause });
}

function prepareTables(database: DatabaseSync): void {
  if (versionOf(database) >= version) return;
  transact(database, () => {
    if (versionOf(database) < version) database.exec(createTables);
  });
}

function versionOf(database: DatabaseSync): number {
  return numberColumn(database.prepare("PRAGMA user_version").get() ?? {}, "user_version");
}
