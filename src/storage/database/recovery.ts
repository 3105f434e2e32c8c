import { t } from "@vscode/l10n";
import { utimesSync } from "node:fs";
import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { Worker } from "node:worker_threads";
import { conversationTitle } from "../../core/conversation/conversationTitle.ts";
import { isRecord } from "../../core/kernel/json.ts";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { numberColumn, textColumn } from "./messageRow.ts";
import { openReadableCopy } from "./readableCopy.ts";
import type { ReadableCopy } from "./readableCopy.ts";
import { userTables } from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";
import { BusyError } from "./sqliteTrouble.ts";

/** Milliseconds between two signs of life of a running recovery. */
const signMs = 5_000;

/** Recovers a damaged file in a thread, so that the extension host stays responsive. */
export class ThreadedRecovery {
  readonly #thread: string | URL;
  #worker: Worker | undefined;
  /** Why the last attempt failed, until a caller has received the error. */
  #failure: unknown;

  /** @param thread Path of the built `recoveryThread`. */
  constructor(thread: string | URL) {
    this.#thread = thread;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /**
   * Starts the recovery unless it is running, and throws a BusyError: the file can be opened later. Throws the error of
   * the last attempt if it failed.
   * @param mark The file that keeps other windows from recovering at the same time.
   */
  start(path: string, damagedId: string, mark: string, onRecovery: (recovery: Recovery) => void): never {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
    if (this.#worker === undefined) this.#run({ path, damagedId }, mark, onRecovery);
    throw new BusyError(t("the damaged file is being recovered"));
  }

  #run(
    task: { readonly path: string; readonly damagedId: string },
    mark: string,
    onRecovery: (recovery: Recovery) => void,
  ): void {
    const worker = new Worker(this.#thread, { workerData: task, execArgv: [] });
    const timer = setInterval(() => touch(mark), signMs);
    this.#worker = worker;
    worker.on("message", (message: unknown) => {
      const recovery = parseRecovery(message);
      if (recovery !== undefined) onRecovery(recovery);
    });
    worker.on("error", (error) => (this.#failure = error));
    worker.on("exit", () => {
      clearInterval(timer);
      this.#worker = undefined;
    });
  }
}

function parseRecovery(value: unknown): Recovery | undefined {
  if (!isRecord(value)) return undefined;
  const { aside, count, isLost } = value;
  return typeof aside === "string" && typeof count === "number" && typeof isLost === "boolean"
    ? { aside, count, isLost }
    : undefined;
}

function touch(mark: string): void {
  const now = new Date();
  try {
    utimesSync(mark, now, now);
  } catch {
    // The thread has just finished.
  }
}

/** How the file was recovered. */
export interface Recovery {
  /** Path of the file that was set aside, without the suffix of its log. */
  readonly aside: string;
  /** The number of messages that could be recovered. */
  readonly count: number;
  /** Whether only the log was left. */
  readonly isLost: boolean;
}

type Row = Readonly<Record<string, SQLInputValue>>;

/**
 * Copies whatever can be read of a damaged file into a new one, row by row. Returns the number of messages; 0 if the
 * file is no longer a database. The damaged file isn't changed.
 */
export function copyReadableRows(sqlite: Sqlite, damagedFile: string, target: DatabaseSync): number {
  let source: ReadableCopy | undefined;
  // Rows may refer to lost rows, and the remaining rows are worth more than the constraint.
  target.exec("PRAGMA foreign_keys = OFF");
  try {
    source = openReadableCopy(sqlite, damagedFile);
    target.exec("BEGIN");
    for (const table of userTables) copyTable(source.database, target, table);
    repairReferences(target);
    target.exec("COMMIT");
  } catch {
    // Either no longer a database, or another program's database.
    if (target.isTransaction) target.exec("ROLLBACK");
  } finally {
    target.exec("PRAGMA foreign_keys = ON");
    source?.dispose();
  }
  return numberColumn(target.prepare("SELECT count(*) AS count FROM message").get() ?? {}, "count");
}

/** Continues after every damaged part as long as something can be read. */
function copyTable(source: DatabaseSync, target: DatabaseSync, table: string): void {
  const rows = prepareRows(source, table);
  if (rows === undefined) return;
  const insert = insertInto(target, table);
  let from: number | undefined = 0;
  while (from !== undefined) {
    const last = copyRun(rows, from, insert);
    if (last === "end") return;
    from = findReadable(rows, (last ?? from) + 1);
  }
}

/** Undefined if an older file doesn't have this table. */
function prepareRows(source: DatabaseSync, table: string): StatementSync | undefined {
  try {
    // The rowid as a separate column shows how far a run got, whatever the table calls its key.
    return source.prepare(`SELECT rowid AS "#", * FROM ${table} WHERE rowid >= ? ORDER BY rowid`);
  } catch {
    return undefined;
  }
}

/** Returns the last row before a damaged part, or that the table's end was reached. */
function copyRun(rows: StatementSync, from: number, insert: (row: Row) => void): number | "end" | undefined {
  let last: number | undefined;
  try {
    for (const row of rows.iterate(from)) {
      insert(row);
      last = numberColumn(row, "#");
    }
    return "end";
  } catch {
    return last;
  }
}

/**
 * The first row after a damaged part, found in steps that grow with the part, so that readable rows inside it may be
 * skipped if they make up less than a sixteenth of it. Undefined if there are no more rows.
 */
function findReadable(rows: StatementSync, start: number): number | undefined {
  let damaged = start - 1;
  for (let at = start; at < Number.MAX_SAFE_INTEGER; at += 1 + Math.floor((at - start) / 16)) {
    if (isReadable(rows, at)) return firstReadable(rows, damaged, at);
    damaged = at;
  }
  return undefined;
}

function firstReadable(rows: StatementSync, damaged: number, readable: number): number {
  while (readable - damaged > 1) {
    const middle = Math.floor((damaged + readable) / 2);
    if (isReadable(rows, middle)) readable = middle;
    else damaged = middle;
  }
  return readable;
}

function isReadable(rows: StatementSync, rowid: number): boolean {
  try {
    rows.get(rowid);
    return true;
  } catch {
    return false;
  }
}

function insertInto(target: DatabaseSync, table: string): (row: Row) => void {
  const known = target.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
  const names = known.map((column) => textColumn(column, "name"));
  return (row) => {
    const present = names.filter((name) => row[name] !== undefined);
    const values = present.map((name) => row[name] ?? null);
    const marks = present.map(() => "?").join(", ");
    try {
      target
        .prepare(`INSERT OR IGNORE INTO ${table} (${present.join(", ")}) VALUES (${marks})`)
        .run(...values);
    } catch {
      // One invalid row must not prevent the others from being recovered.
    }
  };
}

/** Creates conversations for messages that don't have one, and removes what doesn't belong to anything. */
function repairReferences(target: DatabaseSync): void {
  const orphans = target
    .prepare(
      `SELECT conversation_id, min(created_at) AS first, max(created_at) AS last FROM message
       WHERE conversation_id NOT IN (SELECT id FROM conversation) GROUP BY conversation_id`,
    )
    .all();
  const firstQuestion = target.prepare(
    "SELECT text FROM message WHERE conversation_id = ? AND role = 'user' ORDER BY seq LIMIT 1",
  );
  const insert = target.prepare(
    "INSERT INTO conversation (id, title, created_at, updated_at) VALUES (?, ?, ?, ?)",
  );
  for (const row of orphans) {
    const id = textColumn(row, "conversation_id");
    const title = conversationTitle(textColumn(firstQuestion.get(id) ?? {}, "text"));
    insert.run(id, title, numberColumn(row, "first"), numberColumn(row, "last"));
  }
  target.exec(`
    DELETE FROM message_chunk WHERE message_seq NOT IN (SELECT seq FROM message);
    DELETE FROM message_attachment
      WHERE message_seq NOT IN (SELECT seq FROM message) OR hash NOT IN (SELECT hash FROM attachment);
    DELETE FROM draft_attachment
      WHERE conversation_id NOT IN (SELECT conversation_id FROM draft) OR hash NOT IN (SELECT hash FROM attachment);
    DELETE FROM attachment
      WHERE hash NOT IN (SELECT hash FROM message_attachment UNION SELECT hash FROM draft_attachment);`);
}

/** @param days How long the file that was set aside is kept. */
export function recoverySentence({ aside, count, isLost }: Recovery, days: number): string {
  return isLost
    ? t(
        "The conversation file was missing or empty, but its log wasn't. The log has been set aside as {0}. {1} It is deleted after {2} days, because it may contain content that you delete in the meantime.",
        ...[`${aside}-wal`, keptOf(count), String(days)],
      )
    : t(
        "The conversation file was damaged and has been set aside as {0}. {1} The damaged file is deleted after {2} days, because it may contain content that you delete in the meantime.",
        ...[aside, keptOf(count), String(days)],
      );
}

function keptOf(messageCount: number): string {
  if (messageCount === 0) return t("No messages could be recovered from it.");
  return messageCount === 1
    ? t("1 message was recovered from it.")
    : t("{0} messages were recovered from it.", formatNumber(messageCount));
}
