import { basename, join, dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import * as v from "valibot";
import { messageOf } from "../../core/kernel/thrown.ts";
import { listBackups } from "../database/backups.ts";
import { copyConversations } from "../database/copyConversations.ts";
import { closeQuietly, openJournaled } from "../database/journal.ts";
import { numberColumn } from "../database/messageRow.ts";
import { checkSchema, createSchema } from "../database/schema.ts";
import { listSetAside } from "../database/setAsideFiles.ts";
import type { Sqlite } from "../database/sqlite.ts";
import { listLeftSpills } from "./spillFile.ts";
import { Tables } from "./tables.ts";
import { takeInSpill } from "./storageUpkeep.ts";

const { array, exactOptional, number, object, picklist, string } = v;

const sourceRule = object({
  kind: picklist(["backup", "setAside", "spill"]),
  /** The file's name. */
  name: string(),
  /** Milliseconds since 1970; missing if its name doesn't say when it was made. */
  madeAt: exactOptional(number()),
  bytes: number(),
  /** How many messages (of a spill file: changes) it would add; missing if nothing in it can be read. */
  adds: exactOptional(number()),
});

const reportRule = object({
  /** What is wrong with the file; missing if it is intact. */
  problem: exactOptional(string()),
  messages: number(),
  /** How many deleted or replaced messages are still in backups or the search index. */
  waiting: number(),
  sources: array(sourceRule),
});

/** A file from which something can be taken over. */
export type StorageSource = v.InferOutput<typeof sourceRule>;

/** The state of the file of the conversations and of the files beside it. */
export type StorageReport = v.InferOutput<typeof reportRule>;

/** Verifies the file and finds out what the files beside it would add. Changes nothing. */
export function checkStorage(sqlite: Sqlite, path: string): StorageReport {
  return withDatabase(sqlite, path, (database) => {
    const result = database.prepare("PRAGMA integrity_check(1)").get()?.["integrity_check"];
    const copies = [
      ...listBackups(path).map((backup) => ({ ...backup, kind: "backup" as const })),
      ...listSetAside(path).map(({ setAsideAt, ...aside }) => ({
        ...{ ...aside, madeAt: setAsideAt, kind: "setAside" as const },
      })),
    ].map(({ path: file, ...copy }) => {
      const adds = tryToCopy(sqlite, file, database, "trial");
      return { ...copy, name: basename(file), ...(adds === undefined ? {} : { adds }) };
    });
    const spills = listLeftSpills(path, true).map(({ path: file, bytes, batches }) => ({
      ...{ kind: "spill" as const, name: basename(file), bytes },
      adds: batches.reduce((sum, { changes }) => sum + changes.length, 0),
    }));
    return {
      ...(result === "ok" ? {} : { problem: String(result) }),
      messages: countRows(database, "message"),
      waiting: countRows(database, "removal") + countRows(database, "search_removal"),
      sources: [...copies, ...spills],
    };
  });
}

/**
 * Takes over what only this file has. Returns the number of messages or changes. Throws SQLite's error.
 * @param source The name of the file.
 */
export function takeOver(sqlite: Sqlite, path: string, source: string): number {
  return withDatabase(sqlite, path, (database) => {
    const file = join(dirname(path), basename(source));
    const spill = listLeftSpills(path, true).find((left) => basename(left.path) === basename(source));
    if (spill === undefined) return tryToCopy(sqlite, file, database, "copy") ?? 0;
    const tables = new Tables(database);
    return takeInSpill(spill, Date.now(), (change) => {
      database.exec("BEGIN IMMEDIATE");
      const count = change(tables);
      database.exec("COMMIT");
      return count;
    });
  });
}

/** Parses a report that was sent by the thread; undefined if it isn't one. */
export function parseReport(value: unknown): StorageReport | undefined {
  const report = v.safeParse(reportRule, value);
  return report.success ? report.output : undefined;
}

function withDatabase<Result>(sqlite: Sqlite, path: string, run: (database: DatabaseSync) => Result): Result {
  const database = openJournaled(sqlite, path);
  try {
    // Another window may be writing for a moment, and nothing else waits for this thread.
    database.exec("PRAGMA busy_timeout = 10000");
    createSchema(database);
    return run(database);
  } finally {
    closeQuietly(database);
  }
}

/** Returns the number of messages; undefined if the file can't be read as a database of ours. */
function tryToCopy(
  sqlite: Sqlite,
  file: string,
  target: DatabaseSync,
  mode: "copy" | "trial",
): number | undefined {
  const source = new sqlite.DatabaseSync(file);
  try {
    checkSchema(source);
    return copyConversations(source, target, mode);
  } catch (error) {
    if (mode === "copy") throw new Error(messageOf(error), { cause: error });
    return undefined;
  } finally {
    closeQuietly(source);
  }
}

function countRows(database: DatabaseSync, table: string): number {
  return numberColumn(database.prepare(`SELECT count(*) AS count FROM ${table}`).get() ?? {}, "count");
}
