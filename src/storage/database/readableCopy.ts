import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  readFileSync,
  readSync,
  rmSync,
  writeSync,
} from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { numberColumn, textColumn } from "./messageRow.ts";
import { applyLog } from "../files/logFile.ts";
import { createPrivateFile } from "../files/privateFile.ts";
import { ForeignSchemaError, checkSchema, createSchema, userTables } from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";

/** SQLite's default, and so that of every file of ours. The first page has the header and the list of tables. */
const pageSize = 4096;
/** Where the header has the number of pages, in the file format of SQLite: big-endian, 32 bits. */
const pageCountOffset = 28;
/** Where it has the first page of the list of free pages and their number. */
const freePagesOffset = 32;

/** What the header of each file of ours has besides, by its place: the format, and that texts are UTF-8. */
const fixedBytes: readonly (readonly [number, readonly number[]])[] = [
  [0, [...Buffer.from("SQLite format 3\0")]],
  [16, [pageSize >> 8, pageSize & 0xff]],
  // Readable and writable without a log: the copy has its pages already.
  [18, [1, 1]],
  [20, [0, 64, 32, 32]],
  [44, [0, 0, 0, 4]],
  [56, [0, 0, 0, 1]],
];

/** What belongs to a database: its file, its write-ahead log and the log's index, or its rollback journal. */
export const databaseSuffixes: readonly string[] = ["", "-wal", "-shm", "-journal"];

/** A copy of a damaged file that SQLite is willing to open. */
export interface ReadableCopy {
  readonly database: DatabaseSync;
  /** Closes and removes it. */
  dispose(): void;
}

/** Copies the file and repairs what keeps SQLite from reading the rest. Throws if that fails. */
export function openReadableCopy(sqlite: Sqlite, damagedFile: string): ReadableCopy {
  const copy = `${damagedFile}.reading`;
  removeDatabase(copy);
  try {
    createPrivateFile(copy);
    for (const suffix of ["", "-journal"]) {
      if (existsSync(damagedFile + suffix)) copyFileSync(damagedFile + suffix, copy + suffix);
    }
    applyLog(copy, `${damagedFile}-wal`);
    const database = openRepaired(sqlite, copy);
    return {
      database,
      dispose() {
        database.close();
        removeDatabase(copy);
      },
    };
  } catch (error) {
    removeDatabase(copy);
    throw error;
  }
}

function openRepaired(sqlite: Sqlite, copy: string): DatabaseSync {
  writeFirstPage(copy, (page) => page);
  try {
    return openChecked(sqlite, copy);
  } catch (error) {
    if (error instanceof ForeignSchemaError) throw error;
    return openWithoutFirstPage(sqlite, copy);
  }
}

/** The list of tables is lost, but it is one of two in all files of ours: one was written afresh, or it was not. */
function openWithoutFirstPage(sqlite: Sqlite, copy: string): DatabaseSync {
  const [best = false] = [false, true].toSorted(
    (left, right) => countTables(sqlite, copy, right) - countTables(sqlite, copy, left),
  );
  const template = firstPageOfNewFile(sqlite, `${copy}-template`, best);
  writeFirstPage(copy, () => template);
  return openChecked(sqlite, copy);
}

/** How many tables begin where this list has them. */
function countTables(sqlite: Sqlite, copy: string, isVacuumed: boolean): number {
  const template = firstPageOfNewFile(sqlite, `${copy}-template`, isVacuumed);
  writeFirstPage(copy, () => template);
  const database = new sqlite.DatabaseSync(copy);
  try {
    return userTables.filter((table) => isTable(database, table)).length;
  } finally {
    database.close();
  }
}

function isTable(database: DatabaseSync, table: string): boolean {
  try {
    database.prepare(`SELECT * FROM ${table} LIMIT 1`).get();
    return true;
  } catch {
    return false;
  }
}

function openChecked(sqlite: Sqlite, file: string): DatabaseSync {
  const database = new sqlite.DatabaseSync(file);
  try {
    checkSchema(database);
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

/** Has the header say how long the file really is: SQLite refuses every page of one that is shorter. */
function writeFirstPage(file: string, change: (page: Buffer) => Buffer): void {
  const descriptor = openSync(file, "r+");
  try {
    const old = Buffer.alloc(pageSize);
    readSync(descriptor, old, 0, pageSize, 0);
    const page = Buffer.from(change(old));
    for (const [offset, bytes] of fixedBytes) page.set(bytes, offset);
    page.writeUInt32BE(Math.floor(fstatSync(descriptor).size / pageSize), pageCountOffset);
    page.fill(0, freePagesOffset, freePagesOffset + 8);
    writeSync(descriptor, page, 0, pageSize, 0);
  } finally {
    closeSync(descriptor);
  }
}

/**
 * The first page of a file of ours, with a list of tables so short that it fits: every table begins at the page where
 * all files have it, because SQLite gives those pages out in the order of the schema's steps, and in another one where
 * the file was written afresh.
 */
function firstPageOfNewFile(sqlite: Sqlite, file: string, isVacuumed: boolean): Buffer {
  createPrivateFile(file);
  const model = new sqlite.DatabaseSync(":memory:");
  const database = new sqlite.DatabaseSync(file);
  try {
    model.exec("PRAGMA auto_vacuum = INCREMENTAL");
    createSchema(model);
    if (isVacuumed) model.exec("VACUUM");
    database.exec("PRAGMA auto_vacuum = INCREMENTAL");
    for (const statement of shortSchema(model)) database.exec(statement);
  } finally {
    model.close();
    database.close();
  }
  const page = readFileSync(file).subarray(0, pageSize);
  removeDatabase(file);
  return page;
}

/** Statements that create every table without its constraints, and a stand-in for everything else with pages. */
function shortSchema(model: DatabaseSync): readonly string[] {
  const roots = model.prepare(
    "SELECT name, rootpage FROM sqlite_schema WHERE rootpage > 0 ORDER BY rootpage",
  );
  return roots.all().map((row) => {
    const name = textColumn(row, "name");
    return userTables.includes(name)
      ? `CREATE TABLE ${name} (${shortColumns(model, name)})`
      : `CREATE TABLE p${numberColumn(row, "rootpage")} (a)`;
  });
}

function shortColumns(model: DatabaseSync, table: string): string {
  const columns = model.prepare(`SELECT * FROM pragma_table_info('${table}')`).all();
  return columns
    .map((column) => {
      const name = textColumn(column, "name");
      if (column["pk"] === 1 && column["type"] === "INTEGER") return `${name} INTEGER PRIMARY KEY`;
      const value = textColumn(column, "dflt_value");
      return value === "" ? name : `${name} DEFAULT ${value}`;
    })
    .join(", ");
}

function removeDatabase(file: string): void {
  for (const suffix of databaseSuffixes) rmSync(file + suffix, { force: true });
}
