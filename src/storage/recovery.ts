import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import type { DatabaseSync, SQLInputValue } from "node:sqlite";

type Sqlite = typeof import("node:sqlite");

const tables = [
  "conversation",
  "message",
  "message_chunk",
  "attachment",
  "message_attachment",
  "draft",
] as const;

/**
 * Copies what can be read of a damaged file, row by row, into a fresh one. Returns the number of messages saved;
 * 0 where the file isn't a database any more.
 */
export function copyReadableRows(sqlite: Sqlite, damagedFile: string, target: DatabaseSync): number {
  const copy = copyForReading(damagedFile);
  let source: DatabaseSync;
  try {
    source = new sqlite.DatabaseSync(copy);
  } catch {
    removeDatabase(copy);
    return 0;
  }
  try {
    // Rows may refer to rows that are lost: what is left is worth more than the rule.
    target.exec("PRAGMA foreign_keys = OFF");
    for (const table of tables) copyTable(source, target, table);
    target.exec(`
      INSERT OR IGNORE INTO conversation (id, title, created_at, updated_at)
      SELECT conversation_id, 'Recovered conversation', min(created_at), max(created_at)
      FROM message GROUP BY conversation_id`);
    target.exec("DELETE FROM message_attachment WHERE hash NOT IN (SELECT hash FROM attachment)");
    target.exec("PRAGMA foreign_keys = ON");
    const count = target.prepare("SELECT count(*) AS count FROM message").get()?.["count"];
    return typeof count === "number" ? count : 0;
  } finally {
    source.close();
    removeDatabase(copy);
  }
}

/** The damaged file itself stays as it is; what is read is a copy that SQLite is willing to open. */
function copyForReading(damagedFile: string): string {
  const copy = `${damagedFile}.reading`;
  for (const suffix of databaseSuffixes) {
    if (existsSync(damagedFile + suffix)) copyFileSync(damagedFile + suffix, copy + suffix);
  }
  correctPageCount(copy);
  return copy;
}

/** SQLite refuses a file that is shorter than its header says: let the header say what is there. */
function correctPageCount(file: string): void {
  const descriptor = openSync(file, "r+");
  try {
    const header = Buffer.alloc(32);
    if (
      readSync(descriptor, header, 0, 32, 0) < 32 ||
      !header.toString("latin1").startsWith("SQLite format 3")
    )
      return;
    const pageSize = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16);
    const pageCount = Math.floor(fstatSync(descriptor).size / pageSize);
    if (pageCount >= header.readUInt32BE(28)) return;
    header.writeUInt32BE(pageCount, 28);
    writeSync(descriptor, header, 28, 4, 28);
  } finally {
    closeSync(descriptor);
  }
}

const databaseSuffixes = ["", "-wal", "-shm"] as const;

function removeDatabase(file: string): void {
  for (const suffix of databaseSuffixes) rmSync(file + suffix, { force: true });
}

/** Reads forwards by row as far as it goes, then backwards from the end, so that a hole costs only itself. */
function copyTable(source: DatabaseSync, target: DatabaseSync, table: (typeof tables)[number]): void {
  for (const order of ["ASC", "DESC"]) {
    try {
      for (const row of source.prepare(`SELECT * FROM ${table} ORDER BY 1 ${order}`).iterate()) {
        insertRow(target, table, row);
      }
      return;
    } catch {
      // The rest of this direction is unreadable; the other one may bring more.
    }
  }
}

function insertRow(target: DatabaseSync, table: string, row: Record<string, SQLInputValue>): void {
  const names = Object.keys(row);
  const marks = names.map(() => "?").join(", ");
  try {
    target
      .prepare(`INSERT OR IGNORE INTO ${table} (${names.join(", ")}) VALUES (${marks})`)
      .run(...Object.values(row));
  } catch {
    // One row that doesn't fit must not cost the others.
  }
}
