import { createHash, randomUUID } from "node:crypto";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import type { ContentPart } from "../core/completion.ts";
import type { Conversation, ConversationSummary, Message } from "../core/conversation.ts";
import type { ConversationStore, MessageDelta } from "../core/conversationStore.ts";
import type { ErrorFacts } from "../core/errors.ts";
import { parseAttachment, parseMessageRow, writeDetails } from "./messageRow.ts";
import { prepareStatements } from "./statements.ts";
import type { Statements } from "./statements.ts";
import { isLeaseAlive, leaseRenewalMs, writerName } from "./streamLease.ts";
import { WriteQueue } from "./writeQueue.ts";

export interface StoreOptions {
  /** Milliseconds since 1970. */
  now(): number;
  /** Hears a sentence for the user when something can't be written or had to be recovered. */
  onProblem(sentence: string): void;
}

type Row = Readonly<Record<string, unknown>>;

/** Conversations in SQLite. Several windows may have the same file open. */
export class SqliteConversationStore implements ConversationStore {
  readonly #database: DatabaseSync;
  readonly #options: StoreOptions;
  readonly #statements: Statements;
  readonly #queue: WriteQueue;
  readonly #writer = writerName(process.pid, randomUUID());
  /** Streaming messages of this window, with what they grew by since the last write. */
  readonly #growing = new Map<string, { text: string; reasoning: string; sequence: number }>();
  readonly #renewal: NodeJS.Timeout;

  constructor(database: DatabaseSync, options: StoreOptions) {
    this.#database = database;
    this.#options = options;
    this.#statements = prepareStatements(database);
    this.#queue = new WriteQueue(database, options.onProblem);
    this.#renewal = setInterval(() => this.#renewLeases(), leaseRenewalMs).unref();
  }

  list(): readonly ConversationSummary[] {
    this.flush();
    return this.#statements.listConversations.all().map(parseSummary);
  }

  load(id: string): Conversation | undefined {
    this.flush();
    const row = this.#statements.findConversation.get(id);
    if (row === undefined) return undefined;
    const model = row["model"];
    return {
      ...parseSummary(row),
      ...(typeof model === "string" ? { model } : {}),
      messages: this.#statements.listMessages.all(id).map((message) => this.#readMessage(message)),
    };
  }

  saveConversation(conversation: Omit<Conversation, "messages">): void {
    const { id, title, model, createdAt, updatedAt } = conversation;
    this.#queue.add(() => {
      this.#statements.putConversation.run(id, title, model ?? null, createdAt, updatedAt);
    });
  }

  saveMessage(conversationId: string, message: Message): void {
    const isStreaming = message.status === "streaming";
    if (isStreaming) this.#growing.set(message.id, { text: "", reasoning: "", sequence: 0 });
    else this.#growing.delete(message.id);
    this.#queue.add(() => this.#writeMessage(conversationId, message));
  }

  appendDelta(_conversationId: string, messageId: string, delta: MessageDelta): void {
    const growing = this.#growing.get(messageId);
    if (growing === undefined) return;
    const isFirst = growing.text === "" && growing.reasoning === "";
    growing.text += delta.text;
    growing.reasoning += delta.reasoning;
    if (isFirst) this.#queue.add(() => this.#writeChunk(messageId));
  }

  deleteMessage(_conversationId: string, messageId: string): void {
    this.#growing.delete(messageId);
    this.#queue.add(() => {
      this.#statements.deleteMessage.run(messageId);
      this.#statements.deleteUnusedAttachments.run();
    });
  }

  deleteConversation(id: string): void {
    this.#queue.add(() => {
      this.#statements.deleteConversation.run(id);
      this.#statements.deleteDraft.run(id);
      this.#statements.deleteUnusedAttachments.run();
    });
  }

  loadDraft(conversationId: string): string {
    this.flush();
    const text = this.#statements.findDraft.get(conversationId)?.["text"];
    return typeof text === "string" ? text : "";
  }

  saveDraft(conversationId: string, text: string): void {
    this.#queue.add(() => {
      if (text === "") this.#statements.deleteDraft.run(conversationId);
      else this.#statements.putDraft.run(conversationId, text);
    });
  }

  flush(): void {
    this.#queue.flush();
  }

  close(): void {
    clearInterval(this.#renewal);
    this.flush();
    if (this.#database.isOpen) this.#database.close();
  }

  #writeMessage(conversationId: string, message: Message): void {
    const isStreaming = message.status === "streaming";
    this.#statements.putMessage.run({
      id: message.id,
      conversation: conversationId,
      role: message.role,
      status: message.status,
      createdAt: message.createdAt,
      text: message.text,
      reasoning: message.reasoning,
      details: writeDetails(message),
      writer: isStreaming ? this.#writer : null,
      writtenAt: isStreaming ? this.#options.now() : null,
    });
    this.#statements.deleteChunks.run(message.id);
    this.#statements.deleteMessageAttachments.run(message.id);
    message.attachments.forEach((part, index) => this.#writeAttachment(message.id, index, part));
  }

  #writeAttachment(messageId: string, position: number, part: ContentPart): void {
    const text = JSON.stringify(part);
    const hash = createHash("sha256").update(text).digest("hex");
    this.#statements.putAttachment.run(hash, text);
    this.#statements.putMessageAttachment.run(messageId, position, hash);
  }

  #writeChunk(messageId: string): void {
    const growing = this.#growing.get(messageId);
    if (growing === undefined || (growing.text === "" && growing.reasoning === "")) return;
    this.#statements.putChunk.run(messageId, growing.sequence, growing.text, growing.reasoning);
    this.#statements.renewLease.run(this.#options.now(), messageId);
    growing.sequence++;
    growing.text = "";
    growing.reasoning = "";
  }

  #renewLeases(): void {
    for (const messageId of this.#growing.keys()) {
      this.#queue.add(() => void this.#statements.renewLease.run(this.#options.now(), messageId));
    }
  }

  #readMessage(row: Row): Message {
    const id = typeof row["id"] === "string" ? row["id"] : "";
    const message = parseMessageRow(row, this.#readAttachments(id));
    if (message.status !== "streaming") return message;
    const grown = readChunks(this.#statements.listChunks, id);
    const text = message.text + grown.text;
    const reasoning = message.reasoning + grown.reasoning;
    if (this.#growing.has(id)) return { ...message, text, reasoning };
    return { ...message, text, reasoning, status: "failed", error: this.#interruption(row) };
  }

  #readAttachments(messageId: string): readonly ContentPart[] {
    return this.#statements.listAttachments.all(messageId).flatMap((row) => {
      const part = parseAttachment(row["part"]);
      return part === undefined ? [] : [part];
    });
  }

  #interruption(row: Row): ErrorFacts {
    const writer = typeof row["writer"] === "string" ? row["writer"] : "";
    const writtenAt = typeof row["written_at"] === "number" ? row["written_at"] : 0;
    return {
      reason: "truncated",
      message: isLeaseAlive({ writer, writtenAt }, this.#options.now())
        ? "Another window is receiving this answer. Open the conversation again to see all of it."
        : "VS Code ended while this answer was coming. What had come is kept; retry to have it answered again.",
    };
  }
}

function readChunks(statement: StatementSync, messageId: string): MessageDelta {
  let text = "";
  let reasoning = "";
  for (const row of statement.all(messageId)) {
    if (typeof row["text"] === "string") text += row["text"];
    if (typeof row["reasoning"] === "string") reasoning += row["reasoning"];
  }
  return { text, reasoning };
}

function parseSummary(row: Row): ConversationSummary {
  const { id, title, created_at: createdAt, updated_at: updatedAt } = row;
  return {
    id: typeof id === "string" ? id : "",
    title: typeof title === "string" ? title : "",
    createdAt: typeof createdAt === "number" ? createdAt : 0,
    updatedAt: typeof updatedAt === "number" ? updatedAt : 0,
  };
}
