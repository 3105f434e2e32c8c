import type { DatabaseSync } from "node:sqlite";
import type { Conversation, Message } from "../core/conversation.ts";
import type { MessageDelta } from "../core/conversationStore.ts";
import { writeAttachment } from "./attachmentRow.ts";
import { writeDetails } from "./messageDetails.ts";
import type { StreamLease } from "./streamLease.ts";

/** Pages of 4 kB that a deletion gives back to the disk at most, so that it stays quick. */
const pagesGivenBack = 2_000;

/**
 * Writes conversations into one open database, inside the caller's transaction. What belongs to a conversation or a
 * message that another window has deleted is dropped without an error.
 */
export class ConversationWriter {
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof prepareWriting>;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = prepareWriting(database);
  }

  putConversation(conversation: Omit<Conversation, "messages">): void {
    const { id, title, model, createdAt, updatedAt } = conversation;
    this.#statements.putConversation.run(id, storable(title), model ?? null, createdAt, updatedAt);
  }

  /** @param lease Who goes on writing it; undefined when the message has its final form. */
  putMessage(conversationId: string, message: Message, lease: StreamLease | undefined): void {
    const { id, role, status, createdAt, text, reasoning } = message;
    const writer = [lease?.host ?? null, lease?.processId ?? null, lease?.aliveAt ?? null] as const;
    const details = writeDetails(message);
    const { changes } = this.#statements.putMessage.run(
      ...[
        id,
        role,
        status,
        createdAt,
        storable(text),
        storable(reasoning),
        details,
        ...writer,
        conversationId,
      ],
    );
    if (Number(changes) === 0) return;
    this.#statements.deleteChunks.run(conversationId, id);
    this.#putAttachments(conversationId, message);
  }

  putGrowth(conversationId: string, messageId: string, growth: MessageDelta, now: number): void {
    const [text, reasoning] = [storable(growth.text), storable(growth.reasoning)];
    this.#statements.putChunk.run(text, reasoning, conversationId, messageId);
    this.renewLease(conversationId, messageId, now);
  }

  renewLease(conversationId: string, messageId: string, now: number): void {
    this.#statements.renewLease.run(now, conversationId, messageId);
  }

  /** Gives an abandoned message its final form, unless its writer has shown up again in the meantime. */
  settleMessage(conversationId: string, message: Message, lease: StreamLease): void {
    const { id, status, text, reasoning } = message;
    const details = writeDetails(message);
    const { changes } = this.#statements.settleMessage.run(
      ...[status, text, reasoning, details, conversationId, id, lease.processId, lease.aliveAt],
    );
    if (Number(changes) > 0) this.#statements.deleteChunks.run(conversationId, id);
  }

  deleteMessage(conversationId: string, messageId: string): void {
    this.#statements.deleteMessage.run(conversationId, messageId);
  }

  deleteConversation(id: string): void {
    this.#statements.deleteConversation.run(id);
    this.#database.exec(`PRAGMA incremental_vacuum(${pagesGivenBack})`);
  }

  putDraft(conversationId: string, text: string): void {
    if (text === "") this.#statements.deleteDraft.run(conversationId);
    else this.#statements.putDraft.run(conversationId, storable(text));
  }

  #putAttachments(conversationId: string, message: Message): void {
    this.#statements.deleteAttachments.run(conversationId, message.id);
    for (const [position, part] of message.attachments.entries()) {
      const { type, format, hash, data } = writeAttachment(part);
      this.#statements.putAttachment.run(hash, data);
      this.#statements.putMessageAttachment.run(position, type, format, hash, conversationId, message.id);
    }
  }
}

/** Node 22 reads a text back only up to its first NUL; CommonMark, too, has U+FFFD take its place. */
function storable(text: string): string {
  return text.includes("\0") ? text.replaceAll("\0", "\ufffd") : text;
}

const thisMessage = "(SELECT seq FROM message WHERE conversation_id = ? AND id = ?)";

function prepareWriting(database: DatabaseSync) {
  return {
    putConversation: database.prepare(`
      INSERT INTO conversation (id, title, model, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE
      SET title = excluded.title, model = excluded.model, updated_at = excluded.updated_at`),
    deleteConversation: database.prepare("DELETE FROM conversation WHERE id = ?"),
    putMessage: database.prepare(`
      INSERT INTO message
        (conversation_id, id, role, status, created_at, text, reasoning, details,
         writer_host, writer_pid, writer_alive_at)
      SELECT conversation.id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM conversation WHERE conversation.id = ?
      ON CONFLICT (conversation_id, id) DO UPDATE
      SET role = excluded.role, status = excluded.status, text = excluded.text, reasoning = excluded.reasoning,
        details = excluded.details, writer_host = excluded.writer_host, writer_pid = excluded.writer_pid,
        writer_alive_at = excluded.writer_alive_at`),
    settleMessage: database.prepare(`
      UPDATE message SET status = ?, text = ?, reasoning = ?, details = ?
      WHERE conversation_id = ? AND id = ? AND status = 'streaming'
        AND coalesce(writer_pid, 0) = ? AND coalesce(writer_alive_at, 0) = ?`),
    deleteMessage: database.prepare("DELETE FROM message WHERE conversation_id = ? AND id = ?"),
    renewLease: database.prepare(
      "UPDATE message SET writer_alive_at = ? WHERE conversation_id = ? AND id = ? AND status = 'streaming'",
    ),
    putChunk: database.prepare(`
      INSERT INTO message_chunk (text, reasoning, message_seq)
      SELECT ?, ?, seq FROM message WHERE conversation_id = ? AND id = ?`),
    deleteChunks: database.prepare(`DELETE FROM message_chunk WHERE message_seq = ${thisMessage}`),
    deleteAttachments: database.prepare(`DELETE FROM message_attachment WHERE message_seq = ${thisMessage}`),
    putAttachment: database.prepare("INSERT OR IGNORE INTO attachment (hash, data) VALUES (?, ?)"),
    putMessageAttachment: database.prepare(`
      INSERT INTO message_attachment (position, type, format, hash, message_seq)
      SELECT ?, ?, ?, ?, seq FROM message WHERE conversation_id = ? AND id = ?`),
    putDraft: database.prepare(`
      INSERT INTO draft (conversation_id, text) VALUES (?, ?)
      ON CONFLICT (conversation_id) DO UPDATE SET text = excluded.text`),
    deleteDraft: database.prepare("DELETE FROM draft WHERE conversation_id = ?"),
  };
}
