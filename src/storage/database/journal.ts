import { statfsSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { Sqlite } from "./sqlite.ts";
import { sqliteTrouble } from "./sqliteTrouble.ts";

/**
 * Types of file systems, by `statfs`, whose files other machines may have open: NFS, SMB and CIFS, AFS, Ceph, Lustre,
 * GPFS, and 9p. A write-ahead log needs memory that all of its users share.
 */
const networkTypes: ReadonlySet<number> = new Set([
  0x6969, 0x517b, 0xff534d42, 0xfe534d42, 0x5346414f, 0x6b414653, 0x00c36400, 0x0bd00bd0, 0x47504653,
  0x01021997,
]);

/** Whether other machines may have the file open. */
function isOnNetwork(path: string): boolean {
  if (process.platform === "win32") return path.startsWith("\\\\");
  try {
    return networkTypes.has(statfsSync(dirname(path)).type >>> 0);
  } catch {
    return false;
  }
}

/**
 * Opens the database with a write-ahead log, so that readers don't wait for writers and a killed process loses nothing
 * that was written. Where that is impossible it has a rollback journal: slower, and as safe. Throws what SQLite throws
 * where it can't be written at all, or another window holds it.
 */
export function openJournaled(sqlite: Sqlite, path: string): DatabaseSync {
  const { database, obstacle } = isOnNetwork(path) ? {} : openWithLog(sqlite, path);
  if (database !== undefined) return database;
  try {
    return openWithoutLog(sqlite, path);
  } catch (error) {
    throw obstacle ?? error;
  }
}

function openWithoutLog(sqlite: Sqlite, path: string): DatabaseSync {
  return openBy(sqlite, path, (database) => {
    // With the file to itself SQLite needs no shared memory to bring what is in a log into the file.
    database.exec("PRAGMA locking_mode = EXCLUSIVE");
    prepareFile(database);
    database.prepare("PRAGMA journal_mode = DELETE").get();
    database.exec("PRAGMA locking_mode = NORMAL; PRAGMA synchronous = FULL");
    // The locks are only let go with the next look at the file.
    database.prepare("SELECT count(*) FROM sqlite_schema").get();
  });
}

/** Where there can be no log, neither is there a database; the obstacle is what SQLite says, if anything. */
function openWithLog(
  sqlite: Sqlite,
  path: string,
): { readonly database?: DatabaseSync; readonly obstacle?: unknown } {
  try {
    const database = openBy(sqlite, path, (opened) => {
      prepareFile(opened);
      const mode = opened.prepare("PRAGMA journal_mode = WAL").get()?.["journal_mode"];
      if (mode !== "wal") throw new NoLogError();
      opened.exec("PRAGMA synchronous = NORMAL");
      tryToWrite(opened);
    });
    return { database };
  } catch (obstacle) {
    if (obstacle instanceof NoLogError) return {};
    if (sqliteTrouble(obstacle) !== "refused") throw obstacle;
    return { obstacle };
  }
}

/** SQLite keeps no log on this file system, and says so without an error. */
class NoLogError extends Error {}

/** Only then is the shared memory of the log needed. */
function tryToWrite(database: DatabaseSync): void {
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
  } catch (error) {
    // Another window writes just now, so it can be done.
    if (sqliteTrouble(error) !== "busy") throw error;
  }
}

function prepareFile(database: DatabaseSync): void {
  // No statement waits for another window: the caller tries again later, and the extension host goes on meanwhile.
  database.exec("PRAGMA busy_timeout = 0");
  // What is deleted or replaced, which may be a secret, is overwritten.
  database.exec("PRAGMA secure_delete = ON");
  // So that freed pages can be given back a few at a time. Only an empty file takes it, and any other would have to
  // wait for a window that writes, or that was stopped while it wrote.
  if (database.prepare("PRAGMA page_count").get()?.["page_count"] === 0)
    database.exec("PRAGMA auto_vacuum = INCREMENTAL");
}

function openBy(sqlite: Sqlite, path: string, prepare: (database: DatabaseSync) => void): DatabaseSync {
  const database = new sqlite.DatabaseSync(path, { enableForeignKeyConstraints: true });
  try {
    prepare(database);
    return database;
  } catch (error) {
    closeQuietly(database);
    throw error;
  }
}

export function closeQuietly(database: DatabaseSync): void {
  try {
    database.close();
  } catch {
    // It was closed already, or is too damaged to be closed in order.
  }
}
