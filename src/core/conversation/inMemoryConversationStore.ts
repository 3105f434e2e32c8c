import type {
  Conversation,
  ConversationSummary,
  Message,
  MessageDelta,
  TitleSource,
} from "./conversation.ts";
import { changedQueue, emptyDraft } from "./conversationStore.ts";
import type {
  CallStart,
  ChangeMark,
  ConversationChanges,
  ConversationFields,
  ConversationArchive,
  Draft,
  OtherDraft,
  QueueChange,
  QueuedMessage,
  QueueStore,
} from "./conversationStore.ts";
import { SearchCollector } from "./searchResult.ts";
import type { SearchResult } from "./searchResult.ts";
import { withParent } from "./messageTree.ts";
import { parseSearchQuery } from "./searchTerms.ts";
import { parseTags } from "./conversationTags.ts";

interface Entry {
  conversation: ConversationFields;
  isPinned: boolean;
  tags: readonly string[];
  isDeleted: boolean;
  titleSource: TitleSource | undefined;
  /** In the order in which they were saved. */
  readonly messages: Map<string, Message>;
  /** The IDs of messages that were changed. */
  readonly changes: string[];
}

/** A conversation stored in memory. */
export interface VolatileConversation {
  readonly fields: ConversationFields;
  readonly isPinned: boolean;
  readonly tags: readonly string[];
  readonly isDeleted: boolean;
  readonly titleSource: TitleSource | undefined;
  /** In the order in which they were saved. */
  readonly messages: readonly Message[];
}

/** The queues of a store in memory. There are no other windows. */
class InMemoryQueues implements QueueStore {
  readonly #queues = new Map<string, readonly QueuedMessage[]>();

  /** The whole contents, for another store to take over. */
  contents(): ReadonlyMap<string, readonly QueuedMessage[]> {
    return this.#queues;
  }

  loadQueue(conversationId: string): readonly QueuedMessage[] {
    return this.#queues.get(conversationId) ?? [];
  }

  loadNewQueue(): undefined {
    return undefined;
  }

  changeQueue(conversationId: string, change: QueueChange): void {
    this.#queues.set(conversationId, changedQueue(this.loadQueue(conversationId), change));
  }

  takeQueued(conversationId: string, id: string): Promise<boolean> {
    return Promise.resolve(this.loadQueue(conversationId).some((message) => message.id === id));
  }

  delete(conversationId: string): void {
    this.#queues.delete(conversationId);
  }
}

/** Stores conversations only in memory: for a host without SQLite, or if the file must not be touched. */
export class InMemoryConversationStore implements ConversationArchive {
  readonly queue = new InMemoryQueues();
  readonly #entries = new Map<string, Entry>();
  readonly #drafts = new Map<string, Draft>();
  #listChanges = 0;

  list(): readonly ConversationSummary[] {
    return [...this.#entries.values()]
      .filter(({ isDeleted }) => !isDeleted)
      .map(({ conversation: { id, title, createdAt, updatedAt, workspace }, ...entry }) => ({
        ...{ id, title, createdAt, updatedAt },
        ...(workspace === undefined ? {} : { workspace }),
        ...marks(entry),
      }))
      .toSorted((left, right) => right.updatedAt - left.updatedAt);
  }

  /** The whole contents, for another store to take over. */
  contents(): {
    readonly conversations: readonly VolatileConversation[];
    readonly drafts: ReadonlyMap<string, Draft>;
  } {
    const conversations = [...this.#entries.values()].map(
      ({ conversation, isPinned, tags, isDeleted, titleSource, messages }) => ({
        ...{ fields: conversation, isPinned, tags, isDeleted, titleSource },
        messages: [...messages.values()],
      }),
    );
    return { conversations, drafts: this.#drafts };
  }

  listVersion(): string {
    return String(this.#listChanges);
  }

  search(query: string): SearchResult {
    const search = parseSearchQuery(query);
    if (search === undefined) return { hits: [], extent: "all" };
    const collector = new SearchCollector(search, this.list());
    if (search.terms.length === 0) return { hits: collector.hits(), extent: "all" };
    for (const [conversationId, { messages }] of this.#entries)
      for (const { id, role, text } of [...messages.values()].toReversed())
        collector.look({ conversationId, id, role, text });
    return { hits: collector.hits(), extent: "all" };
  }

  load(id: string): Conversation | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.isDeleted) return undefined;
    return { ...entry.conversation, ...marks(entry), messages: [...entry.messages.values()] };
  }

  /** Reading nothing from a disk takes no time. */
  loadInSlices(id: string): Promise<Conversation | undefined> {
    return Promise.resolve(this.load(id));
  }

  changeMark(id: string): ChangeMark {
    const revision = this.#entries.get(id)?.changes.length ?? 0;
    const ids = new Set(this.#entries.get(id)?.messages.keys());
    return { file: "", version: revision, revision, open: [], ids };
  }

  loadChanges(id: string, { revision }: ChangeMark): ConversationChanges | undefined {
    const entry = this.#entries.get(id);
    if (entry === undefined || entry.changes.length === revision) return undefined;
    const changed = new Set(entry.changes.slice(revision));
    const messages = [...entry.messages.values()].filter((message) => changed.has(message.id));
    const unchanged = { grown: [], removedIds: [], isComplete: false };
    return { mark: this.changeMark(id), fields: entry.conversation, messages, ...unchanged };
  }

  saveConversation(conversation: ConversationFields): void {
    this.#listChanges++;
    const entry = this.#entries.get(conversation.id);
    if (entry === undefined) {
      const fresh = { isPinned: false, tags: [], isDeleted: false, titleSource: undefined };
      this.#entries.set(conversation.id, { conversation, ...fresh, messages: new Map(), changes: [] });
      return;
    }
    const { title } = entry.titleSource === undefined ? conversation : entry.conversation;
    const workspace = entry.conversation.workspace ?? conversation.workspace;
    entry.conversation = { ...conversation, title, ...(workspace === undefined ? {} : { workspace }) };
    entry.isDeleted = false;
  }

  pinConversation(id: string, isPinned: boolean): void {
    this.#change(id, (entry) => (entry.isPinned = isPinned));
  }

  tagConversation(id: string, tags: readonly string[]): void {
    this.#change(id, (entry) => (entry.tags = parseTags(tags)));
  }

  renameConversation(id: string, title: string, source: TitleSource): void {
    this.#change(id, (entry) => {
      if (entry.titleSource === "user" && source !== "user") return;
      entry.conversation = { ...entry.conversation, title };
      entry.titleSource = source;
    });
  }

  deleteConversation(id: string): void {
    this.#change(id, (entry) => (entry.isDeleted = true));
  }

  restoreConversation(id: string): void {
    this.#change(id, (entry) => (entry.isDeleted = false));
  }

  purgeConversation(id: string): void {
    if (this.#entries.get(id)?.isDeleted !== true) return;
    this.#entries.delete(id);
    this.#drafts.delete(id);
    this.queue.delete(id);
  }

  saveMessage(conversationId: string, message: Message): void {
    const entry = this.#entries.get(conversationId);
    entry?.messages.set(message.id, message);
    entry?.changes.push(message.id);
  }

  /** No other window can have started it. */
  startCall(conversationId: string, message: Message): Promise<CallStart> {
    this.saveMessage(conversationId, message);
    return Promise.resolve("started");
  }

  appendDelta(conversationId: string, messageId: string, delta: MessageDelta): void {
    const entry = this.#entries.get(conversationId);
    const message = entry?.messages.get(messageId);
    if (entry === undefined || message === undefined) return;
    entry.changes.push(messageId);
    entry.messages.set(messageId, { ...message, [delta.kind]: message[delta.kind] + delta.text });
  }

  deleteMessage(conversationId: string, messageId: string): void {
    const messages = this.#entries.get(conversationId)?.messages;
    const removed = messages?.get(messageId);
    if (messages === undefined || removed === undefined) return;
    messages.delete(messageId);
    for (const message of messages.values())
      if (message.parentId === messageId) messages.set(message.id, withParent(message, removed.parentId));
  }

  loadDraft(conversationId: string): Draft {
    const isDeleted = this.#entries.get(conversationId)?.isDeleted === true;
    return (isDeleted ? undefined : this.#drafts.get(conversationId)) ?? emptyDraft;
  }

  saveDraft(conversationId: string, draft: Draft): void {
    if (draft.text === "" && draft.attachments.length === 0) this.#drafts.delete(conversationId);
    else this.#drafts.set(conversationId, draft);
  }

  /** There are no other windows. */
  loadNewDraft(): undefined {
    return undefined;
  }

  otherDrafts(): readonly OtherDraft[] {
    return [];
  }

  takeOtherDraft(): void {}

  dropOtherDraft(): void {}

  /** Nothing is pending, because there is no disk. */
  flush(): void {}

  /** There is no disk to wait for. Callers that need one must use another store. */
  persist(): Promise<boolean> {
    return Promise.resolve(true);
  }

  close(): void {}

  #change(id: string, change: (entry: Entry) => void): void {
    const entry = this.#entries.get(id);
    if (entry === undefined) return;
    this.#listChanges++;
    change(entry);
  }
}

function marks({ isPinned, tags, titleSource }: Pick<Entry, "isPinned" | "tags" | "titleSource">) {
  return {
    ...(isPinned ? { isPinned } : {}),
    ...(tags.length === 0 ? {} : { tags }),
    ...(titleSource === undefined ? {} : { titleSource }),
  };
}
