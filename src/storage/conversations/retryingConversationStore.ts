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
import { InMemoryConversationStore } from "../../core/conversation/inMemoryConversationStore.ts";
import { mergeConversations } from "./mergeConversations.ts";

export interface RetryingStoreContext {
  /** Rejects with an error whose message is for the user. */
  open(): Promise<ConversationStore>;
  /** Called with the reason why nothing can be stored, while that is so, and then with undefined. */
  onTrouble(sentence: string | undefined): void;
  /** Runs later; returns what takes it back. Timers of the process unless a test has its own. */
  schedule?(run: () => void, ms: number): () => void;
}

/** Milliseconds until the next tries to open the file. */
const retryDelaysMs: readonly number[] = [1_000, 2_000, 5_000, 10_000];
const lastRetryDelayMs = 30_000;

/**
 * Conversations on disk, or in memory for as long as the file can't be opened: it is tried again and again, and what was
 * written in the meantime is then merged into it.
 */
export class RetryingConversationStore implements ConversationStore {
  readonly #context: RetryingStoreContext;
  /** What is used until the file is open. */
  readonly #memory = new InMemoryConversationStore();
  /** How messages that stream are written again whole, by conversation and message. */
  readonly #currents = new Map<string, () => Message>();
  #opened: ConversationStore | undefined;
  #cancelRetry: (() => void) | undefined;
  #tries = 0;
  #isClosed = false;

  constructor(context: RetryingStoreContext) {
    this.#context = context;
  }

  /** Tries to open the file; resolves when that has worked or failed for now. */
  async start(): Promise<void> {
    let opened: ConversationStore;
    try {
      opened = await this.#context.open();
    } catch (error) {
      this.#retryLater(error);
      return;
    }
    if (this.#isClosed) return opened.close();
    mergeConversations(this.#memory, opened, this.#currents);
    this.#opened = opened;
    this.#currents.clear();
    this.#context.onTrouble(undefined);
  }

  list(): readonly ConversationSummary[] {
    return this.#store.list();
  }

  load(id: string): Conversation | undefined {
    return this.#store.load(id);
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

  saveMessage(conversationId: string, message: Message, current?: () => Message): void {
    this.#store.saveMessage(conversationId, message, current);
    if (this.#opened === undefined && current !== undefined)
      this.#currents.set(`${conversationId}\n${message.id}`, current);
  }

  /** In memory nothing is recorded: the user decides whether a call may run all the same. */
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

  readUsage(query: UsageQuery): readonly UsageTotal[] {
    return this.#store.readUsage(query);
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

  get #store(): ConversationStore {
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
