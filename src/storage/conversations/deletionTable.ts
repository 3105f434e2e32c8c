import type { DatabaseSync } from "node:sqlite";

/** Number of messages permanently removed in one transaction. A message may have megabytes of attachments. */
const messagesPurgedAtOnce = 50;
const conversationsPurgedAtOnce = 50;

/** The deletion of conversations in an open database, inside the caller's transaction. */
export class DeletionTable {
  readonly #statements: ReturnType<typeof prepareDeletion>;

  constructor(database: DatabaseSync) {
    this.#statements = prepareDeletion(database);
  }

  /** Keeps everything that belongs to the conversation until it is purged. */
  delete(id: string, now: number): void {
    this.#statements.setDeleted.run(now, id);
  }

  /** Does nothing if it was marked for permanent removal. */
  restore(id: string): void {
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
