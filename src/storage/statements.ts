import type { DatabaseSync, StatementSync } from "node:sqlite";

const texts = {
  listConversations:
    "SELECT id, title, created_at, updated_at FROM conversation ORDER BY updated_at DESC, id",
  findConversation: "SELECT id, title, model, created_at, updated_at FROM conversation WHERE id = ?",
  putConversation: `
    INSERT INTO conversation (id, title, model, created_at, updated_at) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (id) DO UPDATE SET title = excluded.title, model = excluded.model, updated_at = excluded.updated_at`,
  deleteConversation: "DELETE FROM conversation WHERE id = ?",
  listMessages: "SELECT * FROM message WHERE conversation_id = ? ORDER BY position, created_at, id",
  putMessage: `
    INSERT INTO message
      (id, conversation_id, position, role, status, created_at, text, reasoning, details, writer, written_at)
    VALUES
      ($id, $conversation, (SELECT coalesce(max(position), 0) + 1 FROM message WHERE conversation_id = $conversation),
       $role, $status, $createdAt, $text, $reasoning, $details, $writer, $writtenAt)
    ON CONFLICT (id) DO UPDATE SET
      status = excluded.status, text = excluded.text, reasoning = excluded.reasoning, details = excluded.details,
      writer = excluded.writer, written_at = excluded.written_at`,
  deleteMessage: "DELETE FROM message WHERE id = ?",
  renewLease: "UPDATE message SET written_at = ? WHERE id = ?",
  listChunks: "SELECT text, reasoning FROM message_chunk WHERE message_id = ? ORDER BY sequence",
  putChunk: "INSERT INTO message_chunk (message_id, sequence, text, reasoning) VALUES (?, ?, ?, ?)",
  deleteChunks: "DELETE FROM message_chunk WHERE message_id = ?",
  listAttachments: `
    SELECT part FROM message_attachment JOIN attachment USING (hash) WHERE message_id = ? ORDER BY position`,
  putAttachment: "INSERT OR IGNORE INTO attachment (hash, part) VALUES (?, ?)",
  putMessageAttachment: "INSERT INTO message_attachment (message_id, position, hash) VALUES (?, ?, ?)",
  deleteMessageAttachments: "DELETE FROM message_attachment WHERE message_id = ?",
  deleteUnusedAttachments: "DELETE FROM attachment WHERE hash NOT IN (SELECT hash FROM message_attachment)",
  findDraft: "SELECT text FROM draft WHERE conversation_id = ?",
  putDraft: `
    INSERT INTO draft (conversation_id, text) VALUES (?, ?)
    ON CONFLICT (conversation_id) DO UPDATE SET text = excluded.text`,
  deleteDraft: "DELETE FROM draft WHERE conversation_id = ?",
} as const;

export type Statements = Readonly<Record<keyof typeof texts, StatementSync>>;

/** Every statement of the store, compiled once. */
export function prepareStatements(database: DatabaseSync): Statements {
  const prepare = (name: keyof typeof texts): StatementSync => database.prepare(texts[name]);
  return {
    listConversations: prepare("listConversations"),
    findConversation: prepare("findConversation"),
    putConversation: prepare("putConversation"),
    deleteConversation: prepare("deleteConversation"),
    listMessages: prepare("listMessages"),
    putMessage: prepare("putMessage"),
    deleteMessage: prepare("deleteMessage"),
    renewLease: prepare("renewLease"),
    listChunks: prepare("listChunks"),
    putChunk: prepare("putChunk"),
    deleteChunks: prepare("deleteChunks"),
    listAttachments: prepare("listAttachments"),
    putAttachment: prepare("putAttachment"),
    putMessageAttachment: prepare("putMessageAttachment"),
    deleteMessageAttachments: prepare("deleteMessageAttachments"),
    deleteUnusedAttachments: prepare("deleteUnusedAttachments"),
    findDraft: prepare("findDraft"),
    putDraft: prepare("putDraft"),
    deleteDraft: prepare("deleteDraft"),
  };
}
