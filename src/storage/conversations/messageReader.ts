import type { DatabaseSync } from "node:sqlite";
import type { Message } from "../../core/conversation/conversation.ts";
import { statementsOf } from "../database/journal.ts";
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
  readonly #sql: ReturnType<typeof statementsOf>;

  constructor(database: DatabaseSync) {
    this.#sql = statementsOf(database);
  }

  /** In the order in which they were added. */
  readAll(conversationId: string): readonly StoredMessage[] {
    const rows = this.#sql("SELECT * FROM message WHERE conversation_id = ? ORDER BY seq").all(
      conversationId,
    );
    return rows.map((row) => this.#readOne(row));
  }

  /** The messages that were changed after this revision, plus those of these IDs that are stored, in their order. */
  readChanged(conversationId: string, revision: number, ids: readonly string[]): readonly StoredMessage[] {
    const rows = this.#sql("SELECT * FROM message WHERE conversation_id = ? AND revision > ?").all(
      ...[conversationId, revision],
    );
    const one = this.#sql("SELECT * FROM message WHERE conversation_id = ? AND id = ?");
    const others = ids.filter((id) => !rows.some((row) => row["id"] === id));
    for (const id of others) rows.push(...one.all(conversationId, id));
    rows.sort((left, right) => numberColumn(left, "seq") - numberColumn(right, "seq"));
    return rows.map((row) => this.#readOne(row));
  }

  /** The window that writes the message and the pieces that it has grown by, if it is stored as streaming. */
  streaming(conversationId: string, messageId: string): Pick<StoredMessage, "writer" | "pieces"> | undefined {
    const row = this.#sql(
      `
      SELECT writer, (SELECT count(*) FROM growth WHERE message_seq = seq) AS pieces
      FROM message WHERE conversation_id = ? AND id = ? AND status = 'streaming'`,
    ).get(...[conversationId, messageId]);
    return row && { writer: textColumn(row, "writer"), pieces: numberColumn(row, "pieces") };
  }

  /** The latest revision of any message in the conversation. */
  revision(conversationId: string): number {
    const row = this.#sql("SELECT max(revision) AS revision FROM message WHERE conversation_id = ?");
    return numberColumn(row.get(conversationId) ?? {}, "revision");
  }

  /** The IDs of all messages, or only of those that are streaming. */
  ids(conversationId: string, which: "all" | "streaming"): readonly string[] {
    // Without the status, it uses only an index, however long the messages are.
    const condition = which === "all" ? "" : "AND status = 'streaming'";
    return this.#sql(`SELECT id FROM message WHERE conversation_id = ? ${condition}`)
      .all(conversationId)
      .map((row) => textColumn(row, "id"));
  }

  count(conversationId: string): number {
    const row = this.#sql("SELECT count(*) AS count FROM message WHERE conversation_id = ?");
    return numberColumn(row.get(conversationId) ?? {}, "count");
  }

  #readOne(row: Row): StoredMessage {
    const seq = numberColumn(row, "seq");
    const rows = this.#sql(
      `
      SELECT type, format, message_attachment.title, hash, data
      FROM message_attachment JOIN attachment USING (hash) WHERE message_seq = ? ORDER BY position`,
    ).all(seq);
    const growth =
      row["status"] === "streaming"
        ? this.#sql("SELECT text, reasoning FROM growth WHERE message_seq = ? ORDER BY number").all(seq)
        : [];
    const parsed = parseMessageRow(row, rows.flatMap(parseAttachment));
    const message = {
      ...parsed,
      text: [parsed.text, ...growth.map((piece) => textColumn(piece, "text"))].join(""),
      reasoning: [parsed.reasoning, ...growth.map((piece) => textColumn(piece, "reasoning"))].join(""),
    };
    return { message, writer: textColumn(row, "writer"), pieces: growth.length };
  }
}
