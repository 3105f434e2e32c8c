import type { DatabaseSync, DatabaseSyncOptions, StatementSync } from "node:sqlite";
import type { Sqlite } from "./sqlite.ts";
import { removeFile } from "../files/heldFile.ts";
import { isOnNetwork } from "../files/networkMount.ts";
import { DamagedError, sqliteTrouble } from "./sqliteTrouble.ts";
import { numberColumn } from "./messageRow.ts";

/** The files of a database: the database itself, its write-ahead log and the log's index, or its rollback journal. */
export const databaseSuffixes: readonly string[] = ["", "-wal", "-shm", "-journal"];

/**
 * Opens the database with a write-ahead log, which needs memory shared by all of its users, so that readers don't wait
 * for writers and a killed process loses nothing that was written. If that is impossible, it gets a rollback journal,
 * which is slower but just as safe. Throws SQLite's error if the file can't be written at all or another window has
 * locked it.
 */
export function openJournaled(sqlite: Sqlite, path: string): DatabaseSync {
  if (isOnNetwork(path)) return openWithoutLog(sqlite, path);
  try {
    return openWithLog(sqlite, path);
  } catch (obstacle) {
    const isUnsupported = obstacle instanceof NoLogError;
    if (!isUnsupported && sqliteTrouble(obstacle) !== "refused") throw obstacle;
    try {
      return openWithoutLog(sqlite, path);
    } catch (error) {
      throw isUnsupported ? error : obstacle;
    }
  }
}

function openWithoutLog(sqlite: Sqlite, path: string): DatabaseSync {
  return openBy(sqlite, path, (database) => {
    // With exclusive access, SQLite needs no shared memory to move the contents of a log into the file.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    prepareFile(database);
    database.prepare("PRAGMA journal_mode = DELETE").get();
    database.exec("PRAGMA locking_mode = NORMAL; PRAGMA synchronous = FULL");
    // The locks are only released at the next access to the file.
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
  });
}

function openWithLog(sqlite: Sqlite, path: string): DatabaseSync {
  return openBy(sqlite, path, (database) => {
    prepareFile(database);
    const mode = database.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
    if (mode !== "wal") throw new NoLogError();
    database.exec("PRAGMA synchronous = NORMAL");
    tryToWrite(database);
  });
}

/** SQLite can't keep a log on this file system, and reports that without an error. */
class NoLogError extends Error {}

/** Begins a write transaction, because only then is the log's shared memory needed. */
function tryToWrite(database: DatabaseSync): void {
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
  } catch (error) {
    // Another window is writing at the moment, so writing works.
    if (sqliteTrouble(error) !== "busy") throw error;
  }
}

function prepareFile(database: DatabaseSync): void {
  // No statement waits for another window: the caller retries later, and the extension host keeps working in the
  // meantime.
  database.exec("PRAGMA busy_timeout = 0");
  // A page is written once for each transaction, even if the transaction is larger than the cache.
  database.exec("PRAGMA cache_spill = OFF");
  // What a statement would need to undo itself is never written to a temporary file, where nothing would overwrite it.
  database.exec("PRAGMA temp_store = MEMORY");
  // Overwrites deleted or replaced data, which may contain secrets.
  database.exec("PRAGMA secure_delete = ON");
}

/** Opens the database and prepares it. Closes it again if that throws. */
export function openBy(
  sqlite: Sqlite,
  location: string,
  prepare: (database: DatabaseSync) => void,
  options: DatabaseSyncOptions = {},
): DatabaseSync {
  const database = new sqlite.DatabaseSync(location, { enableForeignKeyConstraints: true, ...options });
  try {
    prepare(database);
    return database;
  } catch (error) {
    closeQuietly(database);
    throw error;
  }
}

/** Returns a function that returns the statement with a text. Each is prepared at its first use. */
export function statementsOf(database: DatabaseSync): (text: string) => StatementSync {
  const prepared = new Map<string, StatementSync>();
  return (text) => {
    const statement = prepared.get(text) ?? database.prepare(text);
    prepared.set(text, statement);
    return statement;
  };
}

/** Makes the whole change in one transaction; otherwise changes nothing and throws the error. */
export function transact<Result>(database: DatabaseSync, change: () => Result): Result {
  database.exec("BEGIN IMMEDIATE");
  try {
    const result = change();
    database.exec("COMMIT");
    return result;
  } catch (error) {
    // SQLite has already rolled the transaction back if the disk is full.
    if (database.isTransaction) database.exec("ROLLBACK");
    throw error;
  }
}

/** Runs a change that must survive a power failure, together with all earlier ones. */
export function durably<Result>(database: DatabaseSync, change: () => Result): Result {
  const usual = numberColumn(database.prepare("PRAGMA synchronous").get() ?? {}, "synchronous");
  database.exec("PRAGMA synchronous = FULL");
  try {
    return change();
  } finally {
    if (database.isOpen) database.exec(`PRAGMA synchronous = ${usual}`);
  }
}

/** Throws a DamagedError if the file isn't intact. */
export function assertIntact(database: DatabaseSync): void {
  const result = database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
  if (result !== "ok") throw new DamagedError(String(result));
}

/** Moves the write-ahead log into the file and empties it. Returns false while another process is reading from it. */
export function emptyLog(database: DatabaseSync): boolean {
  return database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] !== 1;
}

/** Closes the database, and ignores any failure. */
export function closeQuietly(database: DatabaseSync): void {
  try {
    database.close();
  } catch {
    // It was already closed, or is too damaged to be closed properly.
  }
}

/** Deletes a database with its log. */
export function removeDatabase(path: string): void {
  for (const suffix of databaseSuffixes) removeFile(path + suffix);
}
