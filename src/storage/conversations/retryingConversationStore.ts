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
  ConversationArchive,
  ConversationChanges,
  ConversationFields,
  Draft,
  OtherDraft,
  QueueStore,
} from "../../core/conversation/conversationStore.ts";
import { InMemoryConversationStore } from "../../core/conversation/inMemoryConversationStore.ts";
import type { Pause } from "../../core/kernel/pause.ts";
import type { SearchResult } from "../../core/conversation/searchResult.ts";
import { mergeConversations } from "./mergeStores.ts";

interface RetryingStoreContext {
  /** Rejects with an error whose message is for the user. */
  open(): Promise<ConversationArchive>;
  /** Called with the reason while nothing can be stored, and with undefined once it can. */
  onTrouble(sentence: string | undefined): void;
  /** Runs a function later and returns a function that cancels it. Defaults to the timers of the process. */
  schedule?(run: () => void, ms: number): () => void;
}

/** Milliseconds until each of the next attempts to open the file. */
const retryDelaysMs: readonly number[] = [1_000, 2_000, 5_000, 10_000];
const lastRetryDelayMs = 30_000;

/**
 * Conversations on disk, or in memory while the file can't be opened. Opening is retried until it works, and what was
 * written in the meantime is then merged into the file.
 */
export class RetryingConversationStore implements ConversationArchive {
  readonly #context: RetryingStoreContext;
  /** Used until the file is open. */
  readonly #memory = new InMemoryConversationStore();
  /** Functions that return the whole current message for each streaming message, by conversation and message. */
  readonly #currents = new Map<string, () => Message>();
  #opened: ConversationArchive | undefined;
  #cancelRetry: (() => void) | undefined;
  #tries = 0;
  #isClosed = false;

  constructor(context: RetryingStoreContext) {
    this.#context = context;
  }

  /** Tries to open the file. Resolves when this attempt has succeeded or failed. */
  async start(): Promise<void> {
    let opened: ConversationArchive;
    try {
      opened = await this.#context.open();
    } catch (error) {
      this.#retryLater(error);
      return;
    }
    if (this.#isClosed) return opened.close();
    mergeConversations(this.#memory, opened, this.#currents);
    this.#opened = opened;
    this.#context.onTrouble(undefined);
  }

  list(): readonly ConversationSummary[] {
    return this.#store.list();
  }

  load(id: string): Conversation | undefined {
    return this.#store.load(id);
  }

  loadInSlices(id: string, pause: Pause): Promise<Conversation | undefined> {
    return this.#store.loadInSlices(id, pause);
  }

  changeMark(id: string): ChangeMark {
    return this.#store.changeMark(id);
  }

  loadChanges(id: string, since: ChangeMark): ConversationChanges | undefined {
    return this.#store.loadChanges(id, since);
  }

  saveConversation(conversation: ConversationFields): void {
    this.#store.saveConversation(conversation);
  }

  pinConversation(id: string, isPinned: boolean): void {
    this.#store.pinConversation(id, isPinned);
  }

  tagConversation(id: string, tags: readonly string[]): void {
    this.#store.tagConversation(id, tags);
  }

  saveMessage(conversationId: string, message: Message, current?: () => Message): void {
    this.#store.saveMessage(conversationId, message, current);
    const key = `${conversationId}\n${message.id}`;
    if (current !== undefined && message.status === "streaming") this.#currents.set(key, current);
    else this.#currents.delete(key);
  }

  /** Nothing is recorded in memory, so the user decides whether the call may run anyway. */
  startCall(conversationId: string, message: Message): Promise<CallStart> {
    return this.#opened?.startCall(conversationId, message) ?? Promise.resolve("unwritten");
  }

  appendDelta(conversationId: string, messageId: string, delta: MessageDelta): void {
    this.#store.appendDelta(conversationId, messageId, delta);
  }

  deleteMessage(conversationId: string, messageId: string): void {
    this.#store.deleteMessage(conversationId, messageId);
  }

  renameConversation(id: string, title: string, source: TitleSource): void {
    this.#store.renameConversation(id, title, source);
  }

  deleteConversation(id: string): void {
    this.#store.deleteConversation(id);
  }

  restoreConversation(id: string): void {
    this.#store.restoreConversation(id);
  }

  purgeConversation(id: string): void {
    this.#store.purgeConversation(id);
  }

  search(query: string): SearchResult {
    return this.#store.search(query);
  }

  listVersion(): string {
    return `${this.#opened === undefined ? "memory" : "disk"} ${this.#store.listVersion()}`;
  }

  loadDraft(conversationId: string): Draft {
    return this.#store.loadDraft(conversationId);
  }

  saveDraft(conversationId: string, draft: Draft): void {
    this.#store.saveDraft(conversationId, draft);
  }

  loadNewDraft(conversationId: string): Draft | undefined {
    return this.#store.loadNewDraft(conversationId);
  }

  otherDrafts(conversationId: string): readonly OtherDraft[] {
    return this.#store.otherDrafts(conversationId);
  }

  takeOtherDraft(conversationId: string, windowId: string): void {
    this.#store.takeOtherDraft(conversationId, windowId);
  }

  dropOtherDraft(conversationId: string, windowId: string): void {
    this.#store.dropOtherDraft(conversationId, windowId);
  }

  get queue(): QueueStore {
    return this.#store.queue;
  }

  flush(): void {
    this.#store.flush();
  }

  persist(): Promise<boolean> {
    return this.#opened?.persist() ?? Promise.resolve(false);
  }

  close(): void {
    this.#isClosed = true;
    this.#cancelRetry?.();
    this.#opened?.close();
  }

  get #store(): ConversationArchive {
    return this.#opened ?? this.#memory;
  }

  #retryLater(error: unknown): void {
    if (this.#isClosed) return;
    const reason = error instanceof Error ? error.message : t("unknown error");
    this.#context.onTrouble(
      t(
        "{0} New messages are kept in memory until the file can be opened. Opening it is retried every few seconds. The messages are lost if this window is closed before then.",
        reason,
      ),
    );
    const delay = retryDelaysMs[this.#tries++] ?? lastRetryDelayMs;
    this.#cancelRetry = (this.#context.schedule ?? runLater)(() => void this.start(), delay);
  }
}

function runLater(run: () => void, ms: number): () => void {
  const timer = setTimeout(run, ms);
  timer.unref();
  return () => clearTimeout(timer);
}
