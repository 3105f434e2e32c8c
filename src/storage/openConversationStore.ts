import { chmodSync, existsSync, mkdirSync, renameSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { ConversationStore } from "../core/conversationStore.ts";
import { ServiceError } from "../core/errors.ts";
import { copyReadableRows } from "./recovery.ts";
import { NewerSchemaError, migrate } from "./schema.ts";
import { SqliteConversationStore } from "./sqliteConversationStore.ts";
import type { StoreOptions } from "./sqliteConversationStore.ts";

type Sqlite = typeof import("node:sqlite");

/**
 * Opens the conversations in this file, creating it where there is none. A damaged file is set aside, what can be
 * read of it is taken over, and `onProblem` says so.
 *
 * Throws a ServiceError `configuration` where the host has no SQLite or a newer version has written the file.
 */
export async function openConversationStore(file: string, options: StoreOptions): Promise<ConversationStore> {
  const sqlite = await loadSqlite();
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
  const database = openOrRecover(sqlite, file, options);
  chmodSync(file, 0o600);
  return new SqliteConversationStore(database, options);
}

async function loadSqlite(): Promise<Sqlite> {
  try {
    return await import("node:sqlite");
  } catch (error) {
    throw new ServiceError(
      {
        reason: "configuration",
        message: "This VS Code has no SQLite (node:sqlite), so conversations can't be kept. Update VS Code.",
      },
      error,
    );
  }
}

function openOrRecover(sqlite: Sqlite, file: string, options: StoreOptions): DatabaseSync {
  try {
    return openDatabase(sqlite, file);
  } catch (error) {
    if (error instanceof NewerSchemaError) throw newerSchema(error);
    if (!isDamage(error)) throw cannotOpen(file, error);
    return recover(sqlite, file, options);
  }
}

function openDatabase(sqlite: Sqlite, file: string): DatabaseSync {
  const database = new sqlite.DatabaseSync(file, { enableForeignKeyConstraints: true });
  try {
    // A window that writes holds the file for milliseconds; longer than this must not hang the extension host.
    database.exec("PRAGMA busy_timeout = 500");
    // With the write-ahead log NORMAL loses nothing when the process is killed.
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    migrate(database);
    const check = database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
    if (check !== "ok") throw new DamagedError(String(check));
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}

class DamagedError extends Error {}

/** SQLITE_CORRUPT is 11, SQLITE_NOTADB is 26; SQLITE_ERROR (1) is a schema that isn't ours. */
function isDamage(error: unknown): boolean {
  if (error instanceof DamagedError) return true;
  if (!(error instanceof Error) || !("errcode" in error) || typeof error.errcode !== "number") return false;
  return [1, 11, 26].includes(error.errcode & 0xff);
}

function recover(sqlite: Sqlite, file: string, options: StoreOptions): DatabaseSync {
  const aside = `${file}.damaged-${options.now()}`;
  for (const suffix of ["", "-wal", "-shm"]) {
    if (existsSync(file + suffix)) renameSync(file + suffix, aside + suffix);
  }
  const database = openDatabase(sqlite, file);
  const count = copyReadableRows(sqlite, aside, database);
  options.onProblem(
    `The conversations on disk were damaged. The damaged file is kept as ${aside}; ` +
      `${count} ${count === 1 ? "message" : "messages"} could be recovered from it.`,
  );
  return database;
}

function newerSchema(cause: unknown): ServiceError {
  return new ServiceError(
    {
      reason: "configuration",
      message:
        "A newer version of Inference Gateway has written the conversations on disk. Update the extension to open them; nothing was changed.",
    },
    cause,
  );
}

function cannotOpen(file: string, cause: unknown): ServiceError {
  const words = cause instanceof Error ? cause.message : "unknown error";
  return new ServiceError(
    { reason: "configuration", message: `The conversations in ${file} can't be opened: ${words}.` },
    cause,
  );
}
