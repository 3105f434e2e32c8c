import type { DatabaseSync } from "node:sqlite";
import type { QueueChange, QueuedMessage } from "../../core/conversation/conversationStore.ts";
import { assertNever } from "../../core/kernel/assertNever.ts";
import { statementsOf } from "../database/journal.ts";
import { storable, textColumn } from "../database/messageRow.ts";
import { takenForMs } from "./claimTable.ts";
import type { ClaimTable } from "./claimTable.ts";
import { parseDraft, quotesColumn } from "./draftTable.ts";

/** The queues in an open database. Call it inside a transaction. */
export class QueueTable {
  readonly #sql: ReturnType<typeof statementsOf>;
  readonly #claims: ClaimTable;

  constructor(database: DatabaseSync, claims: ClaimTable) {
    this.#sql = statementsOf(database);
    this.#claims = claims;
  }

  /**
   * The messages that wait to be sent. A message that was sent isn't included, even if its window was killed before
   * removing it.
   */
  read(conversationId: string, now: number): readonly QueuedMessage[] {
    const rows = this.#sql(
      `
      SELECT id, text, attachments, quotes FROM queued_message AS queued
      WHERE conversation_id = ?
        AND NOT EXISTS (
          SELECT 1 FROM claim
          WHERE kind = 'queued' AND key = queued.conversation_id || ' ' || queued.id AND until > ? AND until <= ?)
        AND ${isUnsent}
        AND NOT EXISTS (
          SELECT 1 FROM conversation WHERE id = queued.conversation_id AND deleted_at IS NOT NULL)
      ORDER BY position, rowid`,
    ).all(conversationId, now, now + 2 * takenForMs);
    return rows.map((row) => ({ id: textColumn(row, "id"), ...parseDraft(row) }));
  }

  change(conversationId: string, change: QueueChange): void {
    switch (change.type) {
      case "add": {
        const { id, text, attachments } = change.message;
        return void this.#sql(
          `
          INSERT OR IGNORE INTO queued_message (conversation_id, id, text, attachments, quotes, position)
          SELECT ?1, ?2, ?3, ?4, ?5, coalesce(max(position), 0) + 1 FROM queued_message WHERE conversation_id = ?1`,
        ).run(
          ...[conversationId, id, storable(text), JSON.stringify(attachments), quotesColumn(change.message)],
        );
      }
      case "edit": {
        const { id, text, attachments } = change.message;
        return void this.#sql(
          "UPDATE queued_message SET text = ?, attachments = ?, quotes = ? WHERE conversation_id = ? AND id = ?",
        ).run(
          ...[storable(text), JSON.stringify(attachments), quotesColumn(change.message), conversationId, id],
        );
      }
      case "order":
        for (const [position, id] of change.ids.entries())
          this.#sql("UPDATE queued_message SET position = ? WHERE conversation_id = ? AND id = ?").run(
            ...[position, conversationId, id],
          );
        return;
      case "remove":
        this.#sql("DELETE FROM queued_message WHERE conversation_id = ? AND id = ?").run(
          ...[conversationId, change.id],
        );
        return this.#claims.release("queued", claimKey(conversationId, change.id));
      case "release":
        return this.#claims.release("queued", claimKey(conversationId, change.id));
      default:
        assertNever(change);
    }
  }

  /** Returns whether the message was still there and no other window had taken it. */
  take(conversationId: string, id: string, now: number): boolean {
    const waiting = this.#sql(
      `SELECT 1 FROM queued_message AS queued WHERE conversation_id = ? AND id = ? AND ${isUnsent}`,
    ).get(conversationId, id);
    return (
      waiting !== undefined && this.#claims.take("queued", claimKey(conversationId, id), now, takenForMs)
    );
  }

  /** The conversation is permanently deleted. */
  removeAll(conversationId: string): void {
    this.#sql("DELETE FROM queued_message WHERE conversation_id = ?").run(conversationId);
  }
}

const isUnsent = `NOT EXISTS (
  SELECT 1 FROM message WHERE conversation_id = queued.conversation_id AND id = queued.id)`;

function claimKey(conversationId: string, id: string): string {
  return `${conversationId} ${id}`;
}
