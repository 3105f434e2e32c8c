import { statSync } from "node:fs";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { hasProcess } from "../files/hasProcess.ts";
import { renameFile } from "../files/heldFile.ts";
import { createPrivateFile } from "../files/privateFile.ts";
import { closeQuietly, removeDatabase, transact } from "./journal.ts";
import { textColumn } from "./messageRow.ts";
import { endsBeside, formatFileTime, parseFileTime } from "./setAsideFiles.ts";
import type { Sqlite } from "./sqlite.ts";
import { sqliteTrouble } from "./sqliteTrouble.ts";

/** Milliseconds between two backups. */
export const backupEveryMs = 86_400_000;
/** Backups that are kept. */
const mostBackups = 2;
const backupMark = ".backup-";
/** Followed by the ID of the process that makes the backup. */
const unfinishedMark = ".unfinished-";
/** Removed messages that are taken out of the backups at once. */
const removedAtOnce = 200;

/** A backup of the conversations. */
interface Backup {
  readonly path: string;
  /** Milliseconds since 1970. */
  readonly madeAt: number;
  readonly bytes: number;
}

/** The backups of the database at `path`, the latest first. */
export function listBackups(path: string): readonly Backup[] {
  return endsOf(path, backupMark)
    .flatMap((end) => {
      const madeAt = parseFileTime(end);
      const backup = `${path}${backupMark}${end}`;
      const bytes = statSync(backup, { throwIfNoEntry: false })?.size;
      return madeAt === undefined || bytes === undefined ? [] : [{ path: backup, madeAt, bytes }];
    })
    .toSorted((left, right) => right.madeAt - left.madeAt);
}

/**
 * Makes a backup of the database at `path` without drafts, queued messages and the search index, and deletes those that
 * are older than the two latest. Rejects with SQLite's error.
 * @param now Milliseconds since 1970.
 */
export async function makeBackup(sqlite: Sqlite, path: string, now: number): Promise<void> {
  const unfinished = `${path}${unfinishedMark}${process.pid}`;
  removeDatabase(unfinished);
  const source = new sqlite.DatabaseSync(path);
  try {
    createPrivateFile(unfinished);
    await sqlite.backup(source, unfinished, { rate: 1_000 });
    const copy = new sqlite.DatabaseSync(unfinished);
    try {
      copy.exec(reduce);
    } finally {
      copy.close();
    }
    // The name keeps its place in time even if the clock was set back.
    renameFile(unfinished, `${path}${backupMark}${formatFileTime(now)}`);
  } finally {
    closeQuietly(source);
    removeDatabase(unfinished);
  }
  for (const { path: old } of listBackups(path).slice(mostBackups)) removeDatabase(old);
}

const reduce = `
  PRAGMA journal_mode = MEMORY;
  PRAGMA temp_store = MEMORY;
  PRAGMA secure_delete = ON;
  PRAGMA foreign_keys = ON;
  DELETE FROM draft; DELETE FROM queued_message; DELETE FROM claim;
  DROP TABLE search_grams; DROP TABLE search_words; DELETE FROM search_pending;
  DELETE FROM removal;
  VACUUM;`;

/**
 * Takes some of the messages that were removed or replaced out of the backups. Returns whether more are left, or a
 * backup is being made. Throws SQLite's errors.
 */
export function scrubBackups(sqlite: Sqlite, database: DatabaseSync, path: string): boolean {
  const rows = database.prepare(`SELECT * FROM removal LIMIT ${removedAtOnce}`).all();
  if (rows.length === 0) return false;
  if (isBackupUnderWay(path)) return true;
  const words = database.prepare("SELECT title, tags, settings FROM conversation WHERE id = ?");
  const known = rows.map((row) => ({ ...row, ...words.get(textColumn(row, "conversation_id")) }));
  for (const backup of listBackups(path)) scrubBackup(sqlite, backup.path, known);
  const done = database.prepare("DELETE FROM removal WHERE conversation_id = ? AND message_id = ?");
  transact(database, () => {
    for (const row of rows) done.run(textColumn(row, "conversation_id"), textColumn(row, "message_id"));
  });
  return rows.length === removedAtOnce;
}

/** @param rows What was removed, with the words of conversations that weren't. */
function scrubBackup(
  sqlite: Sqlite,
  path: string,
  rows: readonly Readonly<Record<string, SQLInputValue>>[],
): void {
  const backup = new sqlite.DatabaseSync(path, { enableForeignKeyConstraints: true });
  try {
    backup.exec("PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; BEGIN IMMEDIATE");
    const [whole, reworded, one] = [
      backup.prepare("DELETE FROM conversation WHERE id = ?"),
      backup.prepare("UPDATE conversation SET title = ?, tags = ?, settings = ? WHERE id = ?"),
      backup.prepare("DELETE FROM message WHERE conversation_id = ? AND id = ?"),
    ];
    for (const { conversation_id: id = "", message_id: message, title, ...words } of rows) {
      if (message !== undefined && message !== "") one.run(id, message);
      else if (title === undefined) whole.run(id);
      else reworded.run(title, words["tags"] ?? null, words["settings"] ?? null, id);
    }
    backup.exec("DELETE FROM removal; DELETE FROM search_pending; COMMIT");
  } catch (error) {
    if (sqliteTrouble(error) === "busy") throw error;
    // A backup that can't be read anymore helps nobody, and it may have what was removed.
    closeQuietly(backup);
    removeDatabase(path);
  } finally {
    closeQuietly(backup);
  }
}

/** Whether any process is making a backup. What a killed one has left is removed. */
function isBackupUnderWay(path: string): boolean {
  let isUnderWay = false;
  for (const end of endsOf(path, unfinishedMark)) {
    const processId = Number.parseInt(end, 10);
    if (processId !== process.pid && hasProcess(processId)) isUnderWay = true;
    else removeDatabase(`${path}${unfinishedMark}${end}`);
  }
  return isUnderWay;
}

function endsOf(path: string, mark: string): readonly string[] {
  return endsBeside(path, mark).filter((end) => !/-(?:wal|shm|journal)$/.test(end));
}
