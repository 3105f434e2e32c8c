import type { DatabaseSync } from "node:sqlite";
import { schemaSteps } from "./schemaSteps.ts";
import { DamagedError } from "./sqliteTrouble.ts";

/** The numbers of steps after which a file may have been vacuumed, which changes the order of the tables in it. */
export const vacuumedVersions: readonly number[] = [5, 6, schemaSteps.length];

/** Every table that contains user data, referenced tables first. */
export const userTables: readonly string[] = [
  "conversation",
  "message",
  "message_chunk",
  "attachment",
  "message_attachment",
  "draft",
  "draft_attachment",
  "other_draft",
  "queued_message",
];

/** A newer version of the extension has written the file, so this one must not change it. */
export class NewerSchemaError extends Error {}

/** The file is intact, but its tables weren't created by this extension. */
export class ForeignSchemaError extends DamagedError {}

/** Throws a DamagedError if the list of tables is lost, and a ForeignSchemaError if it is a different one. */
export function checkSchema(database: DatabaseSync): void {
  const columns = database.prepare("SELECT name FROM pragma_table_info('message')").all();
  if (columns.some(({ name }) => name === "seq")) return;
  const tables = tablesOf(database);
  if (columns.length > 0 || (tables.length > 0 && !tables.some((name) => userTables.includes(name))))
    throw new ForeignSchemaError("The tables are unknown.");
  throw new DamagedError("The table of messages is missing.");
}

function tablesOf(database: DatabaseSync): readonly string[] {
  const rows = database.prepare("SELECT name FROM sqlite_schema WHERE type = 'table'").all();
  return rows.map(({ name }) => String(name));
}

/** Creates the current schema in an empty database that is vacuumed after this number of steps. */
export function createVacuumedSchema(database: DatabaseSync, version: number): void {
  for (const step of schemaSteps.slice(0, version)) database.exec(step);
  database.exec("VACUUM");
  for (const step of schemaSteps.slice(version)) database.exec(step);
}

/** Upgrades the database, which may be empty, to the current schema. Two windows may do so at the same time. */
export function createSchema(database: DatabaseSync): void {
  const version = schemaVersion(database);
  if (version > schemaSteps.length) throw new NewerSchemaError();
  if (version < schemaSteps.length) migrate(database);
}

function migrate(database: DatabaseSync): void {
  database.exec("BEGIN IMMEDIATE");
  try {
    // Read again, because another window may have upgraded the file while this one waited for it.
    const version = schemaVersion(database);
    if (version > schemaSteps.length) throw new NewerSchemaError();
    // Other programs leave the number at 0, but not the file empty.
    if (version > 0 || tablesOf(database).length > 0) checkSchema(database);
    for (const step of schemaSteps.slice(version)) database.exec(step);
    database.exec(`PRAGMA user_version = ${schemaSteps.length}; COMMIT`);
  } catch (error) {
    database.exec("ROLLBACK");
    throw error;
  }
}

function schemaVersion(database: DatabaseSync): number {
  const version = database.prepare("PRAGMA user_version").get()?.["user_version"];
  return typeof version === "number" ? version : 0;
}
