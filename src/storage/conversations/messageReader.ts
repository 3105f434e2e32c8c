import type { DatabaseSync } from "node:sqlite";
import type { Message } from "../../core/conversation/conversation.ts";
import { numberColumn, parseAttachment, parseMessageRow, textColumn } from "../database/messageRow.ts";
import type { Row } from "../database/messageRow.ts";

/** A stored message, with the window that writes it if it is stored as streaming. */
export interface StoredMessage {
  readonly message: Message;
  /** Empty if no window writes it. */
  readonly writer: string;
  /** How many pieces it has grown by. They are joined at its end. */
  readonly pieces: number;
}

/** Reads the messages of conversations with their growth and attachments. Runs inside a transaction. */
export class MessageReader {
  readonly #statements: ReturnType<typeof prepareMessages>;

  constructor(database: DatabaseSync) {
    this.#statements = prepareMessages(database);
  }

  /** In the order in which they were added. */
  readAll(conversationId: string): readonly StoredMessage[] {
    return this.#statements.messages.all(conversationId).map((row) => this.#readOne(row));
  }

  /** The messages that were changed after this revision, plus those of these IDs that are stored, in their order. */
  readChanged(conversationId: string, revision: number, ids: readonly string[]): readonly StoredMessage[] {
    const rows = this.#statements.changed.all(conversationId, revision);
    const others = ids.filter((id) => !rows.some((row) => row["id"] === id));
    for (const id of others) rows.push(...this.#statements.message.all(conversationId, id));
    rows.sort((left, right) => numberColumn(left, "seq") - numberColumn(right, "seq"));
    return rows.map((row) => this.#readOne(row));
  }

  /** The window that writes the message and the pieces that it has grown by, if it is stored as streaming. */
  streaming(conversationId: string, messageId: string): Pick<StoredMessage, "writer" | "pieces"> | undefined {
    const row = this.#statements.growing.get(conversationId, messageId);
    return row && { writer: textColumn(row, "writer"), pieces: numberColumn(row, "pieces") };
  }

  /** The latest revision of any message in the conversation. */
  revision(conversationId: string): number {
    return numberColumn(this.#statements.revision.get(conversationId) ?? {}, "revision");
  }

  /** The IDs of all messages, or only of those that are streaming. */
  ids(conversationId: string, which: "all" | "streaming"): readonly string[] {
    const { ids, streaming } = this.#statements;
    return (which === "all" ? ids : streaming).all(conversationId).map((row) => textColumn(row, "id"));
  }

  count(conversationId: string): number {
    return numberColumn(this.#statements.count.get(conversationId) ?? {}, "count");
  }

  #readOne(row: Row): StoredMessage {
    const seq = numberColumn(row, "seq");
    const rows = this.#statements.attachments.all(seq);
    const growth = row["status"] === "streaming" ? this.#statements.growth.all(seq) : [];
    const parsed = parseMessageRow(row, rows.flatMap(parseAttachment));
    const parentId = textColumn(row, "parent_id");
    const message = {
      ...parsed,
      text: [parsed.text, ...growth.map((piece) => textColumn(piece, "text"))].join(""),
      reasoning: [parsed.reasoning, ...growth.map((piece) => textColumn(piece, "reasoning"))].join(""),
      ...(parentId === "" ? {} : { parentId }),
    };
    return { message, writer: textColumn(row, "writer"), pieces: growth.length };
  }
}

function prepareMessages(database: DatabaseSync) {
  return {
    revision: database.prepare("SELECT max(revision) AS revision FROM message WHERE conversation_id = ?"),
    // Uses only an index, however long the messages are.
    ids: database.prepare("SELECT id FROM message WHERE conversation_id = ?"),
    messages: database.prepare("SELECT * FROM message WHERE conversation_id = ? ORDER BY seq"),
    count: database.prepare("SELECT count(*) AS count FROM message WHERE conversation_id = ?"),
    streaming: database.prepare("SELECT id FROM message WHERE conversation_id = ? AND status = 'streaming'"),
    changed: database.prepare("SELECT * FROM message WHERE conversation_id = ? AND revision > ?"),
    message: database.prepare("SELECT * FROM message WHERE conversation_id = ? AND id = ?"),
    growing: database.prepare(`
      SELECT writer, (SELECT count(*) FROM growth WHERE message_seq = seq) AS pieces
      FROM message WHERE conversation_id = ? AND id = ? AND status = 'streaming'`),
    growth: database.prepare("SELECT text, reasoning FROM growth WHERE message_seq = ? ORDER BY number"),
    attachments: database.prepare(`
      SELECT type, format, message_attachment.title, hash, data
      FROM message_attachment JOIN attachment USING (hash) WHERE message_seq = ? ORDER BY position`),
  };
}
