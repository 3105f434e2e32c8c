import type { DatabaseSync, SQLInputValue, StatementSync } from "node:sqlite";
import { conversationTitle } from "../../core/conversation/conversationTitle.ts";
import { numberColumn, textColumn } from "./messageRow.ts";
import { userTables } from "./schema.ts";
import { isInvalid } from "./sqliteTrouble.ts";

type Row = Readonly<Record<string, SQLInputValue>>;
type UserTable = (typeof userTables)[number];

/**
 * Copies everything that can be read in the source and isn't in the target yet, row by row, in one transaction. Returns
 * the number of messages. The source may be damaged, and isn't changed. Throws SQLite's errors of the target.
 * @param mode `trial`: only counts, and changes nothing.
 */
export function copyConversations(
  source: DatabaseSync,
  target: DatabaseSync,
  mode: "copy" | "trial" = "copy",
): number {
  const before = countMessages(target);
  // Rows may refer to lost rows, and the remaining rows are worth more than the constraint.
  target.exec("PRAGMA foreign_keys = OFF; BEGIN IMMEDIATE");
  try {
    // Other windows notice what is new by its revision.
    target.exec("UPDATE revision SET value = value + 1 WHERE name = 'message'");
    const seqs = new Map<number, number | bigint>();
    for (const table of userTables) copyTable(source, table, createInsert(target, table, seqs));
    repairReferences(target);
    const count = countMessages(target) - before;
    if (mode === "copy") target.exec("COMMIT");
    return count;
  } finally {
    if (target.isTransaction) target.exec("ROLLBACK");
    target.exec("PRAGMA foreign_keys = ON");
  }
}

function countMessages(database: DatabaseSync): number {
  return numberColumn(database.prepare("SELECT count(*) AS count FROM message").get() ?? {}, "count");
}

/** Continues after every damaged part as long as something can be read. */
function copyTable(source: DatabaseSync, table: UserTable, insert: (row: Row) => void): void {
  const rows = prepareRows(source, table);
  let from: number | undefined = rows === undefined ? undefined : 0;
  while (rows !== undefined && from !== undefined) {
    const last = copyRun(rows, from, insert);
    if (last === "end") return;
    from = findReadable(rows, (last ?? from) + 1);
  }
}

/** Undefined if the list of tables can't be read. */
function prepareRows(source: DatabaseSync, table: UserTable): StatementSync | undefined {
  try {
    // The key as a separate column shows how far a run got, whatever the table calls it.
    const key = table === "growth" ? "message_seq" : "rowid";
    const order = table === "growth" ? "message_seq, number" : "rowid";
    return source.prepare(`SELECT ${key} AS "#", * FROM ${table} WHERE ${key} >= ? ORDER BY ${order}`);
  } catch {
    return undefined;
  }
}

/** Returns the last row before a damaged part, or that the table's end was reached. */
function copyRun(rows: StatementSync, from: number, insert: (row: Row) => void): number | "end" | undefined {
  let last: number | undefined;
  const read = rows.iterate(from);
  for (;;) {
    let next: IteratorResult<Row>;
    try {
      next = read.next();
    } catch {
      return last;
    }
    if (next.done === true) return "end";
    insert(next.value);
    last = numberColumn(next.value, "#");
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

function isReadable(rows: StatementSync, key: number): boolean {
  try {
    rows.get(key);
    return true;
  } catch {
    return false;
  }
}

/**
 * Inserts rows that the target doesn't have. A message gets another number if its own is taken, and what belongs to a
 * message that the target has already is left out.
 */
function createInsert(
  target: DatabaseSync,
  table: UserTable,
  seqs: Map<number, number | bigint>,
): (row: Row) => void {
  const columns = target.prepare(`SELECT name FROM pragma_table_info('${table}')`).all();
  const names = columns.map((column) => textColumn(column, "name"));
  const marks = names.map(() => "?").join(", ");
  const statement = target.prepare(`INSERT OR IGNORE INTO ${table} (${names.join(", ")}) VALUES (${marks})`);
  const adapt = createAdapt(target, table, seqs);
  return (row) => {
    const adapted = adapt(row);
    if (adapted === undefined) return;
    try {
      const { changes, lastInsertRowid } = statement.run(...names.map((name) => adapted[name] ?? null));
      if (table === "message" && Number(changes) > 0) seqs.set(numberColumn(row, "seq"), lastInsertRowid);
    } catch (error) {
      // One invalid row must not prevent the others from being recovered, but a full disk must.
      if (!isInvalid(error)) throw error;
    }
  };
}

/** Returns a function that returns the row for the target; undefined if the target doesn't need it. */
function createAdapt(
  target: DatabaseSync,
  table: UserTable,
  seqs: ReadonlyMap<number, number | bigint>,
): (row: Row) => Row | undefined {
  if (table === "message") {
    const isTaken = target.prepare("SELECT 1 FROM message WHERE seq = ?");
    const { value = 0 } = target.prepare("SELECT value FROM revision WHERE name = 'message'").get() ?? {};
    return (row) => ({
      ...row,
      revision: value,
      seq: isTaken.get(numberColumn(row, "seq")) === undefined ? (row["seq"] ?? null) : null,
    });
  }
  if (table === "growth" || table === "message_attachment")
    return (row) => {
      const seq = seqs.get(numberColumn(row, "message_seq"));
      return seq === undefined ? undefined : { ...row, message_seq: seq };
    };
  return (row) => row;
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
    DELETE FROM message_attachment
      WHERE message_seq NOT IN (SELECT seq FROM message) OR hash NOT IN (SELECT hash FROM attachment);
    DELETE FROM draft_attachments
      WHERE (conversation_id, window_id) NOT IN (SELECT conversation_id, window_id FROM draft);
    DELETE FROM attachment WHERE hash NOT IN (SELECT hash FROM message_attachment);`);
}
