import type { DatabaseSync, SQLInputValue } from "node:sqlite";
import { MemoryFile } from "../database/databaseFile.ts";
import { loadSqlite } from "../database/sqlite.ts";
import { conversationOf, Tables } from "./tables.ts";
import type { Change } from "./tables.ts";

/** The rows of a conversation that are needed, by table: each selects by the conversation's ID. */
const parts = {
  head: { conversation: "id = ?" },
  messages: {
    conversation: "id = ?",
    message: "conversation_id = ?",
    growth: "message_seq IN (SELECT seq FROM message WHERE conversation_id = ?)",
    attachment: `hash IN (
      SELECT hash FROM message_attachment JOIN message ON seq = message_seq WHERE conversation_id = ?)`,
    message_attachment: "message_seq IN (SELECT seq FROM message WHERE conversation_id = ?)",
    // Says which windows are alive.
    claim: "kind = 'window' AND ? IS NOT NULL",
  },
  // Neither is read of a deleted conversation.
  drafts: {
    conversation: "id = ?",
    draft: "conversation_id = ?",
    draft_attachments: "conversation_id = ?",
  },
  queue: {
    conversation: "id = ?",
    queued_message: "conversation_id = ?",
    claim: "kind = 'queued' AND key LIKE ? || ' %'",
    // A message that was sent isn't in the queue anymore.
    message: "conversation_id = ?1 AND id IN (SELECT id FROM queued_message WHERE conversation_id = ?1)",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What of a conversation is read. */
export type ConversationPart = keyof typeof parts;

interface Overlay {
  /** The database that can't be written; undefined if it can't be opened either. */
  readonly stored: DatabaseSync | undefined;
  readonly part: ConversationPart;
  readonly ids: ReadonlySet<string>;
  /** What the database doesn't have. */
  readonly changes: readonly Change[];
  readonly windowId: string;
}

/**
 * Reads conversations as they will be once everything pending is written: in a copy in memory of what is stored of them,
 * with the same statements as otherwise.
 */
export function readOverlaid<Result>(
  { stored, part, ids, changes, windowId }: Overlay,
  read: (tables: Tables) => Result,
): Result {
  const { database } = new MemoryFile(loadSqlite()).open();
  try {
    database.exec("PRAGMA foreign_keys = OFF");
    if (stored !== undefined) for (const id of ids) copyPart(stored, database, part, id);
    database.exec("PRAGMA foreign_keys = ON");
    const tables = new Tables(database);
    for (const change of changes) if (ids.has(conversationOf(change))) tables.apply(change, windowId);
    return read(tables);
  } finally {
    database.close();
  }
}

/** What can't be read is missing, and what is pending is still there. */
function copyPart(source: DatabaseSync, target: DatabaseSync, part: ConversationPart, id: string): void {
  try {
    for (const [table, condition] of Object.entries(parts[part]))
      for (const row of source.prepare(`SELECT * FROM ${table} WHERE ${condition}`).all(id))
        insert(target, table, row);
  } catch {
    return;
  }
}

function insert(target: DatabaseSync, table: string, row: Readonly<Record<string, SQLInputValue>>): void {
  const names = Object.keys(row);
  target
    .prepare(
      `INSERT OR REPLACE INTO ${table} (${names.join(", ")}) VALUES (${names.map(() => "?").join(", ")})`,
    )
    .run(...Object.values(row));
}
