import type { DatabaseSync } from "node:sqlite";
import type { ContentPart } from "../core/completion.ts";
import type { Conversation, ConversationSummary, Message } from "../core/conversation.ts";
import type { Draft, MessageDelta } from "../core/conversationStore.ts";
import { emptyDraft } from "../core/conversationStore.ts";
import type { UsageQuery, UsageTotal } from "../core/usage/usageTotals.ts";
import { parseConversationSettings } from "../core/parseConversationSettings.ts";
import { parseAttachment } from "./attachmentRow.ts";
import { parseJson } from "../core/messageDetails.ts";
import { numberColumn, parseLease, parseMessageRow, textColumn } from "./messageRow.ts";
import type { Row } from "./messageRow.ts";
import { Parents } from "./parents.ts";
import type { StreamLease } from "./streamLease.ts";
import { readUsage } from "./usageReader.ts";

/** A message of which the file says that it is streaming: someone must judge whether that is still true. */
export interface StreamingMessage {
  readonly message: Message;
  readonly lease: StreamLease;
}

export interface StoredConversation {
  readonly conversation: Conversation;
  readonly streaming: readonly StreamingMessage[];
}

/** Reads conversations from one open database. */
export class ConversationReader {
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof prepareReading>;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = prepareReading(database);
  }

  /** The latest first. */
  list(): readonly ConversationSummary[] {
    return this.#statements.conversations.all().map(parseSummary);
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

  /** Another number once another connection has written. */
  dataVersion(): number {
    return numberColumn(this.#statements.dataVersion.get() ?? {}, "data_version");
  }

  usage(query: UsageQuery): readonly UsageTotal[] {
    return readUsage(this.#database, query);
  }

  draft(conversationId: string): Draft {
    const row = this.#statements.draft.get(conversationId);
    if (row === undefined) return emptyDraft;
    const text = textColumn(row, "text");
    const rows = this.#statements.draftAttachments.all(conversationId);
    return { text, attachments: rows.flatMap(parseAttachment) };
  }

  #read(row: Row): StoredConversation {
    const summary = parseSummary(row);
    const attachments = this.#readAttachments(summary.id);
    const growths = this.#readGrowths(summary.id);
    const streaming: StreamingMessage[] = [];
    const parents = new Parents();
    const messages = this.#statements.messages.all(summary.id).map((messageRow) => {
      const seq = numberColumn(messageRow, "seq");
      const parsed = parseMessageRow(messageRow, attachments.get(seq) ?? []);
      const grown = withGrowth(parsed, growths.get(seq));
      const message = { ...grown, ...parents.parentOf(parsed.id, messageRow["parent_id"]) };
      if (message.status === "streaming") streaming.push({ message, lease: parseLease(messageRow) });
      return message;
    });
    return { conversation: { ...summary, ...parseFields(row), messages }, streaming };
  }

  #readAttachments(conversationId: string): ReadonlyMap<number, readonly ContentPart[]> {
    const byMessage = new Map<number, ContentPart[]>();
    for (const row of this.#statements.attachments.iterate(conversationId)) {
      const seq = numberColumn(row, "message_seq");
      const parts = byMessage.get(seq);
      if (parts === undefined) byMessage.set(seq, [...parseAttachment(row)]);
      else parts.push(...parseAttachment(row));
    }
    return byMessage;
  }

  /**
   * What messages have grown by since their rows were written, by the numbers of the rows. Also of those that are
   * settled: one whose writer was only taken for dead goes on.
   */
  #readGrowths(conversationId: string): ReadonlyMap<number, MessageDelta> {
    const bySeq = new Map<number, { -readonly [name in keyof MessageDelta]: string }>();
    for (const row of this.#statements.chunks.iterate(conversationId)) {
      const [seq, text, reasoning] = [
        numberColumn(row, "message_seq"),
        textColumn(row, "text"),
        textColumn(row, "reasoning"),
      ];
      const growth = bySeq.get(seq);
      if (growth === undefined) {
        bySeq.set(seq, { text, reasoning });
        continue;
      }
      growth.text += text;
      growth.reasoning += reasoning;
    }
    return bySeq;
  }
}

function withGrowth(message: Message, growth: MessageDelta | undefined): Message {
  if (growth === undefined) return message;
  return {
    ...message,
    text: message.text + growth.text,
    reasoning: message.reasoning + growth.reasoning,
  };
}

function prepareReading(database: DatabaseSync) {
  return {
    conversations: database.prepare(
      `SELECT id, title, created_at, updated_at, is_pinned, title_source FROM conversation
       WHERE deleted_at IS NULL
       ORDER BY updated_at DESC, rowid DESC`,
    ),
    conversation: database.prepare("SELECT * FROM conversation WHERE id = ? AND deleted_at IS NULL"),
    messages: database.prepare("SELECT * FROM message WHERE conversation_id = ? ORDER BY seq"),
    // By the chunks, of which there are few at any time: only what streams has some.
    chunks: database.prepare(`
      SELECT message_seq, message_chunk.text, message_chunk.reasoning
      FROM message_chunk CROSS JOIN message ON message.seq = message_seq
      WHERE conversation_id = ?
      ORDER BY message_chunk.seq`),
    attachments: database.prepare(`
      SELECT message_seq, type, format, message_attachment.title, data
      FROM message
      JOIN message_attachment ON message_seq = message.seq
      JOIN attachment USING (hash)
      WHERE conversation_id = ?
      ORDER BY message_seq, position`),
    dataVersion: database.prepare("PRAGMA data_version"),
    // One that was never sent has no conversation yet.
    draft: database.prepare(`
      SELECT text FROM draft WHERE conversation_id = ?1
        AND NOT EXISTS (SELECT 1 FROM conversation WHERE id = ?1 AND deleted_at IS NOT NULL)`),
    draftAttachments: database.prepare(`
      SELECT type, format, title, data FROM draft_attachment JOIN attachment USING (hash)
      WHERE conversation_id = ?
      ORDER BY position`),
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
