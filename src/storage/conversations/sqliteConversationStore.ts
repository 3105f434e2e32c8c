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
  ConversationArchive,
  Draft,
  OtherDraft,
} from "../../core/conversation/conversationStore.ts";
import type { Pause } from "../../core/kernel/pause.ts";
import type { SearchResult } from "../../core/conversation/searchResult.ts";
import type { UsageQuery, UsageTotal } from "../../core/conversation/usageTotals.ts";
import { ConversationDatabase } from "./conversationDatabase.ts";
import { currentMark, readChanges } from "./conversationChanges.ts";
import { DeletedConversations } from "./deletedConversations.ts";
import { ConversationList, loadInSlices } from "./conversationReader.ts";
import type { ConversationReader } from "./conversationReader.ts";
import type { ConversationWriter } from "./conversationWriter.ts";
import type { DatabaseFile } from "../database/databaseFile.ts";
import { GrowingMessages } from "./growingMessages.ts";
import { GrowthJournal, messageKey, removeJournal } from "./growthJournal.ts";
import { isOnNetwork } from "../files/networkMount.ts";
import { IndexedSearch, SearchIndexer } from "../search/conversationSearch.ts";
import type { SearchIndex } from "../search/searchIndex.ts";
import { failureMessage, sqliteTrouble } from "../database/sqliteTrouble.ts";
import { createLease } from "../database/streamLease.ts";
import type { StoreOptions } from "./storeOptions.ts";
import { StoredQueues } from "./queueTable.ts";
import { WindowDrafts } from "./draftTable.ts";
import { WriteQueue } from "./writeQueue.ts";

/** Conversations in SQLite. Several windows may have the same file open. */
export class SqliteConversationStore implements ConversationArchive {
  readonly #options: StoreOptions;
  readonly #database: ConversationDatabase;
  readonly #queue: WriteQueue;
  readonly #list = new ConversationList();
  readonly #growing = new GrowingMessages({
    now: () => this.#options.now(),
    monotonic: () => this.#monotonic(),
    add: (change) => this.#add(change),
    addApart: (change) => this.#queue.addApart(() => change(this.#database.writer)),
  });
  /** Undefined where other machines may have the file open, or receive a copy of it at any moment. */
  readonly #journal: GrowthJournal | undefined;
  readonly #search: IndexedSearch;
  readonly #indexer: SearchIndexer;
  readonly #drafts = new WindowDrafts(() => this.#options.now());
  readonly #deleted: DeletedConversations;
  readonly queue = new StoredQueues({
    now: () => this.#options.now(),
    read: (read) => this.#peek((reader) => read(reader.queue)),
    add: (change) => this.#addRemoval((writer) => change(writer.queue)),
    persist: () => this.persist(),
    version: () => this.#peek((reader) => (this.#queue.hasOnlyGrowth ? reader.dataVersion() : undefined)),
  });
  #isClosed = false;

  constructor(file: DatabaseFile, index: SearchIndex, options: StoreOptions) {
    this.#options = options;
    this.#database = new ConversationDatabase(file);
    this.#queue = new WriteQueue({
      write: (changes, isSynced) => {
        this.#growing.beginWriting();
        this.#database.write(changes, isSynced);
      },
      trouble: sqliteTrouble,
      onFailure(error, isLost) {
        const sentence = failureMessage(error, isLost);
        options.onProblem(sentence);
        if (!isLost) options.onTrouble?.(sentence);
      },
      onRecovery: () => options.onTrouble?.(undefined),
      onWritten: (isAll) => {
        this.#growing.noteWritten();
        if (isAll) this.#journal?.clear();
      },
    });
    if (options.isShared !== true && !isOnNetwork(file.path))
      this.#journal = new GrowthJournal(file.path, () => options.now());
    this.#search = this.#createSearch(index);
    this.#indexer = new SearchIndexer({
      indexSlice: () => this.#database.attempt(() => this.#search.indexSlice()),
      scrubSome: () => this.#database.attempt(() => this.#search.scrubSome()),
    });
    this.#deleted = new DeletedConversations({
      now: () => options.now(),
      add: (change) => this.#add(change),
      purgeSome: () => this.#purgeSome(),
      truncateLog: () => {
        // What was deleted may also be in the journal of a window that no longer exists.
        this.#adoptGrowth();
        return this.#database.truncateLog();
      },
      forgetSetAside: () => file.forgetSetAside(),
    });
    const { vacuumThread } = options;
    if (vacuumThread !== undefined && this.#read((reader) => reader.needsVacuum()))
      this.#deleted.scheduleVacuum(vacuumThread, file.path);
    this.#indexer.wake();
    this.#adoptGrowth();
  }

  list(): readonly ConversationSummary[] {
    return this.#peek((reader) => this.#list.read(reader, this.#database.fileId));
  }

  listVersion(): string {
    return this.#peek((reader) => this.#list.version(reader, this.#database.fileId));
  }

  search(query: string): SearchResult {
    return this.#read((reader) => this.#search.search(query, this.#list.read(reader, this.#database.fileId)));
  }

  /** A response that a crashed window left unfinished is returned as `failed` with the reason `truncated`. */
  load(id: string): Conversation | undefined {
    this.#adoptGrowth(id);
    const stored = this.#read((reader) => reader.load(id));
    return stored && { ...stored.head, messages: this.#growing.settleAll(id, stored.messages) };
  }

  async loadInSlices(id: string, pause: Pause): Promise<Conversation | undefined> {
    this.#adoptGrowth(id);
    const stored = await loadInSlices((read) => this.#read(read), id, pause);
    return stored && { ...stored.head, messages: this.#growing.settleAll(id, stored.messages) };
  }

  changeMark(id: string): ChangeMark {
    return this.#peek((reader) => currentMark(reader, id, this.#database.fileId));
  }

  loadChanges(id: string, since: ChangeMark): ConversationChanges | undefined {
    if (since.open.length > 0) this.#adoptGrowth(id);
    return this.#peek((reader) => {
      // While writes are pending, the stored conversation is older than what the caller has.
      if (!this.#queue.hasOnlyGrowth) return undefined;
      return readChanges(reader, { id, fileId: this.#database.fileId, growing: this.#growing }, since);
    });
  }

  saveConversation(conversation: ConversationFields): void {
    this.#deleted.keep(conversation.id);
    this.#addReplacement((writer) => writer.putConversation(conversation));
  }

  pinConversation(id: string, isPinned: boolean): void {
    this.#add((writer) => writer.pinConversation(id, isPinned));
  }

  tagConversation(id: string, tags: readonly string[]): void {
    this.#addReplacement((writer) => writer.tagConversation(id, tags));
  }

  saveMessage(conversationId: string, message: Message, current?: () => Message): void {
    const place = { conversationId, messageId: message.id };
    const isStreaming = message.status === "streaming";
    // The message may continue with other text, so the journal must not contain anything of the earlier text.
    if (isStreaming && this.#growing.has(place)) this.#queue.flush();
    if (isStreaming) {
      this.#queue.endGrowth(messageKey(place));
      this.#growing.add(place, message, current);
    } else {
      this.#queue.coverGrowth(messageKey(place));
      this.#growing.delete(place);
      this.#indexer.wake();
    }
    this.#addReplacement((writer) => {
      const lease = isStreaming ? createLease(this.#options.now()) : undefined;
      writer.putMessage(conversationId, message, lease);
    });
  }

  startCall(conversationId: string, message: Message): Promise<CallStart> {
    this.#deleted.noteRemoval("replaced");
    return this.#growing.startCall({ conversationId, messageId: message.id }, message, () => this.persist());
  }

  appendDelta(conversationId: string, messageId: string, delta: MessageDelta): void {
    if (this.#isClosed) return;
    const place = { conversationId, messageId };
    const count = this.#growing.grow(place, delta);
    this.#queue.addGrowth(
      messageKey(place),
      { text: "", reasoning: "", [delta.kind]: delta.text, count },
      this.#growing.growthTarget(place, () => this.#database.writer, this.#journal),
    );
  }

  deleteMessage(conversationId: string, messageId: string): void {
    const place = { conversationId, messageId };
    this.#queue.endGrowth(messageKey(place));
    this.#growing.delete(place);
    this.#addRemoval((writer) => writer.deleteMessage(conversationId, messageId));
  }

  deleteConversation(id: string): void {
    this.#growing.deleteConversation(id);
    this.#deleted.delete(id);
  }

  restoreConversation(id: string): void {
    this.#deleted.restore(id);
  }

  purgeConversation(id: string): void {
    this.#deleted.purge(id);
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
    return this.#peek((reader) =>
      this.#queue.hasOnlyGrowth
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

  /** Writes what is pending and releases what is still streaming, so that the next reader sees it as interrupted. */
  close(): void {
    if (this.#isClosed) return;
    this.#growing.giveUp();
    this.#deleted.giveUp();
    this.#indexer.dispose();
    this.#isClosed = true;
    this.#queue.flushLast();
    if (!this.#queue.isEmpty)
      this.#options.onProblem(t("The latest changes to the conversations couldn't be saved."));
    else this.#deleted.finish();
    this.#journal?.close(this.#queue.isEmpty);
    this.#queue.dispose();
    this.#database.close();
    this.#search.close();
  }

  #createSearch(index: SearchIndex): IndexedSearch {
    const database = this.#database;
    const source = () => ({
      tables: database.search,
      transact: (change: () => void) => database.transact([change]),
    });
    return new IndexedSearch(index, source, () => this.#monotonic());
  }

  #monotonic(): number {
    return this.#options.monotonic?.() ?? performance.now();
  }

  #addReplacement(change: (writer: ConversationWriter) => void): void {
    this.#add(change);
    this.#deleted.noteRemoval("replaced");
  }

  /** Adds a change that deletes something, which must not stay in the log. */
  #addRemoval(change: (writer: ConversationWriter) => void): void {
    this.#add(change);
    this.#deleted.noteRemoval("deleted");
  }

  /** Pending changes are written first, because a conversation is marked for removal before it is removed. */
  #purgeSome(): boolean {
    if (!this.#queue.hasOnlyGrowth) this.#queue.flush();
    if (!this.#queue.hasOnlyGrowth) return true;
    let isMoreLeft = false;
    this.#database.write([() => (isMoreLeft = this.#database.writer.deleted.purgeSome())]);
    return isMoreLeft;
  }

  #add(change: (writer: ConversationWriter) => void): void {
    if (!this.#isClosed) this.#queue.add(() => change(this.#database.writer));
  }

  /**
   * Writes the growth of the conversation's messages that other windows have so far only added to their journals, and
   * everything left in the journals of windows that no longer exist.
   */
  #adoptGrowth(conversationId?: string): void {
    for (const other of this.#journal?.readOthers(conversationId) ?? []) {
      const { path, isLeft, growths } = other;
      try {
        const isMissing = this.#database.read(() =>
          growths.some((growth) => this.#database.writer.missingGrowth(growth) !== undefined),
        );
        // Read within the transaction, in which the journal's window can't replace the message.
        if (isMissing)
          this.#add((writer) => {
            for (const growth of other.readAgain()) writer.adoptGrowth(growth);
          });
      } catch {
        // The database can't be read, which the next read reports.
        return;
      }
      if (isLeft) void this.persist().then((isWritten) => isWritten && removeJournal(path));
    }
  }

  /**
   * Reads what doesn't depend on the growth of this window's messages, which can stay in the journal in the meantime.
   */
  #peek<Result>(read: (reader: ConversationReader) => Result): Result {
    return this.#queue.hasOnlyGrowth ? this.#database.read(read) : this.#read(read);
  }

  /** Pending changes are written first, so that callers read what they have just saved. */
  #read<Result>(read: (reader: ConversationReader) => Result): Result {
    this.#queue.flush();
    return this.#database.read(read);
  }
}
