import { t } from "@vscode/l10n";
import type {
  Conversation,
  ConversationSummary,
  Message,
  MessageDelta,
  TitleSource,
} from "../../core/conversation/conversation.ts";
import type {
  CallStart,
  ChangeMark,
  ConversationChanges,
  ConversationFields,
  ConversationStore,
  Draft,
  OtherDraft,
} from "../../core/conversation/conversationStore.ts";
import type { SearchResult } from "../../core/conversation/searchResult.ts";
import type { UsageQuery, UsageTotal } from "../../core/conversation/usageTotals.ts";
import { ConversationDatabase } from "./conversationDatabase.ts";
import { currentMark, readChanges } from "./conversationChanges.ts";
import { ConversationList } from "./conversationList.ts";
import type { ConversationReader } from "./conversationReader.ts";
import type { ConversationWriter } from "./conversationWriter.ts";
import type { DatabaseFile } from "../database/databaseFile.ts";
import { GrowingMessages, messageKey } from "./growingMessages.ts";
import { ConversationSearch } from "../search/conversationSearch.ts";
import type { SearchIndex } from "../search/searchIndex.ts";
import { SearchIndexer } from "../search/searchIndexer.ts";
import { sleep } from "../files/sleep.ts";
import { sqliteTrouble, troubleMessage } from "../database/sqliteTrouble.ts";
import { StorageCleaner } from "../database/storageCleaner.ts";
import { Vacuum } from "../database/vacuum.ts";
import { createLease } from "../database/streamLease.ts";
import { WindowDrafts } from "./windowDrafts.ts";
import { WriteQueue } from "./writeQueue.ts";

export interface StoreOptions {
  /** Milliseconds since 1970. */
  now(): number;
  /** Monotonic milliseconds. The clock of the process, unless a test has its own. */
  monotonic?(): number;
  /** Path of the built `vacuumThread`; without one, files from before deletions were overwritten stay as they are. */
  readonly vacuumThread?: string | URL;
  /** Called with the reason why nothing can be written, while that is so, and then with undefined. */
  onTrouble?(sentence: string | undefined): void;
  /** Called with a sentence for the user when something can't be written or had to be recovered. */
  onProblem(sentence: string): void;
}

/** How long a deleted conversation can be restored, in milliseconds, before it is permanently removed. */
const deletedForMs = 3_600_000;
/** Milliseconds between two looks for such conversations. */
const giveUpEveryMs = 600_000;
/** Milliseconds that the removal of deleted conversations may take while VS Code ends; the next window does the rest. */
const lastPurgeMs = 200;

/** How often the last changes are tried while another window holds the file, and milliseconds in between. */
const lastWrites = 60;
const lastWritePauseMs = 25;

/** Conversations in SQLite. Several windows may have the same file open. */
export class SqliteConversationStore implements ConversationStore {
  readonly #options: StoreOptions;
  readonly #database: ConversationDatabase;
  readonly #queue: WriteQueue;
  readonly #list = new ConversationList();
  readonly #growing = new GrowingMessages({
    now: () => this.#options.now(),
    monotonic: () => this.#monotonic(),
    add: (change) => this.#add(change),
  });
  readonly #search: ConversationSearch;
  readonly #indexer: SearchIndexer;
  readonly #drafts = new WindowDrafts(() => this.#options.now());
  readonly #cleaner: StorageCleaner;
  readonly #vacuum: Vacuum | undefined;
  readonly #deletedTimer: NodeJS.Timeout;
  /** What this window deleted: it can be restored until the window closes. */
  readonly #deleted = new Set<string>();
  #isClosed = false;

  constructor(file: DatabaseFile, index: SearchIndex, options: StoreOptions) {
    this.#options = options;
    this.#database = new ConversationDatabase(file);
    this.#queue = new WriteQueue({
      write: (changes, isSynced) => this.#database.write(changes, isSynced),
      trouble: sqliteTrouble,
      onFailure(error, isLost) {
        const sentence = failureMessage(error, isLost);
        options.onProblem(sentence);
        if (!isLost) options.onTrouble?.(sentence);
      },
      onRecovery: () => options.onTrouble?.(undefined),
    });
    this.#search = this.#createSearch(index);
    this.#indexer = new SearchIndexer({
      indexSlice: () => this.#database.attempt(() => this.#search.indexSlice()),
      scrubSome: () => this.#database.attempt(() => this.#search.scrubSome()),
    });
    this.#cleaner = new StorageCleaner({
      purgeSome: () => this.#purgeSome(),
      truncateLog: () => this.#database.truncateLog(),
    });
    this.#vacuum = this.#scheduleVacuum(file.path);
    const giveUp = (): void => {
      this.#giveUpDeleted();
      file.forgetSetAside();
    };
    giveUp();
    this.#deletedTimer = setInterval(giveUp, giveUpEveryMs).unref();
    this.#indexer.wake();
  }

  list(): readonly ConversationSummary[] {
    return this.#read((reader) => this.#list.read(reader, this.#database.fileId));
  }

  listVersion(): string {
    return this.#read((reader) => this.#list.version(reader, this.#database.fileId));
  }

  search(query: string): SearchResult {
    return this.#read((reader) => this.#search.search(query, this.#list.read(reader, this.#database.fileId)));
  }

  /** A response that a crashed window left unfinished comes back as `failed` with the reason `truncated`. */
  load(id: string): Conversation | undefined {
    const stored = this.#read((reader) => reader.load(id));
    if (stored === undefined) return undefined;
    const messages = stored.messages.map(
      ({ message, lease }) =>
        this.#growing.settle({ conversationId: id, messageId: message.id }, message, lease) ?? message,
    );
    return { ...stored.head, messages };
  }

  changeMark(id: string): ChangeMark {
    return this.#read((reader) => currentMark(reader, id, this.#database.fileId));
  }

  loadChanges(id: string, since: ChangeMark): ConversationChanges | undefined {
    return this.#read((reader) => {
      // Before what waits is written, what is stored is older than what the caller knows.
      if (!this.#queue.isEmpty) return undefined;
      return readChanges(reader, { id, fileId: this.#database.fileId, growing: this.#growing }, since);
    });
  }

  saveConversation(conversation: ConversationFields): void {
    this.#deleted.delete(conversation.id);
    this.#addReplacement((writer) => writer.putConversation(conversation));
  }

  pinConversation(id: string, isPinned: boolean): void {
    this.#add((writer) => writer.pinConversation(id, isPinned));
  }

  saveMessage(conversationId: string, message: Message, current?: () => Message): void {
    const place = { conversationId, messageId: message.id };
    this.#queue.endGrowth(messageKey(place));
    const isStreaming = message.status === "streaming";
    if (isStreaming) this.#growing.add(place, message, current);
    else {
      this.#growing.delete(place);
      this.#indexer.wake();
    }
    this.#addReplacement((writer) => {
      const lease = isStreaming ? createLease(this.#options.now()) : undefined;
      writer.putMessage(conversationId, message, lease);
    });
  }

  async startCall(conversationId: string, message: Message): Promise<CallStart> {
    const call = { isGivenUp: false, isStarted: false };
    this.#addReplacement((writer) => {
      if (!call.isGivenUp) call.isStarted = writer.startCall(conversationId, message, this.#options.now());
    });
    if (!(await this.persist())) {
      // What is still in the queue must not start the call later.
      call.isGivenUp = true;
      return "unwritten";
    }
    if (call.isStarted) this.#growing.add({ conversationId, messageId: message.id }, message);
    return call.isStarted ? "started" : "taken";
  }

  appendDelta(conversationId: string, messageId: string, delta: MessageDelta): void {
    if (this.#isClosed) return;
    const place = { conversationId, messageId };
    const count = this.#growing.grow(place, delta);
    this.#queue.addGrowth(
      messageKey(place),
      { text: "", reasoning: "", [delta.kind]: delta.text, count },
      (growth) => this.#growing.writeGrowth(this.#database.writer, place, growth),
    );
  }

  deleteMessage(conversationId: string, messageId: string): void {
    this.#queue.endAllGrowths();
    this.#growing.delete({ conversationId, messageId });
    this.#addRemoval((writer) => writer.deleteMessage(conversationId, messageId));
  }

  deleteConversation(id: string): void {
    this.#queue.endAllGrowths();
    this.#growing.deleteConversation(id);
    this.#deleted.add(id);
    this.#add((writer) => writer.deleteConversation(id, this.#options.now()));
  }

  restoreConversation(id: string): void {
    this.#deleted.delete(id);
    this.#add((writer) => writer.restoreConversation(id));
  }

  purgeConversation(id: string): void {
    this.#deleted.delete(id);
    this.#add((writer) => writer.giveUp(id));
    this.#cleaner.purge();
    this.#indexer.wake();
  }

  renameConversation(id: string, title: string, source: TitleSource): void {
    this.#addReplacement((writer) => writer.renameConversation(id, title, source));
  }

  loadDraft(conversationId: string): Draft {
    return this.#read((reader) => this.#drafts.load(reader.drafts, conversationId));
  }

  saveDraft(conversationId: string, draft: Draft): void {
    const put = this.#drafts.save(conversationId, draft);
    this.#addRemoval((writer) => put(writer.drafts));
  }

  loadNewDraft(conversationId: string): Draft | undefined {
    return this.#read((reader) =>
      this.#queue.isEmpty
        ? this.#drafts.loadNew(reader.drafts, conversationId, reader.dataVersion())
        : undefined,
    );
  }

  otherDrafts(conversationId: string): readonly OtherDraft[] {
    return this.#read((reader) => reader.drafts.others(conversationId));
  }

  takeOtherDraft(conversationId: string, windowId: string): void {
    const take = this.#drafts.take(conversationId, windowId);
    this.#addRemoval((writer) => take(writer.drafts));
  }

  dropOtherDraft(conversationId: string, windowId: string): void {
    this.#addRemoval((writer) => writer.drafts.dropOther(conversationId, windowId));
  }

  readUsage(query: UsageQuery): readonly UsageTotal[] {
    return this.#read((reader) => reader.usage(query));
  }

  flush(): void {
    this.#queue.flush();
  }

  persist(): Promise<boolean> {
    return this.#isClosed ? Promise.resolve(false) : this.#queue.persist();
  }

  /** Writes what is pending and releases what is still streaming. The next reader sees it as interrupted. */
  close(): void {
    if (this.#isClosed) return;
    this.#growing.giveUp();
    for (const id of this.#deleted) {
      this.#add((writer) => writer.giveUp(id));
      this.#add((writer) => writer.drafts.removeAll(id));
    }
    this.#indexer.dispose();
    this.#cleaner.dispose();
    this.#vacuum?.dispose();
    clearInterval(this.#deletedTimer);
    this.#isClosed = true;
    this.#writeLast();
    if (!this.#queue.isEmpty)
      this.#options.onProblem(t("The latest changes to the conversations couldn't be saved."));
    else this.#cleaner.finish(lastPurgeMs);
    this.#queue.dispose();
    this.#database.close();
    this.#search.close();
  }

  /** VS Code ends: what another window keeps us from writing now would be lost. */
  #writeLast(): void {
    this.#queue.flush();
    for (let tries = lastWrites; tries > 0 && !this.#queue.isEmpty; tries--) {
      sleep(lastWritePauseMs);
      this.#queue.flush();
    }
  }

  #createSearch(index: SearchIndex): ConversationSearch {
    const database = this.#database;
    const source = () => ({
      tables: database.search,
      transact: (change: () => void) => database.transact([change]),
    });
    return new ConversationSearch(index, source, () => this.#monotonic());
  }

  #monotonic(): number {
    return this.#options.monotonic?.() ?? performance.now();
  }

  #addReplacement(change: (writer: ConversationWriter) => void): void {
    this.#add(change);
    this.#cleaner.noteReplacement();
  }

  /** A change that deletes something, which the log must not keep. */
  #addRemoval(change: (writer: ConversationWriter) => void): void {
    this.#add(change);
    this.#cleaner.noteRemoval();
  }

  #scheduleVacuum(path: string): Vacuum | undefined {
    const { vacuumThread } = this.#options;
    if (vacuumThread === undefined || !this.#read((reader) => reader.needsVacuum())) return undefined;
    const vacuum = new Vacuum(vacuumThread);
    vacuum.schedule(path, () => this.#cleaner.noteRemoval());
    return vacuum;
  }

  #giveUpDeleted(): void {
    this.#add((writer) => writer.giveUpBefore(this.#options.now() - deletedForMs));
    this.#cleaner.purge();
  }

  /** What waits is written first: a conversation is given up before it is removed. */
  #purgeSome(): boolean {
    this.#queue.flush();
    if (!this.#queue.isEmpty) return true;
    let isMoreLeft = false;
    this.#database.write([() => (isMoreLeft = this.#database.writer.purgeSome())]);
    return isMoreLeft;
  }

  #add(change: (writer: ConversationWriter) => void): void {
    if (!this.#isClosed) this.#queue.add(() => change(this.#database.writer));
  }

  /** Pending writes come first, so that callers read what they have just saved. */
  #read<Result>(read: (reader: ConversationReader) => Result): Result {
    this.#queue.flush();
    return this.#database.read(read);
  }
}

function failureMessage(error: unknown, isLost: boolean): string {
  const words = troubleMessage(error);
  return isLost
    ? t("A change to the conversation couldn't be saved and was lost: {0}.", words)
    : t(
        "The conversations can't be saved to disk: {0}. They are kept in memory, and saving is retried every few seconds.",
        words,
      );
}
