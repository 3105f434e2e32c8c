import type { DatabaseSync } from "node:sqlite";
import type { Message, TitleSource } from "../../core/conversation/conversation.ts";
import { parseTags } from "../../core/conversation/conversationTags.ts";
import type { ConversationFields } from "../../core/conversation/conversationStore.ts";
import type { ToolOutcome } from "../../core/conversation/toolPort.ts";
import { writeDetails } from "../../core/conversation/messageDetails.ts";
import { storable, textColumn, writeAttachment } from "../database/messageRow.ts";

/** Number of messages permanently removed in one transaction. A message may have megabytes of attachments. */
const messagesPurgedAtOnce = 50;
const conversationsPurgedAtOnce = 50;

/**
 * Writes conversations to an open database, inside the caller's transaction. Silently drops anything that belongs to a
 * conversation that another window has permanently deleted.
 */
export class ConversationWriter {
  readonly #statements: ReturnType<typeof prepareWriting>;

  constructor(database: DatabaseSync) {
    this.#statements = prepareWriting(database);
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

  /** @param writer The window that continues to write the message; undefined if the message is final. */
  putMessage(conversationId: string, message: Message, writer: string | undefined): void {
    const { id, role, status, createdAt, text, reasoning, parentId = "" } = message;
    // Removed first, so that the message is written to their pages, which would otherwise have to be overwritten.
    this.#statements.deleteGrowth.run(conversationId, id);
    const { changes } = this.#statements.putMessage.run(
      ...[this.#nextRevision(), id, role, status, createdAt, storable(text), storable(reasoning)],
      ...[writeDetails(message), writer ?? null, parentId, conversationId],
    );
    if (Number(changes) > 0) this.#putAttachments(conversationId, message);
  }

  /**
   * Writes the message of a tool call that is about to start. Returns false if another window has started the call or
   * has its result. The results of a response form a chain: if this message's place in it is taken, or the message that
   * it follows is missing, another window has written to the chain.
   * @param isAlive Whether the window that runs the call is known to be alive.
   */
  startCall(
    conversationId: string,
    message: Message,
    writer: string,
    isAlive: (writer: string) => boolean,
  ): boolean {
    const { id, parentId = "" } = message;
    const stored = this.#statements.callState.get(conversationId, id);
    const isFree =
      stored === undefined
        ? this.#statements.freePlace.get(conversationId, parentId) !== undefined
        : stored["status"] === "streaming"
          ? !isAlive(textColumn(stored, "writer"))
          : stored["finish_reason"] === interrupted;
    if (isFree) this.putMessage(conversationId, message, writer);
    return isFree;
  }

  /** Returns false if the message doesn't exist: another window has removed it. */
  putGrowth(conversationId: string, messageId: string, growth: Pick<Message, "text" | "reasoning">): boolean {
    const [text, reasoning] = [storable(growth.text), storable(growth.reasoning)];
    return Number(this.#statements.putGrowth.run(text, reasoning, conversationId, messageId).changes) > 0;
  }

  /**
   * Joins the growth of a message with its row. Nothing is lost if its window continues to write it after all: further
   * growth follows what is there.
   */
  joinGrowth(conversationId: string, messageId: string): void {
    const { changes } = this.#statements.joinGrowth.run(this.#nextRevision(), conversationId, messageId);
    if (Number(changes) > 0) this.#statements.deleteGrowth.run(conversationId, messageId);
  }

  deleteMessage(conversationId: string, messageId: string): void {
    this.#statements.passOnParent.run({
      conversation: conversationId,
      id: messageId,
      revision: this.#nextRevision(),
    });
    this.#statements.deleteMessage.run(conversationId, messageId);
  }

  renameConversation(id: string, title: string, source: TitleSource): void {
    this.#statements.rename.run(storable(title), source, id, source);
  }

  /** Keeps everything that belongs to the conversation until it is purged. */
  deleteConversation(id: string, now: number): void {
    this.#statements.setDeleted.run(now, id);
  }

  /** Does nothing if it was marked for permanent removal. */
  restoreConversation(id: string): void {
    this.#statements.restore.run(id);
  }

  /** Marks everything deleted before this time for permanent removal by `purgeSome`. */
  giveUpBefore(time: number): void {
    this.#statements.giveUpBefore.run(time);
  }

  /** Marks a deleted conversation for permanent removal by `purgeSome`. */
  giveUp(id: string): void {
    this.#statements.giveUp.run(id);
  }

  /**
   * Removes a small part of what is marked for permanent removal, which takes a few milliseconds. Returns whether more
   * is left.
   */
  purgeSome(): boolean {
    const { purgeMessages, purgeConversations } = this.#statements;
    return Number(purgeMessages.run().changes) > 0 || Number(purgeConversations.run().changes) > 0;
  }

  #nextRevision(): number {
    return Number(this.#statements.nextRevision.get()?.["value"]);
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

const interrupted: ToolOutcome = "interrupted";

const thisMessage = "(SELECT seq FROM message WHERE conversation_id = ? AND id = ?)";

function prepareWriting(database: DatabaseSync) {
  return {
    ...prepareCalls(database),
    ...prepareGrowth(database),
    ...prepareDeletion(database),
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
    nextRevision: database.prepare(
      "UPDATE revision SET value = value + 1 WHERE name = 'message' RETURNING value",
    ),
    putMessage: database.prepare(`
      INSERT INTO message
        (revision, conversation_id, id, role, status, created_at, text, reasoning, details, writer, parent_id)
      SELECT ?, conversation.id, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM conversation WHERE conversation.id = ?
      ON CONFLICT (conversation_id, id) DO UPDATE
      SET revision = excluded.revision, role = excluded.role, status = excluded.status, text = excluded.text,
        reasoning = excluded.reasoning, details = excluded.details, writer = excluded.writer,
        parent_id = excluded.parent_id`),
    passOnParent: database.prepare(`
      UPDATE message SET revision = $revision, parent_id = coalesce((
        SELECT parent_id FROM message AS deleted
        WHERE deleted.conversation_id = $conversation AND deleted.id = $id), parent_id)
      WHERE conversation_id = $conversation AND parent_id = $id`),
    deleteMessage: database.prepare("DELETE FROM message WHERE conversation_id = ? AND id = ?"),
    deleteAttachments: database.prepare(`DELETE FROM message_attachment WHERE message_seq = ${thisMessage}`),
    putAttachment: database.prepare("INSERT OR IGNORE INTO attachment (hash, data) VALUES (?, ?)"),
    putMessageAttachment: database.prepare(`
      INSERT INTO message_attachment (position, type, format, title, hash, message_seq)
      SELECT ?, ?, ?, ?, ?, seq FROM message WHERE conversation_id = ? AND id = ?`),
  };
}

function prepareGrowth(database: DatabaseSync) {
  const all = (column: string): string =>
    `${column} || (SELECT group_concat(${column}, '' ORDER BY number) FROM growth WHERE message_seq = message.seq)`;
  return {
    putGrowth: database.prepare(`
      INSERT INTO growth (text, reasoning, message_seq, number)
      SELECT ?, ?, seq, (SELECT coalesce(max(number), 0) + 1 FROM growth WHERE message_seq = message.seq)
      FROM message WHERE conversation_id = ? AND id = ?`),
    joinGrowth: database.prepare(`
      UPDATE message SET revision = ?, text = ${all("text")}, reasoning = ${all("reasoning")}
      WHERE conversation_id = ? AND id = ? AND EXISTS (SELECT 1 FROM growth WHERE message_seq = message.seq)`),
    deleteGrowth: database.prepare(`DELETE FROM growth WHERE message_seq = ${thisMessage}`),
  };
}

function prepareCalls(database: DatabaseSync) {
  return {
    callState: database.prepare(`
      SELECT status, writer, CASE WHEN json_valid(details) THEN details ->> '$.finishReason' END AS finish_reason
      FROM message WHERE conversation_id = ? AND id = ?`),
    freePlace: database.prepare(`
      SELECT 1 FROM message AS parent WHERE conversation_id = ? AND id = ? AND NOT EXISTS (
        SELECT 1 FROM message
        WHERE conversation_id = parent.conversation_id AND seq > parent.seq AND role = 'tool' AND parent_id = parent.id)`),
  };
}

function prepareDeletion(database: DatabaseSync) {
  return {
    // The clock may be set to any time, and 0 means that the conversation is marked for permanent removal.
    setDeleted: database.prepare("UPDATE conversation SET deleted_at = max(?, 1) WHERE id = ?"),
    restore: database.prepare("UPDATE conversation SET deleted_at = NULL WHERE id = ? AND deleted_at > 0"),
    giveUpBefore: database.prepare(
      "UPDATE conversation SET deleted_at = 0 WHERE deleted_at > 0 AND deleted_at < ?",
    ),
    giveUp: database.prepare(
      "UPDATE conversation SET deleted_at = 0 WHERE id = ? AND deleted_at IS NOT NULL",
    ),
    purgeMessages: database.prepare(`
      DELETE FROM message WHERE seq IN (
        SELECT message.seq FROM conversation JOIN message ON conversation_id = conversation.id
        WHERE deleted_at = 0 LIMIT ${messagesPurgedAtOnce})`),
    purgeConversations: database.prepare(`
      DELETE FROM conversation WHERE id IN (
        SELECT id FROM conversation WHERE deleted_at = 0 LIMIT ${conversationsPurgedAtOnce})`),
  };
}
