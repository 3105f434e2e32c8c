import { setTimeout } from "node:timers/promises";
import type {
  Conversation,
  ConversationSummary,
  Message,
  MessageDelta,
} from "../../core/conversation/conversation.ts";
import type {
  CallStart,
  ChangeMark,
  Claim,
  ClaimKind,
  ConversationChanges,
  ConversationStore,
  Draft,
  OtherDraft,
  QueuedMessage,
  StoredChange,
} from "../../core/conversation/conversationStore.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { SearchResult } from "../../core/conversation/searchResult.ts";
import { DatabaseFile, openInMemory } from "../database/databaseFile.ts";
import { loadSqlite } from "../database/sqlite.ts";
import { sqliteTrouble } from "../database/sqliteTrouble.ts";
import { searchConversations } from "../search/conversationSearch.ts";
import { asShown, currentMark, nothingKnown, readChanges } from "./conversationChanges.ts";
import { cannotRead, ConversationDatabase } from "./conversationDatabase.ts";
import { ConversationList } from "./conversationReader.ts";
import type { StoredConversation } from "./conversationReader.ts";
import { WindowDrafts } from "./draftTable.ts";
import { SpillFile } from "./spillFile.ts";
import { StorageUpkeep } from "./storageUpkeep.ts";
import type { Change } from "./tables.ts";
import { WindowWriter } from "./windowWriter.ts";
import { WriteQueue } from "./writeQueue.ts";
import type { DatabaseSync } from "node:sqlite";
import { conversationOf, Tables } from "./tables.ts";

/** The rows of a conversation that are needed, by table: each selects by the conversation's ID. */
const parts = {
  head: { conversation: "id = ?" },
  messages: {
    conversation: "id = ?",
    message: "conversation_id = ?",
    growth: "message_seq IN (SELECT seq FROM message WHERE conversation_id = ?)",
    attachment: `hash IN (
      SELECT hash FROM message_attachment JOIN message ON seq = message_seq WHERE conversation_id = ?)`,
    message_attachment: "message_seq IN (SELECT seq FROM message WHERE conversation_id = ?)",
    // Says which windows are alive.
    claim: "kind = 'window' AND ? IS NOT NULL",
  },
  // Neither is read of a deleted conversation.
  drafts: {
    conversation: "id = ?",
    draft: "conversation_id = ?",
    draft_attachments: "conversation_id = ?",
  },
  queue: {
    conversation: "id = ?",
    queued_message: "conversation_id = ?",
    claim: "kind = 'queued' AND key LIKE ? || ' %'",
    // A message that was sent isn't in the queue anymore.
    message: "conversation_id = ?1 AND id IN (SELECT id FROM queued_message WHERE conversation_id = ?1)",
  },
} as const satisfies Readonly<Record<string, Readonly<Record<string, string>>>>;

/** What of a conversation is read. */
type ConversationPart = keyof typeof parts;

/** What can't be read is missing, and what is pending is still there. */
function copyPart(source: DatabaseSync, target: DatabaseSync, part: ConversationPart, id: string): void {
  try {
    for (const [table, condition] of Object.entries(parts[part]))
      for (const row of source.prepare(`SELECT * FROM ${table} WHERE ${condition}`).all(id)) {
        const names = Object.keys(row);
        const places = names.map(() => "?").join(", ");
        target
          .prepare(`INSERT OR REPLACE INTO ${table} (${names.join(", ")}) VALUES (${places})`)
          .run(...Object.values(row));
      }
  } catch {
    return;
  }
}

/** The environment of a store. */
export interface StoreOptions {
  /** Milliseconds since 1970. */
  now(): number;
  /** Monotonic milliseconds. Defaults to the clock of the process. */
  monotonic?(): number;
  /** Path of the built `storageThread`; without it, what takes long is done at once. */
  readonly thread?: string | URL;
  /** Called with the reason while nothing can be written, and with undefined once it can. */
  onTrouble?(sentence: string | undefined): void;
  /** Called with a sentence for the user when the file had to be recovered, or something couldn't be written at all. */
  onProblem(sentence: string): void;
}

/** How often a locked file is tried again when a conversation is opened, and the milliseconds between attempts. */
const lockedTries = 600;
const lockedPauseMs = 100;

/**
 * Conversations in SQLite. Several windows may have the same file open. A file that can't be opened for now is tried
 * again with every use, and the same goes for one that can't be written.
 */
export class SqliteConversationStore implements ConversationStore {
  readonly #options: StoreOptions;
  readonly #database: ConversationDatabase;
  readonly #writes: WriteQueue;
  readonly #window: WindowWriter;
  readonly #drafts: WindowDrafts;
  readonly #list = new ConversationList();
  readonly #monotonic: () => number;
  readonly #upkeep: StorageUpkeep;
  /** Conversations deleted in this window, which can be restored until the window closes. */
  readonly #deletedIds = new Set<string>();
  /** The file's version at the last look at a draft or a queue. */
  readonly #looks = new Map<string, number>();
  #isClosed = false;

  /** @param path The path of the file. Throws a ServiceError `configuration` if the host has no SQLite. */
  constructor(path: string, options: StoreOptions) {
    const sqlite = loadSqlite();
    this.#monotonic = options.monotonic ?? (() => performance.now());
    const database = new ConversationDatabase(new DatabaseFile(sqlite, path, options));
    this.#options = options;
    this.#database = database;
    this.#window = new WindowWriter(options.now, () => this.#renew());
    this.#drafts = new WindowDrafts(this.#window.id, options.now);
    this.#writes = new WriteQueue({
      ...{ database, window: this.#window, spill: new SpillFile(path) },
      now: options.now,
      monotonic: this.#monotonic,
      onTrouble: (sentence) => options.onTrouble?.(sentence),
      onProblem: options.onProblem,
    });
    this.#upkeep = new StorageUpkeep({
      ...{ sqlite, path, database, writes: this.#writes },
      ...{ thread: options.thread, now: options.now },
    });
  }

  list(): readonly ConversationSummary[] {
    if (this.#writes.flush()) return this.#storedList();
    const ids = this.#writes.pending.conversationIds;
    const pending = this.#overlaid("head", ids, ({ conversations }) => conversations.list());
    const others = this.#storedList().filter(({ id }) => !ids.has(id));
    return [...pending, ...others].toSorted((left, right) => right.updatedAt - left.updatedAt);
  }

  /** As it was read last if it can't be read now. */
  #storedList(): readonly ConversationSummary[] {
    try {
      return this.#database.read((tables) => this.#list.read(tables.conversations, this.#database.fileId));
    } catch (error) {
      this.#noteUnreadable(error);
      return this.#list.latest;
    }
  }

  listVersion(): string {
    if (!this.#writes.flush()) return `pending ${this.#writes.pending.changes.length}`;
    try {
      return this.#database.read((tables) => this.#list.version(tables.conversations, this.#database.fileId));
    } catch (error) {
      this.#noteUnreadable(error);
      return "unreadable";
    }
  }

  /** A response that an ended window left unfinished is returned as `failed` with the reason `truncated`. */
  load(id: string): Conversation | undefined {
    return this.#read("messages", id, (tables) => this.#shown(tables, tables.conversations.load(id)));
  }

  async loadOnceUnlocked(id: string): Promise<Conversation | undefined> {
    for (let tries = lockedTries; ; tries--) {
      try {
        return this.load(id);
      } catch (error) {
        const isLocked = error instanceof ServiceError && sqliteTrouble(error.cause) === "busy";
        if (!isLocked || tries === 0) throw error;
        await setTimeout(lockedPauseMs);
      }
    }
  }

  /** What can't be marked now is compared as a whole later. */
  changeMark(id: string): ChangeMark {
    try {
      return this.#read("messages", id, (tables) =>
        currentMark(tables.conversations, id, this.#database.fileId),
      );
    } catch {
      return nothingKnown;
    }
  }

  loadChanges(id: string, since: ChangeMark): ConversationChanges | undefined {
    // While writes are pending, the stored conversation is older than what the caller has.
    if (!this.#writes.flush()) return undefined;
    try {
      return this.#database.read((tables) =>
        readChanges(
          tables.conversations,
          {
            id,
            fileId: this.#database.fileId,
            isOurs: (messageId) => this.#window.has(id, messageId),
            isAlive: (writer) => this.#window.isAlive(tables, writer),
          },
          since,
        ),
      );
    } catch (error) {
      // This is called every second for every open conversation, so it notices first.
      this.#noteUnreadable(error);
      throw error;
    }
  }

  save(change: StoredChange, current?: () => Message): void {
    this.#writes.add(this.#prepare(change));
    if (change.type === "message") this.#window.follow(change.conversationId, change.message, current);
    this.#upkeep.note();
  }

  appendDelta(conversationId: string, messageId: string, delta: MessageDelta): void {
    this.#writes.grow(conversationId, messageId, delta);
  }

  async startCall(conversationId: string, message: Message): Promise<CallStart> {
    const isStarted = await this.#writes.exclusively((tables) => {
      const isAlive = (writer: string): boolean => this.#window.isAlive(tables, writer);
      this.#window.renew(tables);
      return tables.writer.startCall(conversationId, message, this.#window.id, isAlive);
    });
    if (isStarted === undefined) return "unwritten";
    if (isStarted) this.#window.follow(conversationId, message);
    return isStarted ? "started" : "taken";
  }

  async claim(kind: ClaimKind, key: string, forMs: number): Promise<Claim> {
    const now = this.#options.now();
    const isTaken = await this.#writes.exclusively(({ claims }) => claims.take(kind, key, now, forMs));
    return isTaken === undefined ? "unwritten" : isTaken ? "claimed" : "taken";
  }

  loadDraft(conversationId: string): Draft {
    return this.#read("drafts", conversationId, ({ drafts }) => this.#drafts.load(drafts, conversationId));
  }

  loadNewDraft(conversationId: string): Draft | undefined {
    return this.#readNew(`draft ${conversationId}`, ({ drafts }) =>
      this.#drafts.loadNew(drafts, conversationId),
    );
  }

  otherDrafts(conversationId: string): readonly OtherDraft[] {
    return this.#read("drafts", conversationId, ({ drafts }) =>
      drafts.others(conversationId, this.#window.id),
    );
  }

  loadQueue(conversationId: string): readonly QueuedMessage[] {
    return this.#read("queue", conversationId, ({ queue }) =>
      queue.read(conversationId, this.#options.now()),
    );
  }

  loadNewQueue(conversationId: string): readonly QueuedMessage[] | undefined {
    return this.#readNew(`queue ${conversationId}`, ({ queue }) =>
      queue.read(conversationId, this.#options.now()),
    );
  }

  async takeQueued(conversationId: string, id: string): Promise<boolean> {
    const now = this.#options.now();
    return (await this.#writes.exclusively(({ queue }) => queue.take(conversationId, id, now))) ?? false;
  }

  search(query: string): SearchResult {
    return searchConversations(
      query,
      this.list(),
      (collect) => this.#database.read(({ search }) => collect(search)),
      this.#monotonic,
    );
  }

  flush(): void {
    this.#writes.flush();
  }

  async persist(): Promise<boolean> {
    const isStored = await this.#writes.exclusively((tables) => {
      // Something must be written for the log to be synced.
      this.#window.renew(tables);
      return true;
    });
    return isStored ?? false;
  }

  /** Writes what is pending and releases what is still streaming, so that the next reader sees it as interrupted. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    for (const id of this.#deletedIds) this.#writes.add({ type: "purge", id });
    this.#window.dispose();
    this.#writes.close();
    try {
      this.#database.transact((tables) => this.#window.release(tables));
    } catch {
      // Others notice that the process no longer exists.
    }
    this.#upkeep.dispose();
    this.#database.close();
  }

  /** Adds what only this window knows. */
  #prepare(change: StoredChange): Change {
    const { now } = this.#options;
    switch (change.type) {
      case "delete":
        this.#deletedIds.add(change.id);
        this.#window.deleteConversation(change.id);
        return { ...change, at: now() };
      case "restore":
      case "purge":
        this.#deletedIds.delete(change.id);
        return change;
      case "conversation":
        // Writing a deleted conversation restores it.
        this.#deletedIds.delete(change.fields.id);
        return change;
      case "draft":
        return { ...change, origin: this.#drafts.change(change.conversationId, change.draft) };
      case "takeDraft":
        return { ...change, origin: this.#drafts.change(change.conversationId) };
      default:
        return change;
    }
  }

  #noteUnreadable(error: unknown): void {
    if (error instanceof ServiceError) this.#writes.noteUnreadable(error.cause);
  }

  #renew(): void {
    try {
      this.#database.transact((tables) => this.#window.renew(tables));
    } catch {
      // Others show the messages of this window as interrupted until it works again.
    }
  }

  /** Reads only if another window has written since the last look. */
  #readNew<Result>(look: string, read: (tables: Tables) => Result): Result | undefined {
    if (!this.#writes.flush()) return undefined;
    return this.#database.read((tables) => {
      const version = tables.conversations.dataVersion();
      if (this.#looks.get(look) === version) return undefined;
      this.#looks.set(look, version);
      return read(tables);
    });
  }

  /** Reads what was saved, whether the database has it already or not. */
  #read<Result>(part: ConversationPart, id: string, read: (tables: Tables) => Result): Result {
    const isStored = this.#writes.flush() || !this.#writes.pending.conversationIds.has(id);
    return isStored ? this.#database.read(read) : this.#overlaid(part, new Set([id]), read);
  }

  /**
   * Reads conversations as they will be once everything pending is written: in a copy in memory of what is stored of
   * them, with the same statements as otherwise.
   */
  #overlaid<Result>(
    part: ConversationPart,
    ids: ReadonlySet<string>,
    read: (tables: Tables) => Result,
  ): Result {
    const readCopy = (stored?: DatabaseSync): Result => {
      const database = openInMemory(loadSqlite());
      try {
        database.exec("PRAGMA foreign_keys = OFF");
        if (stored !== undefined) for (const id of ids) copyPart(stored, database, part, id);
        database.exec("PRAGMA foreign_keys = ON");
        const tables = new Tables(database);
        for (const change of this.#writes.pending.changes)
          if (ids.has(conversationOf(change))) tables.apply(change, this.#window.id);
        return read(tables);
      } finally {
        database.close();
      }
    };
    try {
      return this.#database.readOnce(readCopy);
    } catch (error) {
      const pending = readCopy();
      // It may well be stored.
      if (pending === undefined) throw cannotRead(error);
      return pending;
    }
  }

  /** The conversation as it is shown here, in which the messages of ended windows are interrupted. */
  #shown(tables: Tables, stored: StoredConversation | undefined): Conversation | undefined {
    if (stored === undefined) return undefined;
    const { head, messages } = stored;
    const interrupted: string[] = [];
    const shown = messages.map((one) => {
      const { message, pieces } = one;
      if (this.#window.has(head.id, message.id)) return message;
      const settled = asShown(one, (writer) => this.#window.isAlive(tables, writer));
      if (settled !== message && pieces > 0) interrupted.push(message.id);
      return settled;
    });
    if (interrupted.length > 0) this.#joinGrowth(head.id, interrupted);
    return { ...head, messages: shown };
  }

  /** What an ended window has left in pieces is joined, so that it is found by the search as well. */
  #joinGrowth(conversationId: string, messageIds: readonly string[]): void {
    try {
      this.#database.transact(({ writer }) => {
        for (const id of messageIds) writer.joinGrowth(conversationId, id);
      });
    } catch {
      // It is done when the conversation is opened the next time.
    }
  }
}
