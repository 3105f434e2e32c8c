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
import type { VolatileConversation } from "../../core/conversation/inMemoryConversationStore.ts";
import { MessageTree } from "../../core/conversation/messageTree.ts";
import type { Pause } from "../../core/kernel/pause.ts";
import type { SearchResult } from "../../core/conversation/searchResult.ts";
import type { UsageQuery, UsageTotal } from "../../core/conversation/usageTotals.ts";

export interface RetryingStoreContext {
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
    this.#currents.clear();
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

  saveMessage(conversationId: string, message: Message, current?: () => Message): void {
    this.#store.saveMessage(conversationId, message, current);
    if (this.#opened === undefined && current !== undefined)
      this.#currents.set(`${conversationId}\n${message.id}`, current);
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

/**
 * Merges what was kept in memory into the store by ID. Nothing is lost or duplicated, no matter how often this runs.
 * Messages written in a conversation that couldn't be read are placed after its stored ones.
 * @param currents Functions that return the whole current message for each streaming message, by conversation and
 * message.
 */
function mergeConversations(
  memory: InMemoryConversationStore,
  target: ConversationArchive,
  currents: ReadonlyMap<string, () => Message>,
): void {
  const { conversations, drafts } = memory.contents();
  for (const conversation of conversations) mergeConversation(conversation, target, currents);
  for (const [id, draft] of drafts) mergeDraft(id, draft, target);
  for (const [id, messages] of memory.queue.contents())
    for (const message of messages) target.queue.changeQueue(id, { type: "add", message });
  target.flush();
}

function mergeConversation(
  { fields, messages, isPinned, isDeleted, titleSource }: VolatileConversation,
  target: ConversationArchive,
  currents: ReadonlyMap<string, () => Message>,
): void {
  const { id } = fields;
  const stored = target.load(id);
  target.saveConversation(stored === undefined ? fields : mergeFields(fields, stored, messages.length > 0));
  const end = stored === undefined ? undefined : endOf(stored);
  const known = new Set(stored?.messages.map((message) => message.id));
  for (const message of messages) {
    const isFirst = message.parentId === undefined && end !== undefined && !known.has(message.id);
    const current = currents.get(`${id}\n${message.id}`);
    target.saveMessage(id, isFirst ? { ...message, parentId: end } : message, current);
  }
  if (titleSource !== undefined) target.renameConversation(id, fields.title, titleSource);
  if (isPinned) target.pinConversation(id, true);
  if (isDeleted) target.deleteConversation(id);
}

/**
 * What the user has set wins. In memory, the conversation had the title, the settings and the creation time of a new
 * one, so the stored ones are kept. It continues with the model that was used last, and shows what was written last.
 */
function mergeFields(
  fields: ConversationFields,
  stored: Conversation,
  hasNewMessages: boolean,
): ConversationFields {
  const { id, title, createdAt } = stored;
  const { settings = fields.settings } = stored;
  const model = fields.model ?? stored.model;
  const { leafId } = hasNewMessages ? fields : stored;
  return {
    ...{ id, title, createdAt, updatedAt: Math.max(stored.updatedAt, fields.updatedAt) },
    ...(settings === undefined ? {} : { settings }),
    ...(model === undefined ? {} : { model }),
    ...(leafId === undefined ? {} : { leafId }),
  };
}

/** The last message that the conversation shows. */
function endOf({ messages, leafId }: Conversation): string | undefined {
  return new MessageTree(messages, leafId).path.at(-1)?.id;
}

/** If a different draft is already stored, both are worth keeping. */
function mergeDraft(id: string, draft: Draft, target: ConversationArchive): void {
  const stored = target.loadDraft(id);
  if (stored.text === draft.text || (stored.text === "" && stored.attachments.length === 0))
    return target.saveDraft(id, draft);
  target.saveDraft(id, {
    text: [stored.text, draft.text].filter((text) => text !== "").join("\n\n"),
    attachments: [...stored.attachments, ...draft.attachments],
  });
}
