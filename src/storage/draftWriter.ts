import type { DatabaseSync } from "node:sqlite";
import type { Draft } from "../core/conversationStore.ts";
import { nameAttachment, writeAttachment } from "./attachmentRow.ts";
import type { AttachmentRow } from "./attachmentRow.ts";
import { storable } from "./storable.ts";

/** Writes drafts into one open database, inside the caller's transaction. */
export class DraftWriter {
  readonly #statements: ReturnType<typeof prepareDrafts>;

  constructor(database: DatabaseSync) {
    this.#statements = prepareDrafts(database);
  }

  put(conversationId: string, { text, attachments }: Draft): void {
    if (text === "" && attachments.length === 0) {
      this.#statements.delete.run(conversationId);
      return;
    }
    this.#statements.put.run(conversationId, storable(text));
    // A draft is written with every pause in typing: its pictures only when they change.
    if (this.#isStored(conversationId, attachments.map(nameAttachment))) return;
    this.#putAttachments(conversationId, attachments.map(writeAttachment));
  }

  #isStored(conversationId: string, rows: readonly Omit<AttachmentRow, "data">[]): boolean {
    const stored = this.#statements.attachments.all(conversationId);
    return (
      stored.length === rows.length &&
      rows.every(({ type, format, title, hash }, index) => {
        const row = stored[index];
        return (
          row?.["type"] === type && row["format"] === format && row["title"] === title && row["hash"] === hash
        );
      })
    );
  }

  #putAttachments(conversationId: string, rows: readonly AttachmentRow[]): void {
    this.#statements.deleteAttachments.run(conversationId);
    for (const [position, { type, format, title, hash, data }] of rows.entries()) {
      this.#statements.putAttachment.run(hash, data);
      this.#statements.putDraftAttachment.run(conversationId, position, type, format, title, hash);
    }
  }
}

function prepareDrafts(database: DatabaseSync) {
  return {
    put: database.prepare(`
      INSERT INTO draft (conversation_id, text) VALUES (?, ?)
      ON CONFLICT (conversation_id) DO UPDATE SET text = excluded.text`),
    delete: database.prepare("DELETE FROM draft WHERE conversation_id = ?"),
    attachments: database.prepare(
      "SELECT type, format, title, hash FROM draft_attachment WHERE conversation_id = ? ORDER BY position",
    ),
    deleteAttachments: database.prepare("DELETE FROM draft_attachment WHERE conversation_id = ?"),
    putAttachment: database.prepare("INSERT OR IGNORE INTO attachment (hash, data) VALUES (?, ?)"),
    putDraftAttachment: database.prepare(`
      INSERT INTO draft_attachment (conversation_id, position, type, format, title, hash)
      VALUES (?, ?, ?, ?, ?, ?)`),
  };
}
