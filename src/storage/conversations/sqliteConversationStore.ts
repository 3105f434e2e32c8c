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
import { currentMark, readChanges } from "./conversationChanges.ts";
import { DeletedConversations } from "./deletedConversations.ts";
import { ConversationList, loadInSlices } from "./conversationReader.ts";
import type { ConversationWriter } from "./conversationWriter.ts";
import type { DatabaseFile } from "../database/databaseFile.ts";
import { IndexedSearch, SearchIndexer } from "../search/conversationSearch.ts";
import type { SearchIndex } from "../search/searchIndex.ts";
import type { StoredMessage } from "./messageReader.ts";
import { QueuedDatabase } from "./queuedDatabase.ts";
import type { StoreOptions } from "./storeOptions.ts";
import { StoredQueues } from "./queueTable.ts";
import { WindowDrafts } from "./draftTable.ts";

/** Conversations in SQLite. Several windows may have the same file open. */
export class SqliteConversationStore implements ConversationArchive {
  readonly #options: StoreOptions;
  readonly #database: QueuedDatabase;
  readonly #list = new ConversationList();
  readonly #search: IndexedSearch;
  readonly #indexer: SearchIndexer;
  readonly #drafts = new WindowDrafts(() => this.#options.now());
  readonly #deleted: DeletedConversations;
  readonly queue = new StoredQueues({
    now: () => this.#options.now(),
    read: (read) => this.#database.peek((reader) => read(reader.queue)),
    add: (change) => this.#addRemoval((writer) => change(writer.queue)),
    persist: () => this.persist(),
    version: () =>
      this.#database.peek((reader) => (this.#database.hasOnlyGrowth ? reader.dataVersion() : undefined)),
  });
  #isClosed = false;

  constructor(file: DatabaseFile, index: SearchIndex, options: StoreOptions) {
    this.#options = options;
    const database = new QueuedDatabase(file, options);
    this.#database = database;
    this.#search = this.#createSearch(index);
    this.#indexer = new SearchIndexer({
      indexBatch: () => database.attempt(() => this.#search.indexBatch()),
      scrubSome: () => database.attempt(() => this.#search.scrubSome()),
    });
    this.#deleted = new DeletedConversations({
      now: () => options.now(),
      add: (change) => database.add(change),
      purgeSome: () => this.#purgeSome(),
      truncateLog: () => database.truncateLog(),
      forgetSetAside: () => file.forgetSetAside(),
    });
    const { vacuumThread } = options;
    if (vacuumThread !== undefined && database.read((reader) => reader.needsVacuum()))
      this.#deleted.scheduleVacuum(vacuumThread, file.path);
    this.#indexer.wake();
    database.adoptGrowth();
  }

  list(): readonly ConversationSummary[] {
    return this.#database.peek((reader) => this.#list.read(reader, this.#database.fileId));
  }

  listVersion(): string {
    return this.#database.peek((reader) => this.#list.version(reader, this.#database.fileId));
  }

  search(query: string): SearchResult {
    return this.#database.read((reader) =>
      this.#search.search(query, this.#list.read(reader, this.#database.fileId)),
    );
  }

  /** A response that a crashed window left unfinished is returned as `failed` with the reason `truncated`. */
  load(id: string): Conversation | undefined {
    this.#database.adoptGrowth(id);
    const stored = this.#database.read((reader) => reader.load(id));
    return stored && { ...stored.head, messages: this.#settle(id, stored.messages) };
  }

  async loadInSlices(id: string, pause: Pause): Promise<Conversation | undefined> {
    this.#database.adoptGrowth(id);
    const stored = await loadInSlices((read) => this.#database.read(read), id, pause);
    return stored && { ...stored.head, messages: this.#settle(id, stored.messages) };
  }

  changeMark(id: string): ChangeMark {
    return this.#database.peek((reader) => currentMark(reader, id, this.#database.fileId));
  }

  loadChanges(id: string, since: ChangeMark): ConversationChanges | undefined {
    if (since.open.length > 0) this.#database.adoptGrowth(id);
    return this.#database.peek((reader) => {
      // While writes are pending, the stored conversation is older than what the caller has.
      if (!this.#database.hasOnlyGrowth) return undefined;
      return readChanges(
        reader,
        { id, fileId: this.#database.fileId, growing: this.#database.growing },
        since,
      );
    });
  }

  saveConversation(conversation: ConversationFields): void {
    this.#deleted.keep(conversation.id);
    this.#addReplacement((writer) => writer.putConversation(conversation));
  }

  pinConversation(id: string, isPinned: boolean): void {
    this.#database.add((writer) => writer.pinConversation(id, isPinned));
  }

  tagConversation(id: string, tags: readonly string[]): void {
    this.#addReplacement((writer) => writer.tagConversation(id, tags));
  }

  saveMessage(conversationId: string, message: Message, current?: () => Message): void {
    if (message.status !== "streaming") this.#indexer.wake();
    this.#database.putMessage(conversationId, message, current);
    this.#deleted.noteRemoval("replaced");
  }

  startCall(conversationId: string, message: Message): Promise<CallStart> {
    this.#deleted.noteRemoval("replaced");
    return this.#database.startCall(conversationId, message);
  }

  appendDelta(conversationId: string, messageId: string, delta: MessageDelta): void {
    this.#database.grow({ conversationId, messageId }, delta);
  }

  deleteMessage(conversationId: string, messageId: string): void {
    this.#database.deleteMessage({ conversationId, messageId });
    this.#deleted.noteRemoval("deleted");
    this.#indexer.wake();
  }

  deleteConversation(id: string): void {
    this.#database.growing.deleteConversation(id);
    this.#deleted.delete(id);
  }

  restoreConversation(id: string): void {
    this.#deleted.restore(id);
  }

  purgeConversation(id: string): void {
    this.#deleted.purge(id);
  }

  renameConversation(id: string, title: string, source: TitleSource): void {
    this.#addReplacement((writer) => writer.renameConversation(id, title, source));
  }

  loadDraft(conversationId: string): Draft {
    return this.#database.read((reader) => this.#drafts.load(reader.drafts, conversationId));
  }

  saveDraft(conversationId: string, draft: Draft): void {
    const put = this.#drafts.save(conversationId, draft);
    this.#addRemoval((writer) => put(writer.drafts));
  }

  loadNewDraft(conversationId: string): Draft | undefined {
    return this.#database.peek((reader) =>
      this.#database.hasOnlyGrowth
        ? this.#drafts.loadNew(reader.drafts, conversationId, reader.dataVersion())
        : undefined,
    );
  }

  otherDrafts(conversationId: string): readonly OtherDraft[] {
    return this.#database.read((reader) => reader.drafts.others(conversationId));
  }

  takeOtherDraft(conversationId: string, windowId: string): void {
    const take = this.#drafts.take(conversationId, windowId);
    this.#addRemoval((writer) => take(writer.drafts));
  }

  dropOtherDraft(conversationId: string, windowId: string): void {
    this.#addRemoval((writer) => writer.drafts.dropOther(conversationId, windowId));
  }

  flush(): void {
    this.#database.flush();
  }

  persist(): Promise<boolean> {
    return this.#database.persist();
  }

  /** Writes what is pending and releases what is still streaming, so that the next reader sees it as interrupted. */
  close(): void {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#database.growing.giveUp();
    this.#deleted.giveUp();
    this.#indexer.dispose();
    if (this.#database.writeLast()) this.#deleted.finish();
    else this.#options.onProblem(t("The latest changes to the conversations couldn't be saved."));
    this.#database.close();
    this.#search.close();
  }

  #settle(id: string, stored: readonly StoredMessage[]): readonly Message[] {
    return this.#database.growing.settleAll(id, this.#database.withJournals(id, stored));
  }

  #createSearch(index: SearchIndex): IndexedSearch {
    const source = () => ({
      tables: this.#database.search,
      transact: (change: () => void) => this.#database.transact(change),
    });
    return new IndexedSearch(index, source, () => this.#options.monotonic?.() ?? performance.now());
  }

  #addReplacement(change: (writer: ConversationWriter) => void): void {
    this.#database.add(change);
    this.#deleted.noteRemoval("replaced");
  }

  /** Adds a change that deletes something, which must not stay in the log. */
  #addRemoval(change: (writer: ConversationWriter) => void): void {
    this.#database.add(change);
    this.#deleted.noteRemoval("deleted");
  }

  /** Pending changes are written first, because a conversation is marked for removal before it is removed. */
  #purgeSome(): boolean {
    let isMoreLeft = true;
    this.#database.writeNow((writer) => (isMoreLeft = writer.deleted.purgeSome()));
    // What was removed must also leave the index.
    if (isMoreLeft && !this.#isClosed) this.#indexer.wake();
    return isMoreLeft;
  }
}
