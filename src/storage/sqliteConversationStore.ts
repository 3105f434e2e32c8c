import { t } from "@vscode/l10n";
import type { Conversation, ConversationSummary, Message, TitleSource } from "../core/conversation.ts";
import type {
  ConversationFields,
  ConversationStore,
  Draft,
  MessageDelta,
} from "../core/conversationStore.ts";
import { emptyDraft } from "../core/conversationStore.ts";
import { ServiceError } from "../core/errors.ts";
import type { SearchAnswer } from "../core/search/searchAnswer.ts";
import type { UsageQuery, UsageTotal } from "../core/usage/usageTotals.ts";
import { ConversationReader } from "./conversationReader.ts";
import type { StreamingMessage } from "./conversationReader.ts";
import { ConversationWriter } from "./conversationWriter.ts";
import type { DatabaseFile, OpenDatabase } from "./databaseFile.ts";
import { ConversationSearch } from "./search/conversationSearch.ts";
import type { SearchIndex } from "./search/searchIndex.ts";
import { SearchIndexer } from "./search/searchIndexer.ts";
import { SearchTables } from "./search/searchTables.ts";
import { sqliteTrouble } from "./sqliteTrouble.ts";
import { createLease, isLeaseAlive, leaseRenewalMs } from "./streamLease.ts";
import { WriteQueue } from "./writeQueue.ts";
import type { Change } from "./writeQueue.ts";

export interface StoreOptions {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some moment, by a clock that nobody sets; that of the process unless a test has its own. */
  monotonic?(): number;
  /** Hears a sentence for the user when something can't be written or had to be recovered. */
  onProblem(sentence: string): void;
}

/** How often a read or the last write is tried while another window holds the file; each try waits a little. */
const busyAttempts = 5;

/** One open database with its statements. */
interface Connection {
  readonly open: OpenDatabase;
  readonly reader: ConversationReader;
  readonly writer: ConversationWriter;
  readonly search: SearchTables;
}

/** A conversation that was deleted in a window that crashed is kept for so long (milliseconds), then purged. */
const deletedForMs = 3_600_000;

/** A message that this window is writing. */
interface Growing {
  readonly conversationId: string;
  readonly messageId: string;
}

/** Conversations in SQLite. Several windows may have the same file open. */
export class SqliteConversationStore implements ConversationStore {
  readonly #file: DatabaseFile;
  readonly #options: StoreOptions;
  readonly #queue: WriteQueue;
  readonly #growing = new Map<string, Growing>();
  #connection: Connection;
  #renewal: NodeJS.Timeout | undefined;
  #isClosed = false;
  readonly #search: ConversationSearch;
  readonly #indexer: SearchIndexer;
  /** What this window deleted: it can be restored until the window closes. */
  readonly #deleted = new Set<string>();
  /** Counts what changes the list here; the other windows' changes are counted by SQLite. */
  #listChanges = 0;
  #list: { readonly version: string; readonly summaries: readonly ConversationSummary[] } | undefined;

  constructor(file: DatabaseFile, index: SearchIndex, options: StoreOptions) {
    this.#file = file;
    this.#options = options;
    this.#connection = connect(file.open());
    const source = () => ({
      tables: this.#connection.search,
      transact: (change: Change) => this.#transact([change]),
    });
    this.#search = new ConversationSearch(index, source, () => options.monotonic?.() ?? performance.now());
    this.#indexer = new SearchIndexer(() => this.#read(() => this.#search.indexSlice()));
    this.#queue = new WriteQueue({
      write: (changes) => this.#write(changes),
      trouble: sqliteTrouble,
      onFailure: (error, isLost) => this.#reportFailure(error, isLost),
    });
    this.#add(() => this.#connection.writer.purgeBefore(options.now() - deletedForMs));
    this.#indexer.wake();
  }

  list(): readonly ConversationSummary[] {
    return this.#read((reader) => this.#readList(reader));
  }

  listVersion(): string {
    return this.#read((reader) => this.#listVersion(reader));
  }

  search(query: string): SearchAnswer {
    return this.#read((reader) => this.#search.search(query, this.#readList(reader)));
  }

  /** An answer that a crashed window left unfinished comes back as `failed` with the reason `truncated`. */
  load(id: string): Conversation | undefined {
    const stored = this.#read((reader) => reader.load(id));
    if (stored === undefined) return undefined;
    const settled = new Map(
      stored.streaming
        .filter((streaming) => this.#isAbandoned(id, streaming))
        .map((streaming) => [streaming.message.id, this.#settle(id, streaming)]),
    );
    const { conversation } = stored;
    if (settled.size === 0) return conversation;
    return {
      ...conversation,
      messages: conversation.messages.map((message) => settled.get(message.id) ?? message),
    };
  }

  saveConversation(conversation: ConversationFields): void {
    this.#deleted.delete(conversation.id);
    this.#addListed(() => this.#connection.writer.putConversation(conversation));
  }

  pinConversation(id: string, isPinned: boolean): void {
    this.#addListed(() => this.#connection.writer.pinConversation(id, isPinned));
  }

  saveMessage(conversationId: string, message: Message): void {
    const key = growthKey(conversationId, message.id);
    this.#queue.endGrowth(key);
    const isStreaming = message.status === "streaming";
    if (isStreaming) this.#growing.set(key, { conversationId, messageId: message.id });
    else this.#growing.delete(key);
    this.#updateRenewal();
    if (!isStreaming) this.#indexer.wake();
    this.#add(() => {
      const lease = isStreaming ? createLease(this.#options.now()) : undefined;
      this.#connection.writer.putMessage(conversationId, message, lease);
    });
  }

  appendDelta(conversationId: string, messageId: string, delta: MessageDelta): void {
    if (this.#isClosed) return;
    this.#queue.addGrowth(growthKey(conversationId, messageId), delta, (growth) => {
      this.#connection.writer.putGrowth(conversationId, messageId, growth, this.#options.now());
    });
  }

  deleteMessage(conversationId: string, messageId: string): void {
    this.#forget(({ key }) => key === growthKey(conversationId, messageId));
    this.#add(() => this.#connection.writer.deleteMessage(conversationId, messageId));
  }

  deleteConversation(id: string): void {
    this.#forget(({ growing }) => growing.conversationId === id);
    this.#deleted.add(id);
    this.#addListed(() => this.#connection.writer.deleteConversation(id, this.#options.now()));
  }

  restoreConversation(id: string): void {
    this.#deleted.delete(id);
    this.#addListed(() => this.#connection.writer.restoreConversation(id));
  }

  renameConversation(id: string, title: string, source: TitleSource): void {
    this.#addListed(() => this.#connection.writer.renameConversation(id, title, source));
  }

  loadDraft(conversationId: string): Draft {
    return this.#read((reader) => reader.draft(conversationId));
  }

  saveDraft(conversationId: string, draft: Draft): void {
    this.#add(() => this.#connection.writer.putDraft(conversationId, draft));
  }

  readUsage(query: UsageQuery): readonly UsageTotal[] {
    return this.#read((reader) => reader.usage(query));
  }

  flush(): void {
    this.#queue.flush();
  }

  /** Writes what waits and gives up what is still streaming: whoever opens it next sees it as interrupted. */
  close(): void {
    if (this.#isClosed) return;
    for (const { conversationId, messageId } of this.#growing.values()) {
      this.#add(() => this.#connection.writer.renewLease(conversationId, messageId, 0));
    }
    for (const id of this.#deleted) {
      this.#add(() => this.#connection.writer.purge(id));
      this.#add(() => this.#connection.writer.putDraft(id, emptyDraft));
    }
    this.#growing.clear();
    this.#updateRenewal();
    this.#indexer.dispose();
    this.#isClosed = true;
    for (let attempt = 0; attempt < busyAttempts && !this.#queue.isEmpty; attempt++) this.#queue.flush();
    if (!this.#queue.isEmpty)
      this.#options.onProblem(t("The last changes of the conversations could not be written."));
    this.#queue.dispose();
    if (this.#connection.open.database.isOpen) this.#connection.open.database.close();
    this.#search.close();
  }

  #readList(reader: ConversationReader): readonly ConversationSummary[] {
    const version = this.#listVersion(reader);
    if (this.#list?.version !== version) this.#list = { version, summaries: reader.list() };
    return this.#list.summaries;
  }

  #listVersion(reader: ConversationReader): string {
    return `${this.#connection.open.fileId} ${this.#listChanges} ${reader.dataVersion()}`;
  }

  #addListed(change: Change): void {
    this.#listChanges++;
    this.#add(change);
  }

  #add(change: Change): void {
    if (!this.#isClosed) this.#queue.add(change);
  }

  #write(changes: readonly Change[]): void {
    this.#keepCurrent();
    try {
      this.#transact(changes);
    } catch (error) {
      if (sqliteTrouble(error) !== "damaged") throw error;
      this.#reconnect(() => this.#file.replace(this.#connection.open));
      this.#transact(changes);
    }
  }

  /** Another window may have replaced the file, and an attempt to do so here may have failed half-way. */
  #keepCurrent(): void {
    if (this.#isClosed && this.#queue.isEmpty) throw new Error("they are closed because VS Code ends");
    const { open } = this.#connection;
    if (!open.database.isOpen || !this.#file.isCurrent(open)) this.#reconnect(() => this.#file.open());
  }

  #transact(changes: readonly Change[]): void {
    const { database } = this.#connection.open;
    database.exec("BEGIN IMMEDIATE");
    try {
      for (const change of changes) change();
      database.exec("COMMIT");
    } catch (error) {
      // A full disk ends the transaction by itself.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }

  #read<Result>(read: (reader: ConversationReader) => Result): Result {
    this.#queue.flush();
    for (let attempt = 1; ; attempt++) {
      try {
        this.#keepCurrent();
        return read(this.#connection.reader);
      } catch (error) {
        this.#mendRead(error, attempt);
      }
    }
  }

  /** Returns when the read is worth another try. */
  #mendRead(error: unknown, attempt: number): void {
    const trouble = attempt < busyAttempts ? sqliteTrouble(error) : "other";
    if (trouble === "busy") return;
    if (trouble !== "damaged") throw cannotRead(error);
    try {
      this.#reconnect(() => this.#file.replace(this.#connection.open));
    } catch (reason) {
      throw cannotRead(reason);
    }
  }

  #reconnect(open: () => OpenDatabase): void {
    const old = this.#connection.open.database;
    this.#connection = connect(open());
    if (old.isOpen) old.close();
  }

  #isAbandoned(conversationId: string, { message, lease }: StreamingMessage): boolean {
    if (this.#growing.has(growthKey(conversationId, message.id))) return false;
    return !isLeaseAlive(lease, this.#options.now());
  }

  #settle(conversationId: string, { message, lease }: StreamingMessage): Message {
    const settled: Message = {
      ...message,
      status: "failed",
      error: {
        reason: "truncated",
        message: t("VS Code ended while this answer was coming. What came is kept; retry to ask again."),
      },
    };
    this.#add(() => this.#connection.writer.settleMessage(conversationId, settled, lease));
    return settled;
  }

  #forget(isGone: (entry: { readonly key: string; readonly growing: Growing }) => boolean): void {
    this.#queue.endAllGrowths();
    for (const [key, growing] of this.#growing) {
      if (isGone({ key, growing })) this.#growing.delete(key);
    }
    this.#updateRenewal();
  }

  /** The timer runs only while something streams. */
  #updateRenewal(): void {
    if (this.#growing.size === 0) {
      clearInterval(this.#renewal);
      this.#renewal = undefined;
    } else {
      this.#renewal ??= setInterval(() => this.#renewLeases(), leaseRenewalMs).unref();
    }
  }

  #renewLeases(): void {
    for (const { conversationId, messageId } of this.#growing.values()) {
      this.#add(() => this.#connection.writer.renewLease(conversationId, messageId, this.#options.now()));
    }
  }

  #reportFailure(error: unknown, isLost: boolean): void {
    this.#options.onProblem(
      isLost
        ? t("A change of a conversation could not be written and is lost: {0}.", wordsOf(error))
        : t(
            "The conversations can't be written to disk: {0}. They are kept in memory and tried again every few seconds.",
            wordsOf(error),
          ),
    );
  }
}

function connect(open: OpenDatabase): Connection {
  const { database } = open;
  return {
    open,
    reader: new ConversationReader(database),
    writer: new ConversationWriter(database),
    search: new SearchTables(database),
  };
}

function cannotRead(error: unknown): ServiceError {
  const message = t(
    "The conversations can't be read from disk: {0}. Try again, or see the log.",
    wordsOf(error),
  );
  return new ServiceError({ reason: "configuration", message }, error);
}

/** Ids are the caller's: the separator can't be in them by accident. */
function growthKey(conversationId: string, messageId: string): string {
  return `${conversationId}\n${messageId}`;
}

function wordsOf(error: unknown): string {
  return error instanceof Error ? error.message : t("unknown error");
}
