import type { DatabaseSync } from "node:sqlite";
import type { QueueChange, QueueStore, QueuedMessage } from "../../core/conversation/conversationStore.ts";
import { parseContentParts } from "../../core/conversation/messageDetails.ts";
import { assertNever } from "../../core/kernel/assertNever.ts";
import { parseJson } from "../../core/kernel/json.ts";
import { storable, textColumn } from "../database/messageRow.ts";

/**
 * How long a message belongs to the window that has taken it, in milliseconds. The window saves the sent message a
 * moment later, unless it is killed.
 */
const takenForMs = 10_000;

/** The queues in an open database. Call it inside a transaction. */
export class QueueTable {
  readonly #statements: ReturnType<typeof prepareQueue>;

  constructor(database: DatabaseSync) {
    this.#statements = prepareQueue(database);
  }

  /**
   * The messages that wait to be sent. A message that was sent isn't included, even if its window was killed before
   * removing it.
   */
  read(conversationId: string, now: number): readonly QueuedMessage[] {
    return this.#statements.list.all(conversationId, now - takenForMs, now).map((row) => ({
      id: textColumn(row, "id"),
      text: textColumn(row, "text"),
      attachments: parseContentParts(parseJson(row["attachments"])),
    }));
  }

  /** Changes whenever the result of `read` may have changed, and is read without the messages themselves. */
  state(conversationId: string, now: number): string {
    return JSON.stringify(this.#statements.revisions.all(conversationId, now - takenForMs, now));
  }

  change(conversationId: string, change: QueueChange): void {
    const statements = this.#statements;
    switch (change.type) {
      case "add": {
        const { id, text, attachments } = change.message;
        statements.add.run(conversationId, id, storable(text), JSON.stringify(attachments));
        return;
      }
      case "edit": {
        const { id, text, attachments } = change.message;
        statements.edit.run(storable(text), JSON.stringify(attachments), conversationId, id);
        return;
      }
      case "remove":
        statements.remove.run(conversationId, change.id);
        return;
      case "order":
        for (const [position, id] of change.ids.entries()) statements.place.run(position, conversationId, id);
        return;
      case "release":
        statements.release.run(conversationId, change.id);
        return;
      default:
        assertNever(change);
    }
  }

  /** Returns whether the message was still there and no other window had taken it. */
  take(conversationId: string, id: string, now: number): boolean {
    return Number(this.#statements.take.run(now, conversationId, id, now - takenForMs, now).changes) > 0;
  }

  /** The conversation is permanently deleted. */
  removeAll(conversationId: string): void {
    this.#statements.removeAll.run(conversationId);
  }
}

interface StoredQueuesContext {
  /** Milliseconds since 1970. */
  now(): number;
  read<Result>(read: (table: QueueTable) => Result): Result;
  /** Adds the change to the next transaction. */
  add(change: (table: QueueTable) => void): void;
  /** Resolves to whether everything added so far is on disk. */
  persist(): Promise<boolean>;
  /** The file's version, which changes whenever another window has written; undefined while changes are pending. */
  version(): number | undefined;
}

/** The queues of all conversations in a file that several windows have open. */
export class StoredQueues implements QueueStore {
  readonly #context: StoredQueuesContext;
  /** The version of the file and the state of the queue at the last check, by conversation. */
  readonly #looks = new Map<string, { readonly version: number; readonly state: string }>();

  constructor(context: StoredQueuesContext) {
    this.#context = context;
  }

  loadQueue(conversationId: string): readonly QueuedMessage[] {
    return this.#context.read((table) => table.read(conversationId, this.#context.now()));
  }

  loadNewQueue(conversationId: string): readonly QueuedMessage[] | undefined {
    const version = this.#context.version();
    const before = this.#looks.get(conversationId);
    if (version === undefined || before?.version === version) return undefined;
    const state = this.#context.read((table) => table.state(conversationId, this.#context.now()));
    this.#looks.set(conversationId, { version, state });
    return before?.state === state ? undefined : this.loadQueue(conversationId);
  }

  changeQueue(conversationId: string, change: QueueChange): void {
    this.#context.add((table) => table.change(conversationId, change));
  }

  async takeQueued(conversationId: string, id: string): Promise<boolean> {
    const state = { isGivenUp: false, isTaken: false };
    this.#context.add((table) => {
      if (!state.isGivenUp) state.isTaken = table.take(conversationId, id, this.#context.now());
    });
    if (await this.#context.persist()) return state.isTaken;
    // The change may still be pending and must not take the message later.
    state.isGivenUp = true;
    return false;
  }
}

function prepareQueue(database: DatabaseSync) {
  // A clock that was set back must not hide a message for long.
  const isFree = "(taken_at IS NULL OR taken_at NOT BETWEEN ? AND ?)";
  const waiting = `
    FROM queued_message AS queued
    WHERE conversation_id = ? AND ${isFree}
      AND NOT EXISTS (
        SELECT 1 FROM message WHERE conversation_id = queued.conversation_id AND id = queued.id)
      AND NOT EXISTS (
        SELECT 1 FROM conversation WHERE id = queued.conversation_id AND deleted_at IS NOT NULL)
    ORDER BY position, rowid`;
  return {
    list: database.prepare(`SELECT id, text, attachments ${waiting}`),
    revisions: database.prepare(`SELECT id, revision ${waiting}`),
    add: database.prepare(`
      INSERT OR IGNORE INTO queued_message (conversation_id, id, text, attachments, position)
      SELECT ?1, ?2, ?3, ?4, coalesce(max(position), 0) + 1 FROM queued_message WHERE conversation_id = ?1`),
    edit: database.prepare(
      "UPDATE queued_message SET text = ?, attachments = ? WHERE conversation_id = ? AND id = ?",
    ),
    remove: database.prepare("DELETE FROM queued_message WHERE conversation_id = ? AND id = ?"),
    removeAll: database.prepare("DELETE FROM queued_message WHERE conversation_id = ?"),
    place: database.prepare("UPDATE queued_message SET position = ? WHERE conversation_id = ? AND id = ?"),
    release: database.prepare(
      "UPDATE queued_message SET taken_at = NULL WHERE conversation_id = ? AND id = ?",
    ),
    take: database.prepare(
      `UPDATE queued_message SET taken_at = ? WHERE conversation_id = ? AND id = ? AND ${isFree}`,
    ),
  };
}
