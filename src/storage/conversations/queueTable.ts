import type { DatabaseSync } from "node:sqlite";
import type { QueueChange, QueuedMessage } from "../../core/conversation/conversationStore.ts";
import { parseContentParts } from "../../core/conversation/messageDetails.ts";
import { assertNever } from "../../core/kernel/assertNever.ts";
import { parseJson } from "../../core/kernel/json.ts";
import { storable, textColumn } from "../database/messageRow.ts";
import { takenForMs } from "./claimTable.ts";
import type { ClaimTable } from "./claimTable.ts";

/** The queues in an open database. Call it inside a transaction. */
export class QueueTable {
  readonly #statements: ReturnType<typeof prepareQueue>;
  readonly #claims: ClaimTable;

  constructor(database: DatabaseSync, claims: ClaimTable) {
    this.#statements = prepareQueue(database);
    this.#claims = claims;
  }

  /**
   * The messages that wait to be sent. A message that was sent isn't included, even if its window was killed before
   * removing it.
   */
  read(conversationId: string, now: number): readonly QueuedMessage[] {
    return this.#statements.list.all(conversationId, now, now + 2 * takenForMs).map((row) => ({
      id: textColumn(row, "id"),
      text: textColumn(row, "text"),
      attachments: parseContentParts(parseJson(row["attachments"])),
    }));
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
        this.#claims.release("queued", claimKey(conversationId, change.id));
        return;
      case "order":
        for (const [position, id] of change.ids.entries()) statements.place.run(position, conversationId, id);
        return;
      case "release":
        this.#claims.release("queued", claimKey(conversationId, change.id));
        return;
      default:
        assertNever(change);
    }
  }

  /** Returns whether the message was still there and no other window had taken it. */
  take(conversationId: string, id: string, now: number): boolean {
    if (this.#statements.find.get(conversationId, id) === undefined) return false;
    return this.#claims.take("queued", claimKey(conversationId, id), now, takenForMs);
  }

  /** The conversation is permanently deleted. */
  removeAll(conversationId: string): void {
    this.#statements.removeAll.run(conversationId);
  }
}

function claimKey(conversationId: string, id: string): string {
  return `${conversationId} ${id}`;
}

function prepareQueue(database: DatabaseSync) {
  const waiting = `
    FROM queued_message AS queued
    WHERE conversation_id = ?
      AND NOT EXISTS (
        SELECT 1 FROM claim
        WHERE kind = 'queued' AND key = queued.conversation_id || ' ' || queued.id AND until > ? AND until <= ?)
      AND NOT EXISTS (
        SELECT 1 FROM message WHERE conversation_id = queued.conversation_id AND id = queued.id)
      AND NOT EXISTS (
        SELECT 1 FROM conversation WHERE id = queued.conversation_id AND deleted_at IS NOT NULL)
    ORDER BY position, rowid`;
  return {
    list: database.prepare(`SELECT id, text, attachments ${waiting}`),
    add: database.prepare(`
      INSERT OR IGNORE INTO queued_message (conversation_id, id, text, attachments, position)
      SELECT ?1, ?2, ?3, ?4, coalesce(max(position), 0) + 1 FROM queued_message WHERE conversation_id = ?1`),
    edit: database.prepare(
      "UPDATE queued_message SET text = ?, attachments = ? WHERE conversation_id = ? AND id = ?",
    ),
    remove: database.prepare("DELETE FROM queued_message WHERE conversation_id = ? AND id = ?"),
    removeAll: database.prepare("DELETE FROM queued_message WHERE conversation_id = ?"),
    place: database.prepare("UPDATE queued_message SET position = ? WHERE conversation_id = ? AND id = ?"),
    find: database.prepare(`
      SELECT 1 FROM queued_message AS queued WHERE conversation_id = ? AND id = ?
        AND NOT EXISTS (SELECT 1 FROM message WHERE conversation_id = queued.conversation_id AND id = queued.id)`),
  };
}
