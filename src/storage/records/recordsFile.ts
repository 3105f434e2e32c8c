import { existsSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout as pause } from "node:timers/promises";
import { t } from "@vscode/l10n";
import { systemCodeOf } from "../../core/kernel/thrown.ts";
import type { LedgerStore } from "../../core/responses/usage/ledgerRow.ts";
import { closeQuietly, databaseSuffixes, openJournaled } from "../database/journal.ts";
import { numberColumn } from "../database/messageRow.ts";
import type { Sqlite } from "../database/sqlite.ts";
import { BusyError, DamagedError, sqliteTrouble } from "../database/sqliteTrouble.ts";
import { createPrivateFile } from "../files/privateFile.ts";
import { createLedgerTable } from "./ledgerTable.ts";
import { SqliteLedger } from "./sqliteLedger.ts";

/** The open file. Don't keep it beyond an attempt: it may be closed and replaced. */
export interface OpenRecords {
  readonly database: DatabaseSync;
  readonly ledger: LedgerStore;
  /** Makes all changes of the action in one step, or none if it throws. */
  transact<Result>(action: () => Result): Result;
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
  /** Whether the action removes content, which must then not remain in SQLite's log or in a damaged file either. */
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
  /** Called when a damaged file was set aside, with its new path. */
  onSetAside(path: string): void;
}

/** Milliseconds for which a locked file is tried, and between two tries. */
const [usualPatienceMs, longPatienceMs, triesApartMs] = [3_000, 75_000, 50] as const;
/** Milliseconds from a removal to emptying the log, and to the next try while another process is reading. */
const emptyLogMs = 250;
/** Days for which a damaged file is kept, unless content is deleted in the meantime. */
const setAsideDays = 14;
/** After this many milliseconds, a window that was setting the file aside must have been killed. */
const longestReplacementMs = 10_000;

const createTables = `
  ${createLedgerTable}
  CREATE TABLE IF NOT EXISTS exchange (
    id INTEGER PRIMARY KEY AUTOINCREMENT,
    source TEXT NOT NULL,
    conversation_id TEXT NOT NULL,
    message_id TEXT NOT NULL,
    has_content INTEGER NOT NULL,
    size INTEGER NOT NULL,
    data BLOB NOT NULL,
    UNIQUE (source, conversation_id, message_id)
  ) STRICT;
  CREATE INDEX IF NOT EXISTS exchange_by_age ON exchange (source, id, size);
  CREATE INDEX IF NOT EXISTS exchange_with_content ON exchange (source, id) WHERE has_content = 1;
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
  PRAGMA user_version = 1;`;

/** The only owner of the file in this window: it opens, replaces, and closes it for all of its tables. */
export class RecordsFile implements Records {
  readonly #context: RecordsFileContext;
  #records: OpenRecords | undefined;
  /** Identifies the open file, which another program may have removed, replaced, or emptied. */
  #id = "";
  /** Whether a part of the file turned out to be damaged, so that all of it is checked when it is next opened. */
  #mustCheck = false;
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
      const patienceMs = isPatient ? longPatienceMs : usualPatienceMs;
      const run = isDurable ? (records: OpenRecords) => durably(records, action) : action;
      const result = await this.#retry(run, performance.now() + patienceMs);
      if (isErasure) this.#erase();
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
          this.#mustCheck = true;
          this.#close();
        } else if (trouble !== "busy") throw error;
        else if (performance.now() > end) throw lockedError(this.#context.path, error);
      }
    }
  }

  /** What is written to a file that was removed or replaced would be lost, so the one in its place is opened. */
  #current(): OpenRecords {
    const { path } = this.#context;
    if (this.#records !== undefined && fileId(path) !== this.#id) this.#close();
    if (this.#records !== undefined) return this.#records;
    this.#records = this.#open();
    this.#id = fileId(path);
    return this.#records;
  }

  #open(): OpenRecords {
    const { path, now } = this.#context;
    const hasLog = existsSync(`${path}-wal`);
    const damagedId = fileId(path);
    // A new file must not be combined with the log of one that was removed.
    if (hasLog && damagedId === "") setAside(this.#context, damagedId);
    let records: OpenRecords;
    try {
      records = this.#openOnce();
    } catch (error) {
      if (sqliteTrouble(error) !== "damaged") throw error;
      setAside(this.#context, damagedId);
      records = this.#openOnce();
    }
    this.#mustCheck = false;
    deleteSetAside(path, now() - setAsideDays * 86_400_000);
    // A window that was killed may have left content in the log that it had deleted.
    this.#emptyLogSoon();
    return records;
  }

  #openOnce(): OpenRecords {
    const { sqlite, path, now } = this.#context;
    createPrivateFile(path);
    const database = openJournaled(sqlite, path);
    const transact = <Result>(action: () => Result): Result => runTransaction(database, action);
    try {
      if (versionOf(database) === 0)
        transact(() => {
          if (versionOf(database) === 0) database.exec(createTables);
        });
      if (this.#mustCheck) assertIntact(database);
      return { database, ledger: new SqliteLedger(database, transact, now), transact };
    } catch (error) {
      closeQuietly(database);
      throw error;
    }
  }

  #erase(): void {
    this.#emptyLogSoon();
    deleteSetAside(this.#context.path, Number.POSITIVE_INFINITY);
  }

  #emptyLogSoon(): void {
    this.#emptying ??= setTimeout(() => {
      this.#emptying = undefined;
      if (this.#records !== undefined && !emptyLog(this.#records.database)) this.#emptyLogSoon();
    }, emptyLogMs).unref();
  }

  #closeUnused(): void {
    if (this.#running === 0) this.#close();
  }

  #close(): void {
    if (this.#records === undefined) return;
    // Closing empties the log only if no other process has the file open.
    if (this.#emptying !== undefined) emptyLog(this.#records.database);
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

function durably<Result>(records: OpenRecords, action: (records: OpenRecords) => Result): Result {
  const { database } = records;
  const level = numberColumn(database.prepare("PRAGMA synchronous").get() ?? {}, "synchronous");
  database.exec("PRAGMA synchronous = FULL");
  try {
    return action(records);
  } finally {
    database.exec(`PRAGMA synchronous = ${level}`);
  }
}

function runTransaction<Result>(database: DatabaseSync, action: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = action();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

function versionOf(database: DatabaseSync): number {
  return numberColumn(database.prepare("PRAGMA user_version").get() ?? {}, "user_version");
}

function assertIntact(database: DatabaseSync): void {
  const result = database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
  if (result !== "ok") throw new DamagedError(String(result));
}

/** Returns false while another process is reading or writing. */
function emptyLog(database: DatabaseSync): boolean {
  try {
    return database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] === 0;
  } catch {
    // The next action on the file reports what is wrong with it.
    return false;
  }
}

const setAsideMark = ".damaged-";

/**
 * Sets a damaged file aside. Two windows must not do so at the same time: the second would move the new file of the
 * first. Throws a BusyError while another window does.
 */
function setAside({ path, now, onSetAside }: RecordsFileContext, damagedId: string): void {
  const mark = `${path}.replacing`;
  const since = statSync(mark, { throwIfNoEntry: false })?.mtimeMs;
  if (since !== undefined && Math.abs(Date.now() - since) > longestReplacementMs)
    rmSync(mark, { force: true });
  try {
    writeFileSync(mark, "", { flag: "wx", mode: 0o600 });
  } catch (error) {
    if (existsSync(mark)) throw new BusyError("Another window is replacing the records.", { cause: error });
    throw error;
  }
  try {
    // Another window may have been faster.
    if (fileId(path) !== damagedId) return;
    const aside = `${path}${setAsideMark}${now()}`;
    // The log is moved first: a new database must never be combined with the log of the old one.
    for (const suffix of databaseSuffixes.toReversed()) renameIfThere(path + suffix, aside + suffix);
    onSetAside(aside);
  } finally {
    rmSync(mark, { force: true });
  }
}

/** Deletes the damaged files that were set aside before this time, in milliseconds since 1970. */
function deleteSetAside(path: string, before: number): void {
  const prefix = `${basename(path)}${setAsideMark}`;
  try {
    for (const name of readdirSync(dirname(path)))
      if (name.startsWith(prefix) && Number.parseInt(name.slice(prefix.length), 10) < before)
        rmSync(join(dirname(path), name), { force: true });
  } catch {
    // Tried again with the next start or deletion. On Windows, another program may be reading a file.
  }
}

/** Empty for a file that doesn't exist or that is empty. */
function fileId(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined || stat.size === 0n ? "" : `${stat.dev}:${stat.ino}`;
}

function renameIfThere(from: string, to: string): void {
  try {
    renameSync(from, to);
  } catch (error) {
    if (systemCodeOf(error) !== "ENOENT") throw error;
  }
}
