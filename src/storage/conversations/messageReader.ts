import type { DatabaseSync } from "node:sqlite";
import type { ContentPart } from "../../core/conversation/completion.ts";
import type { Message } from "../../core/conversation/conversation.ts";
import {
  isAltered,
  isAttachmentIntact,
  isGrowthAltered,
  joinGrowth,
  numberColumn,
  parseAttachment,
  parseMessageRow,
  textColumn,
  withGrowth,
} from "../database/messageRow.ts";
import type { ReadGrowth, Row } from "../database/messageRow.ts";

/** A stored message, with the window that writes it if it is stored as streaming. */
export interface StoredMessage {
  readonly message: Message;
  /** Empty if no window writes it. */
  readonly writer: string;
  /** The position up to which it was read. */
  readonly place: GrowthPlace;
}

/** How much of a streaming message has been read: up to this piece of the row with this revision. */
interface GrowthPlace {
  readonly revision: number;
  readonly number: number;
}

/** The growth of a streaming message since a given position. */
interface StoredGrowth {
  readonly text: string;
  readonly reasoning: string;
  readonly place: GrowthPlace;
  readonly writer: string;
}

/** One attachment of a message, empty if it can't be parsed. */
export interface OneAttachment {
  readonly parts: readonly ContentPart[];
  readonly isIntact: boolean;
}

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

  /**
   * The message at this position; undefined if it no longer exists.
   * @param attachments Its attachments if they were read before. Those that were changed since then are read again.
   */
  readAt(
    conversationId: string,
    position: number,
    attachments?: ReadonlyMap<string, OneAttachment>,
  ): StoredMessage | undefined {
    const row = this.#statements.messageAt.get(position, conversationId);
    return row && this.#readOne(row, attachments);
  }

  /** The messages at these positions, up to the first that has attachments, and the number of positions. */
  readPlain(
    conversationId: string,
    positions: readonly number[],
  ): { readonly messages: readonly StoredMessage[]; readonly count: number } {
    const first = positions.findIndex((position) => this.attachmentKeys(position).length > 0);
    const plain = first === -1 ? positions : positions.slice(0, first);
    return {
      messages: plain.flatMap((position) => this.readAt(conversationId, position, new Map()) ?? []),
      count: plain.length,
    };
  }

  /** What identifies each attachment of the message at this position, in their order. Doesn't read their contents. */
  attachmentKeys(position: number): readonly string[] {
    return this.#statements.attachmentKeys.all(position).map(attachmentKey);
  }

  /** One attachment of the message at this position; undefined if it no longer exists. */
  readAttachment(position: number, key: string): OneAttachment | undefined {
    const row = this.#statements.attachmentAt.get(position, Number(key.slice(0, key.indexOf(" "))));
    if (row === undefined || attachmentKey(row) !== key) return undefined;
    return { parts: parseAttachment(row), isIntact: this.#checkAttachment(row) };
  }

  /** The messages that were changed after this revision, plus those of these IDs that are stored, in their order. */
  readChanged(conversationId: string, revision: number, ids: readonly string[]): readonly StoredMessage[] {
    const rows = this.#statements.changed.all(conversationId, revision);
    const others = ids.filter((id) => !rows.some((row) => row["id"] === id));
    for (const id of others) rows.push(...this.#statements.message.all(conversationId, id));
    rows.sort((left, right) => numberColumn(left, "seq") - numberColumn(right, "seq"));
    return rows.map((row) => this.#readOne(row));
  }

  /**
   * The growth of a streaming message since then, without reading the earlier text. Undefined if the message has
   * changed in any other way.
   */
  readGrowth(conversationId: string, messageId: string, since: GrowthPlace): StoredGrowth | undefined {
    const row = this.#statements.growing.get(conversationId, messageId);
    if (row?.["status"] !== "streaming" || row["revision"] !== since.revision) return undefined;
    const rows = this.#statements.growthSince.all(numberColumn(row, "seq"), since.number);
    if (rows.some(isGrowthAltered)) return undefined;
    const growth = joinGrowth(rows);
    const number = growth?.number ?? since.number;
    return {
      ...{ text: growth?.text ?? "", reasoning: growth?.reasoning ?? "" },
      ...{ place: { revision: since.revision, number }, writer: textColumn(row, "writer") },
    };
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

  #readOne(row: Row, before?: ReadonlyMap<string, OneAttachment>): StoredMessage {
    const seq = numberColumn(row, "seq");
    const attachments = this.attachmentKeys(seq).flatMap(
      (key) => before?.get(key) ?? this.readAttachment(seq, key) ?? [],
    );
    const growth =
      row["status"] === "streaming" ? joinGrowth(this.#statements.growthSince.all(seq, 0)) : undefined;
    const parsed = parseMessageRow(
      row,
      attachments.flatMap(({ parts }) => parts),
    );
    const parent = row["parent_id"];
    const isDamaged =
      isAltered(row) || growth?.isAltered === true || !attachments.every(({ isIntact }) => isIntact);
    const message = {
      ...withGrowth(parsed, growth),
      ...(typeof parent === "string" && parent !== "" ? { parentId: parent } : {}),
      ...(isDamaged ? { isDamaged } : {}),
    };
    return { message, writer: textColumn(row, "writer"), place: placeOf(row, growth) };
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

function attachmentKey(row: Row): string {
  return `${numberColumn(row, "position")} ${textColumn(row, "hash")}`;
}

function placeOf(row: Row, growth: ReadGrowth | undefined): GrowthPlace {
  return { revision: numberColumn(row, "revision"), number: growth?.number ?? 0 };
}

/**
 * Finds the parents of a conversation's messages, which arrive in row order. A message whose parent is lost follows the
 * one before it.
 */
class Parents {
  readonly #known = new Set<string>();
  #before: string | undefined;

  /** @param column Empty for a first message, otherwise the parent's ID. */
  parentOf(id: string, column: unknown): { readonly parentId?: string } {
    const parentId = this.#find(column);
    this.#known.add(id);
    this.#before = id;
    return parentId === undefined ? {} : { parentId };
  }

  #find(column: unknown): string | undefined {
    if (column === "") return undefined;
    return typeof column === "string" && this.#known.has(column) ? column : this.#before;
  }
}

/** The messages in their order. One whose parent is lost follows the one before it. */
export function withKnownParents(messages: readonly StoredMessage[]): readonly StoredMessage[] {
  const parents = new Parents();
  return messages.map((stored) => {
    const { id, parentId } = stored.message;
    const found = parents.parentOf(id, parentId ?? "");
    return found.parentId === parentId ? stored : { ...stored, message: { ...stored.message, ...found } };
  });
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
      SELECT seq, status, revision, writer FROM message WHERE conversation_id = ? AND id = ?`),
    growthSince: database.prepare(`
      SELECT number, text, reasoning, checksum FROM growth WHERE message_seq = ? AND number > ? ORDER BY number`),
    attachmentKeys: database.prepare(
      "SELECT position, hash FROM message_attachment WHERE message_seq = ? ORDER BY position",
    ),
    attachmentAt: database.prepare(`
      SELECT position, type, format, message_attachment.title, hash, data
      FROM message_attachment JOIN attachment USING (hash) WHERE message_seq = ? AND position = ?`),
  };
}
