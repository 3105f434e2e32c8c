import type { DatabaseSync } from "node:sqlite";
import type { Message, TitleSource } from "../../core/conversation/conversation.ts";
import { parseTags } from "../../core/conversation/conversationTags.ts";
import type { ConversationFields } from "../../core/conversation/conversationStore.ts";
import type { ToolOutcome } from "../../core/conversation/toolPort.ts";
import { writeDetails } from "../../core/conversation/messageDetails.ts";
import { statementsOf } from "../database/journal.ts";
import { storable, textColumn, writeAttachment } from "../database/messageRow.ts";

/** Messages and conversations that are removed in one transaction. A message may have megabytes of attachments. */
const purgedAtOnce = 50;

const interrupted: ToolOutcome = "interrupted";

const thisMessage = "conversation_id = ? AND id = ?";
const seqOfThis = `(SELECT seq FROM message WHERE ${thisMessage})`;

/**
 * Writes conversations to an open database, inside the caller's transaction. Silently drops anything that belongs to a
 * conversation that another window has permanently deleted.
 */
export class ConversationWriter {
  readonly #sql: ReturnType<typeof statementsOf>;

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database);
  }

  putConversation(conversation: ConversationFields): void {
    const { id, title, model, createdAt, updatedAt, settings, leafId, workspace } = conversation;
    const settingsText = settings === undefined ? null : JSON.stringify(settings);
    this.#sql(
      `
      INSERT INTO conversation (id, title, model, created_at, updated_at, settings, leaf_id, workspace)
      VALUES (?, ?, ?, ?, ?, ?, ?, ?)
      ON CONFLICT (id) DO UPDATE
      SET title = CASE title_source WHEN 'words' THEN excluded.title ELSE title END, deleted_at = NULL,
        model = excluded.model, updated_at = excluded.updated_at, settings = excluded.settings,
        leaf_id = excluded.leaf_id, workspace = coalesce(workspace, excluded.workspace)`,
    ).run(
      ...[id, storable(title), model ?? null, createdAt, updatedAt, settingsText, leafId ?? null],
      workspace === undefined ? null : storable(workspace),
    );
  }

  pinConversation(id: string, isPinned: boolean): void {
    this.#sql("UPDATE conversation SET is_pinned = ? WHERE id = ?").run(Number(isPinned), id);
  }

  tagConversation(id: string, tags: readonly string[]): void {
    const normalized = parseTags(tags);
    const text = normalized.length === 0 ? null : storable(JSON.stringify(normalized));
    this.#sql("UPDATE conversation SET tags = ? WHERE id = ?").run(text, id);
  }

  renameConversation(id: string, title: string, source: TitleSource): void {
    this.#sql(
      `
      UPDATE conversation SET title = ?2, title_source = ?3
      WHERE id = ?1 AND (title_source <> 'user' OR ?3 = 'user')`,
    ).run(id, storable(title), source);
  }

  /** Keeps everything that belongs to the conversation until it is purged. */
  deleteConversation(id: string, now: number): void {
    // The clock may be set to any time, and 0 means that the conversation is marked for permanent removal.
    this.#sql("UPDATE conversation SET deleted_at = max(?, 1) WHERE id = ?").run(now, id);
  }

  /** Does nothing if it was marked for permanent removal. */
  restoreConversation(id: string): void {
    this.#sql("UPDATE conversation SET deleted_at = NULL WHERE id = ? AND deleted_at > 0").run(id);
  }

  /** Marks everything deleted before this time for permanent removal by `purgeSome`. */
  giveUpBefore(time: number): void {
    this.#sql("UPDATE conversation SET deleted_at = 0 WHERE deleted_at > 0 AND deleted_at < ?").run(time);
  }

  /** Marks a deleted conversation for permanent removal by `purgeSome`. */
  giveUp(id: string): void {
    this.#sql("UPDATE conversation SET deleted_at = 0 WHERE id = ? AND deleted_at IS NOT NULL").run(id);
  }

  /**
   * Removes a small part of what is marked for permanent removal, which takes a few milliseconds. Returns whether more
   * is left.
   */
  purgeSome(): boolean {
    const messages = this.#sql(`
      DELETE FROM message WHERE seq IN (
        SELECT message.seq FROM conversation JOIN message ON conversation_id = conversation.id
        WHERE deleted_at = 0 LIMIT ${purgedAtOnce})`);
    const conversations = this.#sql(`
      DELETE FROM conversation WHERE id IN (
        SELECT id FROM conversation WHERE deleted_at = 0 LIMIT ${purgedAtOnce})`);
    return Number(messages.run().changes) > 0 || Number(conversations.run().changes) > 0;
  }

  /** @param writer The window that continues to write the message; undefined if the message is final. */
  putMessage(conversationId: string, message: Message, writer: string | undefined): void {
    const { id, role, status, createdAt, text, reasoning, parentId = "" } = message;
    // Removed first, so that the message is written to their pages, which would otherwise have to be overwritten.
    this.#deleteGrowth(conversationId, id);
    const { changes } = this.#sql(
      `
      INSERT INTO message
        (revision, conversation_id, id, role, status, created_at, text, reasoning, details, writer, parent_id)
      SELECT ?, conversation.id, ?, ?, ?, ?, ?, ?, ?, ?, ? FROM conversation WHERE conversation.id = ?
      ON CONFLICT (conversation_id, id) DO UPDATE
      SET revision = excluded.revision, role = excluded.role, status = excluded.status, text = excluded.text,
        reasoning = excluded.reasoning, details = excluded.details, writer = excluded.writer,
        parent_id = excluded.parent_id`,
    ).run(
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
    const stored = this.#sql(
      `
      SELECT status, writer, CASE WHEN json_valid(details) THEN details ->> '$.finishReason' END AS finish_reason
      FROM message WHERE ${thisMessage}`,
    ).get(conversationId, id);
    const freePlace = this.#sql(`
      SELECT 1 FROM message AS parent WHERE ${thisMessage} AND NOT EXISTS (
        SELECT 1 FROM message
        WHERE conversation_id = parent.conversation_id AND seq > parent.seq AND role = 'tool' AND parent_id = parent.id)`);
    const isFree =
      stored === undefined
        ? freePlace.get(conversationId, parentId) !== undefined
        : stored["status"] === "streaming"
          ? !isAlive(textColumn(stored, "writer"))
          : stored["finish_reason"] === interrupted;
    if (isFree) this.putMessage(conversationId, message, writer);
    return isFree;
  }

  /** Returns false if the message doesn't exist: another window has removed it. */
  putGrowth(conversationId: string, messageId: string, growth: Pick<Message, "text" | "reasoning">): boolean {
    const { changes } = this.#sql(
      `
      INSERT INTO growth (text, reasoning, message_seq, number)
      SELECT ?, ?, seq, (SELECT coalesce(max(number), 0) + 1 FROM growth WHERE message_seq = message.seq)
      FROM message WHERE ${thisMessage}`,
    ).run(...[storable(growth.text), storable(growth.reasoning), conversationId, messageId]);
    return Number(changes) > 0;
  }

  /**
   * Joins the growth of a message with its row. Nothing is lost if its window continues to write it after all: further
   * growth follows what is there.
   */
  joinGrowth(conversationId: string, messageId: string): void {
    const all = (column: string): string =>
      `${column} || (SELECT group_concat(${column}, '' ORDER BY number) FROM growth WHERE message_seq = message.seq)`;
    const { changes } = this.#sql(
      `
      UPDATE message SET revision = ?, text = ${all("text")}, reasoning = ${all("reasoning")}
      WHERE ${thisMessage} AND EXISTS (SELECT 1 FROM growth WHERE message_seq = message.seq)`,
    ).run(...[this.#nextRevision(), conversationId, messageId]);
    if (Number(changes) > 0) this.#deleteGrowth(conversationId, messageId);
  }

  deleteMessage(conversationId: string, messageId: string): void {
    this.#sql(
      `
      UPDATE message SET revision = ?3, parent_id = coalesce((
        SELECT parent_id FROM message AS deleted WHERE conversation_id = ?1 AND id = ?2), parent_id)
      WHERE conversation_id = ?1 AND parent_id = ?2`,
    ).run(conversationId, messageId, this.#nextRevision());
    this.#sql(`DELETE FROM message WHERE ${thisMessage}`).run(conversationId, messageId);
  }

  #deleteGrowth(conversationId: string, messageId: string): void {
    this.#sql(`DELETE FROM growth WHERE message_seq = ${seqOfThis}`).run(conversationId, messageId);
  }

  #nextRevision(): number {
    const next = this.#sql("UPDATE revision SET value = value + 1 WHERE name = 'message' RETURNING value");
    return Number(next.get()?.["value"]);
  }

  #putAttachments(conversationId: string, message: Message): void {
    this.#sql(`DELETE FROM message_attachment WHERE message_seq = ${seqOfThis}`).run(
      conversationId,
      message.id,
    );
    for (const [position, part] of message.attachments.entries()) {
      const { type, format, title, hash, data } = writeAttachment(part);
      this.#sql("INSERT OR IGNORE INTO attachment (hash, data) VALUES (?, ?)").run(hash, data);
      this.#sql(
        `
        INSERT INTO message_attachment (position, type, format, title, hash, message_seq)
        SELECT ?, ?, ?, ?, ?, seq FROM message WHERE ${thisMessage}`,
      ).run(...[position, type, format, title, hash, conversationId, message.id]);
    }
  }
}
