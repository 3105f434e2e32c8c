import type { DatabaseSync } from "node:sqlite";
import type { Message, TitleSource } from "../../core/conversation/conversation.ts";
import { parseTags } from "../../core/conversation/conversationTags.ts";
import type { ConversationFields } from "../../core/conversation/conversationStore.ts";
import { DeletionTable } from "./deletedConversations.ts";
import { DraftTable } from "./draftTable.ts";
import { QueueTable } from "./queueTable.ts";
import type { ToolOutcome } from "../../core/conversation/toolPort.ts";
import { writeDetails } from "../../core/conversation/messageDetails.ts";
import type { JournaledGrowth } from "./growthFormat.ts";
import {
  numberColumn,
  parseLease,
  textColumn,
  growthAfter,
  storable,
  checksumOf,
  checksumOfRow,
  defineChecksum,
  writeAttachment,
} from "../database/messageRow.ts";
import type { Row } from "../database/messageRow.ts";
import { createLease, classifyWriter } from "../database/streamLease.ts";
import type { StreamLease } from "../database/streamLease.ts";

/**
 * Writes conversations to an open database, inside the caller's transaction. Silently drops anything that belongs to a
 * conversation or message that another window has deleted.
 */
export class ConversationWriter {
  readonly #statements: ReturnType<typeof prepareWriting>;
  readonly drafts: DraftTable;
  readonly queue: QueueTable;
  readonly deleted: DeletionTable;

  constructor(database: DatabaseSync) {
    defineChecksum(database);
    this.#statements = prepareWriting(database);
    this.drafts = new DraftTable(database);
    this.queue = new QueueTable(database);
    this.deleted = new DeletionTable(database);
  }

  putConversation(conversation: ConversationFields): void {
    const { id, title, model, createdAt, updatedAt, settings, leafId, workspace } = conversation;
    const settingsText = settings === undefined ? null : JSON.stringify(settings);
    this.#statements.putConversation.run(
      ...[id, storable(title), model ?? null, createdAt, updatedAt, settingsText, leafId ?? null],
      workspace === undefined ? null : storable(workspace),
    );
  }

  pinConversation(id: string, isPinned: boolean): void {
    this.#statements.pinConversation.run(isPinned ? 1 : 0, id);
  }

  tagConversation(id: string, tags: readonly string[]): void {
    const normalized = parseTags(tags);
    this.#statements.tagConversation.run(
      normalized.length === 0 ? null : storable(JSON.stringify(normalized)),
      id,
    );
  }

  /** @param lease The lease of the window that continues to write the message; undefined if the message is final. */
  putMessage(conversationId: string, message: Message, lease: StreamLease | undefined): void {
    const { id, role, status, createdAt, text, reasoning } = message;
    const { host = null, processId = null, process = null, aliveAt = null } = lease ?? {};
    const writer = [host, processId, process, aliveAt] as const;
    // Removed first, so that the message is written to their pages, which would otherwise have to be overwritten.
    this.#statements.deleteChunks.run(conversationId, id);
    const parentId = message.parentId ?? "";
    const content = [storable(text), storable(reasoning), writeDetails(message)] as const;
    // Written along with the row: a second update would write the whole text again.
    const checksum = checksumOf(conversationId, id, role, createdAt, ...content, parentId);
    const { changes } = this.#statements.putMessage.run(
      ...[id, role, status, createdAt, ...content, ...writer, parentId, checksum, conversationId],
    );
    if (Number(changes) === 0) return;
    this.#putAttachments(conversationId, message);
  }

  /**
   * Writes the message of a tool call that is about to start. Returns false if another window has started the call or
   * has its result. The results of a response form a chain: if this message's place in it is taken, or the message that
   * it follows is missing, another window has written to the chain.
   */
  startCall(conversationId: string, message: Message, now: number): boolean {
    const { id, parentId = "" } = message;
    const stored = this.#statements.callState.get(conversationId, id);
    const isFree =
      stored === undefined
        ? this.#statements.freePlace.get(conversationId, parentId) !== undefined
        : isInterrupted(stored, now);
    if (isFree) this.putMessage(conversationId, message, createLease(now));
    return isFree;
  }

  /** Works regardless of what has happened to the message in the meantime: the added text is read along with it. */
  putGrowth(conversationId: string, messageId: string, growth: Pick<Message, "text" | "reasoning">): void {
    const [text, reasoning] = [storable(growth.text), storable(growth.reasoning)];
    const checksum = checksumOf(text, reasoning);
    this.#statements.putChunk.run(text, reasoning, checksum, conversationId, messageId);
  }

  /** UTF-8 bytes of the message's text and reasoning with all growth. Undefined if the message doesn't exist. */
  storedLengths(
    conversationId: string,
    messageId: string,
  ): { readonly text: number; readonly reasoning: number } | undefined {
    const row = this.#statements.storedLengths.get(conversationId, messageId);
    return row && { text: numberColumn(row, "text"), reasoning: numberColumn(row, "reasoning") };
  }

  /**
   * The part of another window's journaled growth that is missing in the database; undefined if nothing is missing. A
   * message in its final form has no writer and misses nothing.
   */
  missingGrowth(growth: JournaledGrowth): Pick<Message, "text" | "reasoning"> | undefined {
    const { conversationId, messageId } = growth;
    if (this.#statements.hasWriter.get(conversationId, messageId) === undefined) return undefined;
    const stored = this.storedLengths(conversationId, messageId) ?? { text: 0, reasoning: 0 };
    const missing = growthAfter(stored, growth, growth.at);
    return missing.text === "" && missing.reasoning === "" ? undefined : missing;
  }

  /** Writes the missing part of another window's journaled growth. */
  adoptGrowth(growth: JournaledGrowth): void {
    const missing = this.missingGrowth(growth);
    if (missing !== undefined) this.putGrowth(growth.conversationId, growth.messageId, missing);
  }

  /** Returns false if another window has settled or removed the message, so that this writer can't continue it. */
  renewLease(conversationId: string, messageId: string, lease: StreamLease): boolean {
    const { processId, process, aliveAt } = lease;
    const { changes } = this.#statements.renewLease.run(
      ...[aliveAt, conversationId, messageId, processId, process],
    );
    return Number(changes) > 0;
  }

  /** Whether the writer with this lease still holds the message. */
  holdsLease(conversationId: string, messageId: string, { processId, process }: StreamLease): boolean {
    return this.#statements.heldLease.get(conversationId, messageId, processId, process) !== undefined;
  }

  /**
   * Gives an abandoned message its final form, including all chunks written so far, unless its writer has become active
   * again in the meantime.
   */
  settleMessage(conversationId: string, message: Message, lease: StreamLease): void {
    const { id, status } = message;
    const { aliveAt, processId, process } = lease;
    const row = this.#statements.abandoned.get(conversationId, id, processId, process, aliveAt);
    if (row === undefined) return;
    let [text, reasoning] = [textColumn(row, "text"), textColumn(row, "reasoning")];
    for (const chunk of this.#statements.chunks.all(conversationId, id)) {
      text += textColumn(chunk, "text");
      reasoning += textColumn(chunk, "reasoning");
    }
    this.#statements.settleMessage.run(status, text, reasoning, writeDetails(message), conversationId, id);
    this.#statements.seal.run(conversationId, id);
    this.#statements.deleteChunks.run(conversationId, id);
  }

  deleteMessage(conversationId: string, messageId: string): void {
    this.#statements.passOnParent.run({ conversation: conversationId, id: messageId });
    this.#statements.sealAll.run(conversationId);
    this.#statements.deleteMessage.run(conversationId, messageId);
  }

  renameConversation(id: string, title: string, source: TitleSource): void {
    this.#statements.rename.run(storable(title), source, id, source);
  }

  #putAttachments(conversationId: string, message: Message): void {
    this.#statements.deleteAttachments.run(conversationId, message.id);
    for (const [position, part] of message.attachments.entries()) {
      const { type, format, title, hash, data } = writeAttachment(part);
      this.#statements.putAttachment.run(hash, data);
      this.#statements.putMessageAttachment.run(
        ...[position, type, format, title, hash, conversationId, message.id],
      );
    }
  }
}

/** Whether the call is no longer running, and its result is lost. */
function isInterrupted(row: Row, now: number): boolean {
  if (row["status"] !== "streaming") return row["finish_reason"] === interrupted;
  return classifyWriter(parseLease(row), now) !== "alive";
}

const interrupted: ToolOutcome = "interrupted";

const thisMessage = "(SELECT seq FROM message WHERE conversation_id = ? AND id = ?)";

const underLease = `WHERE conversation_id = ? AND id = ? AND status = 'streaming'
  AND writer_pid = ? AND coalesce(writer_process, '') = ?`;

function prepareWriting(database: DatabaseSync) {
  return {
    ...prepareCalls(database),
    ...prepareGrowth(database),
    putConversation: database.prepare(`
      INSERT INTO conversation (id, title, model, created_at, updated_at, settings, leaf_id, workspace)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE
      SET title = CASE title_source WHEN 'words' THEN excluded.title ELSE title END, deleted_at = NULL, model = excluded.model, updated_at = excluded.updated_at,
        settings = excluded.settings, leaf_id = excluded.leaf_id, workspace = coalesce(workspace, excluded.workspace)`),
    pinConversation: database.prepare("UPDATE conversation SET is_pinned = ? WHERE id = ?"),
    tagConversation: database.prepare("UPDATE conversation SET tags = ? WHERE id = ?"),
    rename: database.prepare(`
      UPDATE conversation SET title = ?, title_source = ?
      WHERE id = ? AND (title_source <> 'user' OR ? = 'user')`),
    putMessage: database.prepare(`
      INSERT INTO message
        (conversation_id, id, role, status, created_at, text, reasoning, details,
         writer_host, writer_pid, writer_process, writer_alive_at, parent_id, checksum)
      SELECT conversation.id, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM conversation WHERE conversation.id = ?
      ON CONFLICT (conversation_id, id) DO UPDATE
      SET role = excluded.role, status = excluded.status, text = excluded.text, reasoning = excluded.reasoning,
        details = excluded.details, writer_host = excluded.writer_host, writer_pid = excluded.writer_pid,
        writer_process = excluded.writer_process, writer_alive_at = excluded.writer_alive_at, parent_id = excluded.parent_id,
        checksum = excluded.checksum`),
    abandoned: database.prepare(`
      SELECT text, reasoning FROM message
      WHERE conversation_id = ? AND id = ? AND status = 'streaming'
        AND coalesce(writer_pid, 0) = ? AND coalesce(writer_process, '') = ? AND coalesce(writer_alive_at, 0) = ?`),
    chunks: database.prepare(
      `SELECT text, reasoning FROM message_chunk WHERE message_seq = ${thisMessage} ORDER BY seq`,
    ),
    settleMessage: database.prepare(`
      UPDATE message SET status = ?, text = ?, reasoning = ?, details = ? WHERE conversation_id = ? AND id = ?`),
    // Every change to a message clears its checksum, regardless of which version makes it.
    seal: database.prepare(
      `UPDATE message SET checksum = ${checksumOfRow} WHERE conversation_id = ? AND id = ? AND checksum IS NULL`,
    ),
    sealAll: database.prepare(
      `UPDATE message SET checksum = ${checksumOfRow} WHERE conversation_id = ? AND checksum IS NULL`,
    ),
    passOnParent: database.prepare(`
      UPDATE message SET parent_id = (
        SELECT coalesce(parent_id, (
          SELECT before.id FROM message AS before
          WHERE before.conversation_id = $conversation AND before.seq < deleted.seq
          ORDER BY before.seq DESC LIMIT 1
        ), '')
        FROM message AS deleted WHERE deleted.conversation_id = $conversation AND deleted.id = $id
      )
      WHERE conversation_id = $conversation AND parent_id = $id`),
    deleteMessage: database.prepare("DELETE FROM message WHERE conversation_id = ? AND id = ?"),
    renewLease: database.prepare(`UPDATE message SET writer_alive_at = ? ${underLease}`),
    heldLease: database.prepare(`SELECT 1 FROM message ${underLease}`),
    deleteAttachments: database.prepare(`DELETE FROM message_attachment WHERE message_seq = ${thisMessage}`),
    putAttachment: database.prepare("INSERT OR IGNORE INTO attachment (hash, data) VALUES (?, ?)"),
    putMessageAttachment: database.prepare(`
      INSERT INTO message_attachment (position, type, format, title, hash, message_seq)
      SELECT ?, ?, ?, ?, ?, seq FROM message WHERE conversation_id = ? AND id = ?`),
  };
}

function prepareGrowth(database: DatabaseSync) {
  return {
    hasWriter: database.prepare(
      "SELECT 1 FROM message WHERE conversation_id = ? AND id = ? AND writer_host IS NOT NULL",
    ),
    // These lengths are read without the texts themselves.
    storedLengths: database.prepare(`
      SELECT
        octet_length(text) + (SELECT coalesce(sum(octet_length(text)), 0) FROM message_chunk WHERE message_seq = message.seq) AS text,
        octet_length(reasoning) + (SELECT coalesce(sum(octet_length(reasoning)), 0) FROM message_chunk WHERE message_seq = message.seq) AS reasoning
      FROM message WHERE conversation_id = ? AND id = ?`),
    putChunk: database.prepare(`
      INSERT INTO message_chunk (text, reasoning, checksum, message_seq)
      SELECT ?, ?, ?, seq FROM message WHERE conversation_id = ? AND id = ?`),
    deleteChunks: database.prepare(`DELETE FROM message_chunk WHERE message_seq = ${thisMessage}`),
  };
}

function prepareCalls(database: DatabaseSync) {
  return {
    callState: database.prepare(`
      SELECT status, CASE WHEN json_valid(details) THEN details ->> '$.finishReason' END AS finish_reason,
        writer_host, writer_pid, writer_process, writer_alive_at
      FROM message WHERE conversation_id = ? AND id = ?`),
    freePlace: database.prepare(`
      SELECT 1 FROM message AS parent WHERE conversation_id = ? AND id = ? AND NOT EXISTS (
        SELECT 1 FROM message
        WHERE conversation_id = parent.conversation_id AND seq > parent.seq AND role = 'tool' AND parent_id = parent.id)`),
  };
}
