import { t } from "@vscode/l10n";
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
import { copyFile, open, rm, stat } from "node:fs/promises";
import type { DatabaseSync } from "node:sqlite";
import { setTimeout } from "node:timers/promises";
import { applyLog, logHeaderSize } from "../files/logFile.ts";
import { createPrivateFile } from "../files/privateFile.ts";
import { databaseSuffixes } from "./journal.ts";
import { numberColumn, textColumn } from "./messageRow.ts";
import {
  checkSchema,
  createSchema,
  createVacuumedSchema,
  ForeignSchemaError,
  userTables,
  vacuumedVersions,
} from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";

/** SQLite's default, which all of our files use. The first page contains the header and the list of tables. */
const pageSize = 4096;
/** Offset of the page count in the header, as defined by SQLite's file format: 32 bits, big-endian. */
const pageCountOffset = 28;
/** Offset of the first page of the free-page list, followed by the number of free pages. */
const freePagesOffset = 32;

/** Other header bytes that all of our files have in common, by offset: the format, and UTF-8 as the text encoding. */
const fixedBytes: readonly (readonly [number, readonly number[]])[] = [
  [0, [...Buffer.from("SQLite format 3\0")]],
  [16, [pageSize >> 8, pageSize & 0xff]],
  // Readable and writable without a log, because the copy already contains the log's pages.
  [18, [1, 1]],
  [20, [0, 64, 32, 32]],
  [44, [0, 0, 0, 4]],
  [56, [0, 0, 0, 1]],
];

/** A copy of a damaged file that SQLite can open. */
export interface ReadableCopy {
  readonly database: DatabaseSync;
  /** Closes and deletes the copy. */
  dispose(): void;
}

/** Copies the file and repairs whatever keeps SQLite from reading the rest. Throws if that fails. */
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

/** The version of the schema at which a file was vacuumed; undefined if it never was. */
type VacuumedVersion = number | undefined;

/**
 * The list of tables is lost, but our files have only a few possible ones, depending on whether and when the file was
 * vacuumed.
 */
function openWithoutFirstPage(sqlite: Sqlite, copy: string): DatabaseSync {
  const layouts: readonly VacuumedVersion[] = [undefined, ...vacuumedVersions];
  const counted = layouts.map((layout) => ({ layout, count: countTables(sqlite, copy, layout) }));
  const best = counted.toSorted((left, right) => right.count - left.count)[0]?.layout;
  const template = firstPageOfNewFile(sqlite, `${copy}-template`, best);
  writeFirstPage(copy, () => template);
  return openChecked(sqlite, copy);
}

/** Counts the tables that start at the page where this list has them. */
function countTables(sqlite: Sqlite, copy: string, vacuumedAt: VacuumedVersion): number {
  const template = firstPageOfNewFile(sqlite, `${copy}-template`, vacuumedAt);
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

/** Corrects the page count in the header: SQLite rejects every page of a file that is shorter than it says. */
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
 * The first page of a new file, with a list of tables short enough to fit on it. Every table starts at the same page in
 * all of our files, because SQLite assigns pages in the order of the schema's steps; a vacuumed file has a different
 * order.
 */
function firstPageOfNewFile(sqlite: Sqlite, file: string, vacuumedAt: VacuumedVersion): Buffer {
  createPrivateFile(file);
  const model = new sqlite.DatabaseSync(":memory:");
  const database = new sqlite.DatabaseSync(file);
  try {
    model.exec("PRAGMA auto_vacuum = INCREMENTAL");
    if (vacuumedAt === undefined) createSchema(model);
    else createVacuumedSchema(model, vacuumedAt);
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

/** Statements that create every table without its constraints, and a placeholder for everything else that has pages. */
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

/**
 * How often a database is copied until nothing is moved in it meanwhile. In a long series of writes, that may take many
 * attempts, and without a log, every write is one too many.
 */
const copyAttempts = 20;
const copyPauseMs = 50;
/** Milliseconds after which no further attempt is made: each of a large file on a slow network takes long. */
const longestCopyingMs = 10_000;

/**
 * Copies a database with its logs, which may be in use. Rejects if there is none, or if others keep writing to it, with
 * the end of a sentence for the user. No program may have the copy open.
 * @param copy Where to copy it; an older copy there is replaced.
 */
export async function copyDatabase(path: string, copy: string): Promise<void> {
  const end = performance.now() + longestCopyingMs;
  for (let attempt = 1; attempt <= copyAttempts; attempt++) {
    const before = await readLogPass(path);
    await copyFiles(path, copy);
    if ((await readLogPass(path)) === before) return;
    if (performance.now() > end) break;
    await setTimeout(copyPauseMs);
  }
  throw new Error(t("another program keeps writing to it"));
}

async function copyFiles(path: string, copy: string): Promise<void> {
  for (const suffix of databaseSuffixes) {
    await rm(copy + suffix, { force: true });
    // The log's index is only valid for those who have the file open.
    if (suffix === "-shm") continue;
    const copied = copyFile(path + suffix, copy + suffix);
    // Only the database itself is always there.
    await (suffix === "" ? copied : copied.catch(() => undefined));
  }
}

/**
 * What differs once the log was emptied or rewritten from its start. A copy of the database from before and a copy of
 * the log from after that would lack what was moved from one to the other in between. As long as that hasn't happened,
 * the log has everything that the database may lack. Without a log, any change of the database counts.
 */
async function readLogPass(path: string): Promise<string> {
  const log = await open(`${path}-wal`).catch(() => undefined);
  try {
    const { bytesRead = 0, buffer } =
      (await log?.read(Buffer.alloc(logHeaderSize), 0, logHeaderSize, 0)) ?? {};
    if (bytesRead > 0) return buffer?.toString("hex") ?? "";
  } finally {
    await log?.close();
  }
  const { mtimeNs, size } = await stat(path, { bigint: true });
  return `${mtimeNs} ${size}`;
}
