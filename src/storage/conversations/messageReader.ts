import type { DatabaseSync } from "node:sqlite";
import { messageLength } from "../../core/conversation/conversation.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import {
  isAltered,
  isAttachmentIntact,
  numberColumn,
  parseAttachment,
  parseMessageRow,
  textColumn,
} from "../database/messageRow.ts";
import type { Row } from "../database/messageRow.ts";

/** A stored message, with the window that writes it if it is stored as streaming. */
export interface StoredMessage {
  readonly message: Message;
  /** Empty if no window writes it. */
  readonly writer: string;
  /** How many pieces it has grown by. They are joined at its end. */
  readonly pieces: number;
}

/** Number of messages that are read at once, and of characters unless one is longer: about 1 ms. */
const [readAtOnce, lengthAtOnce] = [50, 1_000_000];

/** Reads the messages of conversations with their growth and attachments. Runs inside a transaction. */
export class MessageReader {
  readonly #statements: ReturnType<typeof prepareMessages>;
  /** Hashes of the attachments that were verified. */
  readonly #checkedAttachments = new Set<string>();

  constructor(database: DatabaseSync) {
    this.#statements = prepareMessages(database);
  }

  /** The positions of all messages, in the order in which they were added. */
  positions(conversationId: string): readonly number[] {
    return this.#statements.positions.all(conversationId).map((row) => numberColumn(row, "seq"));
  }

  /** The first of the messages at these positions, as many as are read at once, and how many positions that are. */
  readSome(
    conversationId: string,
    positions: readonly number[],
  ): { readonly messages: readonly StoredMessage[]; readonly count: number } {
    const messages: StoredMessage[] = [];
    let [count, length] = [0, 0];
    for (const position of positions.slice(0, readAtOnce)) {
      const stored = this.readAt(conversationId, position);
      count++;
      if (stored === undefined) continue;
      messages.push(stored);
      length += messageLength(stored.message);
      if (length > lengthAtOnce) break;
    }
    return { messages, count };
  }

  /** The message at this position; undefined if it no longer exists. */
  readAt(conversationId: string, position: number): StoredMessage | undefined {
    const row = this.#statements.messageAt.get(position, conversationId);
    return row && this.#readOne(row);
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
    const isDamaged = isAltered(row) || !rows.every((attachment) => this.#checkAttachment(attachment));
    const message = {
      ...parsed,
      text: [parsed.text, ...growth.map((piece) => textColumn(piece, "text"))].join(""),
      reasoning: [parsed.reasoning, ...growth.map((piece) => textColumn(piece, "reasoning"))].join(""),
      ...(parentId === "" ? {} : { parentId }),
      ...(isDamaged ? { isDamaged } : {}),
    };
    return { message, writer: textColumn(row, "writer"), pieces: growth.length };
  }

  /** Whether the attachment is intact. Each is checked only once, because hashing takes time. */
  #checkAttachment(row: Row): boolean {
    const hash = textColumn(row, "hash");
    if (this.#checkedAttachments.has(hash)) return true;
    if (!isAttachmentIntact(row)) return false;
    this.#checkedAttachments.add(hash);
    return true;
  }
}

function prepareMessages(database: DatabaseSync) {
  return {
    revision: database.prepare("SELECT max(revision) AS revision FROM message WHERE conversation_id = ?"),
    // Both use only an index, however long the messages are.
    ids: database.prepare("SELECT id FROM message WHERE conversation_id = ?"),
    positions: database.prepare("SELECT seq FROM message WHERE conversation_id = ? ORDER BY seq"),
    messageAt: database.prepare("SELECT * FROM message WHERE seq = ? AND conversation_id = ?"),
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
