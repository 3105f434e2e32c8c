import type { DatabaseSync } from "node:sqlite";
import type { ContentPart } from "../../core/conversation/completion.ts";
import type { Conversation, ConversationSummary, Message } from "../../core/conversation/conversation.ts";
import type { ConversationFields } from "../../core/conversation/conversationStore.ts";
import type { UsageQuery, UsageTotal } from "../../core/conversation/usageTotals.ts";
import { parseConversationSettings } from "../../core/conversation/parseConversationSettings.ts";
import { isAttachmentIntact, parseAttachment } from "../database/attachmentRow.ts";
import { parseJson } from "../../core/conversation/messageDetails.ts";
import { DraftTable } from "./draftTable.ts";
import { numberColumn, parseLease, parseMessageRow, textColumn } from "../database/messageRow.ts";
import type { Row } from "../database/messageRow.ts";
import { isAltered, isGrowthAltered } from "../database/messageChecksum.ts";
import { Parents } from "../database/parents.ts";
import type { StreamLease } from "../database/streamLease.ts";
import { readUsage } from "./usageReader.ts";

/** A message of which the file says that it is streaming: someone must judge whether that is still true. */
export interface StreamingMessage {
  readonly message: Message;
  readonly lease: StreamLease;
}

export interface ListChanges {
  readonly changed: readonly ConversationSummary[];
  readonly deletedIds: readonly string[];
  readonly count: number;
}

export interface StoredConversation {
  readonly conversation: Conversation;
  readonly streaming: readonly StreamingMessage[];
}

/** The attachments of one message. */
interface ReadAttachments {
  readonly parts: ContentPart[];
  /** Whether one of them is not what was stored. */
  readonly isAltered: boolean;
}

interface ReadGrowth {
  text: string;
  reasoning: string;
  /** Whether a part of it is not what was stored. */
  isAltered: boolean;
}

export interface StoredChanges {
  /** Undefined where the conversation isn't stored. */
  readonly fields: ConversationFields | undefined;
  readonly revision: number;
  /** In the order in which they were added; those of which the file says that they are streaming with their leases. */
  readonly messages: readonly StreamingMessage[];
}

/** Reads conversations from one open database. */
export class ConversationReader {
  readonly drafts: DraftTable;
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof prepareReading>;
  /** Hashes of the attachments that were found to be what was stored. */
  readonly #checkedAttachments = new Set<string>();

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = prepareReading(database);
    this.drafts = new DraftTable(database);
  }

  /** The latest first. */
  list(): readonly ConversationSummary[] {
    return this.#statements.conversations.all().map(parseSummary);
  }

  /** Another number whenever what `list` gives has changed, and greater than before while the file is the same. */
  listRevision(): number {
    return numberColumn(this.#statements.listRevision.get() ?? {}, "value");
  }

  /** The conversations that have changed in the list since it had this revision, and how many it has now. */
  listChanges(revision: number): ListChanges {
    const rows = this.#statements.changedConversations.all(revision);
    return {
      changed: rows.filter((row) => row["deleted_at"] === null).map(parseSummary),
      deletedIds: rows.filter((row) => row["deleted_at"] !== null).map((row) => textColumn(row, "id")),
      count: numberColumn(this.#statements.countConversations.get() ?? {}, "count"),
    };
  }

  /** Whether the file may still have what was deleted before deletions were overwritten. */
  needsVacuum(): boolean {
    return this.#statements.vacuumTask.get() !== undefined;
  }

  load(id: string): StoredConversation | undefined {
    // One transaction, so that another window can't change the rows between the statements.
    this.#database.exec("BEGIN");
    try {
      const row = this.#statements.conversation.get(id);
      return row === undefined ? undefined : this.#read(row);
    } finally {
      this.#database.exec("COMMIT");
    }
  }

  /** How much of the conversation's messages is stored now, and the ids of those that stream. */
  state(id: string): { readonly revision: number; readonly streaming: readonly string[] } {
    const revision = numberColumn(this.#statements.revision.get(id) ?? {}, "revision");
    return { revision, streaming: this.#statements.streaming.all(id).map((row) => textColumn(row, "id")) };
  }

  /** The messages that were changed after this revision, and these; deleted conversations have theirs, too. */
  changes(id: string, revision: number, open: readonly string[]): StoredChanges {
    this.#database.exec("BEGIN");
    try {
      const row = this.#statements.storedConversation.get(id);
      const rows = this.#statements.changed.all(id, revision);
      const others = open.filter((one) => !rows.some((changed) => changed["id"] === one));
      for (const one of others) rows.push(...this.#statements.message.all(id, one));
      rows.sort((left, right) => numberColumn(left, "seq") - numberColumn(right, "seq"));
      return {
        fields: row === undefined ? undefined : { ...parseSummary(row), ...parseFields(row) },
        revision: Math.max(revision, ...rows.map((changed) => numberColumn(changed, "revision"))),
        messages: rows.map((changed) => ({
          message: this.#readOne(id, changed),
          lease: parseLease(changed),
        })),
      };
    } finally {
      this.#database.exec("COMMIT");
    }
  }

  /** Another number once another connection has written. */
  dataVersion(): number {
    return numberColumn(this.#statements.dataVersion.get() ?? {}, "data_version");
  }

  usage(query: UsageQuery): readonly UsageTotal[] {
    return readUsage(this.#database, query);
  }

  #read(row: Row): StoredConversation {
    const summary = parseSummary(row);
    const attachments = this.#readAttachments(summary.id);
    const growths = this.#readGrowths(summary.id);
    const streaming: StreamingMessage[] = [];
    const parents = new Parents();
    const messages = this.#statements.messages.all(summary.id).map((messageRow) => {
      const seq = numberColumn(messageRow, "seq");
      const { parts = [], isAltered: hasAltered = false } = attachments.get(seq) ?? {};
      const parsed = parseMessageRow(messageRow, parts);
      const growth = growths.get(seq);
      const message = {
        ...withGrowth(parsed, growth),
        ...parents.parentOf(parsed.id, messageRow["parent_id"]),
        ...(isAltered(messageRow) || hasAltered || growth?.isAltered === true ? { isDamaged: true } : {}),
      };
      if (message.status === "streaming") streaming.push({ message, lease: parseLease(messageRow) });
      return message;
    });
    return { conversation: { ...summary, ...parseFields(row), messages }, streaming };
  }

  #readOne(conversationId: string, row: Row): Message {
    const seq = numberColumn(row, "seq");
    const attachments = this.#statements.attachmentsOfOne.all(seq);
    const chunks = this.#statements.chunksOfOne.all(seq);
    const join = (name: string): string => chunks.map((chunk) => textColumn(chunk, name)).join("");
    const parsed = parseMessageRow(row, attachments.flatMap(parseAttachment));
    const grown = chunks.length === 0 ? undefined : { text: join("text"), reasoning: join("reasoning") };
    const parent = row["parent_id"] ?? this.#statements.before.get(conversationId, seq)?.["id"];
    const isDamaged =
      isAltered(row) ||
      chunks.some(isGrowthAltered) ||
      !attachments.every((attachment) => this.#checkAttachment(attachment));
    return {
      ...withGrowth(parsed, grown),
      ...(typeof parent === "string" && parent !== "" ? { parentId: parent } : {}),
      ...(isDamaged ? { isDamaged } : {}),
    };
  }

  #readAttachments(conversationId: string): ReadonlyMap<number, ReadAttachments> {
    const byMessage = new Map<number, ReadAttachments>();
    for (const row of this.#statements.attachments.iterate(conversationId)) {
      const seq = numberColumn(row, "message_seq");
      const { parts = [], isAltered: hasAltered = false } = byMessage.get(seq) ?? {};
      parts.push(...parseAttachment(row));
      byMessage.set(seq, { parts, isAltered: hasAltered || !this.#checkAttachment(row) });
    }
    return byMessage;
  }

  /** Whether the attachment is what was stored; each is checked once, as hashing takes its time. */
  #checkAttachment(row: Row): boolean {
    const hash = textColumn(row, "hash");
    if (this.#checkedAttachments.has(hash)) return true;
    if (!isAttachmentIntact(row)) return false;
    this.#checkedAttachments.add(hash);
    return true;
  }

  /**
   * What messages have grown by since their rows were written, by the numbers of the rows. Also of those that are
   * settled: one whose writer was only taken for dead goes on.
   */
  #readGrowths(conversationId: string): ReadonlyMap<number, ReadGrowth> {
    const bySeq = new Map<number, ReadGrowth>();
    for (const row of this.#statements.chunks.iterate(conversationId)) {
      const [seq, text, reasoning] = [
        numberColumn(row, "message_seq"),
        textColumn(row, "text"),
        textColumn(row, "reasoning"),
      ];
      const growth = bySeq.get(seq);
      const isAltered = isGrowthAltered(row);
      if (growth === undefined) {
        bySeq.set(seq, { text, reasoning, isAltered });
        continue;
      }
      growth.text += text;
      growth.reasoning += reasoning;
      growth.isAltered ||= isAltered;
    }
    return bySeq;
  }
}

function withGrowth(message: Message, growth: Pick<Message, "text" | "reasoning"> | undefined): Message {
  if (growth === undefined) return message;
  return {
    ...message,
    text: message.text + growth.text,
    reasoning: message.reasoning + growth.reasoning,
  };
}

function prepareReading(database: DatabaseSync) {
  return {
    dataVersion: database.prepare("PRAGMA data_version"),
    conversations: database.prepare(
      `SELECT id, title, created_at, updated_at, is_pinned, title_source FROM conversation
       WHERE deleted_at IS NULL
       ORDER BY updated_at DESC, rowid DESC`,
    ),
    conversation: database.prepare("SELECT * FROM conversation WHERE id = ? AND deleted_at IS NULL"),
    // Deleted at 0: given up for good, and being removed.
    storedConversation: database.prepare(
      "SELECT * FROM conversation WHERE id = ? AND (deleted_at IS NULL OR deleted_at > 0)",
    ),
    revision: database.prepare("SELECT max(revision) AS revision FROM message WHERE conversation_id = ?"),
    streaming: database.prepare("SELECT id FROM message WHERE conversation_id = ? AND status = 'streaming'"),
    changed: database.prepare("SELECT * FROM message WHERE conversation_id = ? AND revision > ?"),
    message: database.prepare("SELECT * FROM message WHERE conversation_id = ? AND id = ?"),
    before: database.prepare(
      "SELECT id FROM message WHERE conversation_id = ? AND seq < ? ORDER BY seq DESC LIMIT 1",
    ),
    chunksOfOne: database.prepare(
      "SELECT text, reasoning, checksum FROM message_chunk WHERE message_seq = ? ORDER BY seq",
    ),
    attachmentsOfOne: database.prepare(`
      SELECT message_seq, type, format, message_attachment.title, hash, data
      FROM message_attachment JOIN attachment USING (hash) WHERE message_seq = ? ORDER BY position`),
    messages: database.prepare("SELECT * FROM message WHERE conversation_id = ? ORDER BY seq"),
    // By the chunks, of which there are few at any time: only what streams has some.
    chunks: database.prepare(`
      SELECT message_seq, message_chunk.text, message_chunk.reasoning, message_chunk.checksum
      FROM message_chunk CROSS JOIN message ON message.seq = message_seq
      WHERE conversation_id = ?
      ORDER BY message_chunk.seq`),
    attachments: database.prepare(`
      SELECT message_seq, type, format, message_attachment.title, hash, data
      FROM message
      JOIN message_attachment ON message_seq = message.seq
      JOIN attachment USING (hash)
      WHERE conversation_id = ?
      ORDER BY message_seq, position`),
    vacuumTask: database.prepare("SELECT 1 FROM housekeeping WHERE task = 'vacuum'"),
    listRevision: database.prepare("SELECT value FROM list_revision"),
    changedConversations: database.prepare(
      `SELECT id, title, created_at, updated_at, is_pinned, title_source, deleted_at FROM conversation
       WHERE revision > ?`,
    ),
    countConversations: database.prepare(
      `SELECT (SELECT count(*) FROM conversation)
        - (SELECT count(*) FROM conversation WHERE deleted_at IS NOT NULL) AS count`,
    ),
  };
}

function parseSummary(row: Row): ConversationSummary {
  const source = row["title_source"];
  return {
    id: textColumn(row, "id"),
    title: textColumn(row, "title"),
    createdAt: numberColumn(row, "created_at"),
    updatedAt: numberColumn(row, "updated_at"),
    ...(row["is_pinned"] === 1 ? { isPinned: true } : {}),
    ...(source === "user" || source === "model" ? { titleSource: source } : {}),
  };
}

function parseFields(row: Row): Pick<Conversation, "model" | "settings" | "leafId"> {
  const [model, leafId] = [textColumn(row, "model"), textColumn(row, "leaf_id")];
  const settings = parseConversationSettings(parseJson(row["settings"]));
  return {
    ...(model === "" ? {} : { model }),
    ...(settings === undefined ? {} : { settings }),
    ...(leafId === "" ? {} : { leafId }),
  };
}
