import type { ContentPart } from "./completion.ts";
import { leftOutIds } from "./completionMessages.ts";
import { settingsField } from "./conversation.ts";
import type { Conversation, ConversationSettings, Message, MessageDelta } from "./conversation.ts";
import type { ConversationFields, ConversationStore, Draft } from "./conversationStore.ts";
import { Listeners } from "../kernel/listeners.ts";
import { MessageTree } from "./messageTree.ts";
import type { Versions } from "./messageTree.ts";
import { newResponse, newQuestion } from "./forkConversation.ts";
import type { MessageOrigin } from "./forkConversation.ts";
import { addForeignText, findQuotes, splitQuotes } from "./quotes.ts";
import type { ForeignText } from "./quotes.ts";
import type { LiveResponse, RetryView, SessionEvent } from "./sessionEvent.ts";

/** The ports of an open conversation. */
export interface ConversationStateContext {
  readonly store: ConversationStore;
  /** Milliseconds since 1970. */
  now(): number;
  createId(): string;
  /** The workspace that is open, for conversations that belong to none yet. */
  readonly workspace?: string | undefined;
  /** Logs an error thrown by a listener. */
  reportError(error: unknown): void;
}

/** A conversation while it is open. Every change is stored and reported to listeners. It makes no decisions. */
export class ConversationState {
  readonly id: string;
  readonly tree: MessageTree;
  /** Whether tools are running, or a response to their results is pending. */
  isRunningTools = false;
  /** The response whose calls were not run because there were too many rounds of calls. */
  limitedId: string | undefined;
  readonly store: ConversationStore;
  readonly #context: ConversationStateContext;
  readonly #live: ReadonlyMap<string, LiveResponse>;
  readonly #listeners: Listeners<SessionEvent>;
  readonly #createdAt: number;
  readonly #workspace: string | undefined;
  #title: string;
  #model: string | undefined;
  #settings: ConversationSettings;
  /** The message that this window has last added or replaced, or that the user has chosen to continue with. */
  #placedId: string | undefined;
  /** What was put into the composer without being typed. */
  #foreign: readonly ForeignText[] = [];
  /** Whether another window has permanently deleted the conversation. */
  #isGone = false;
  #isDisposed = false;

  /** @param live The responses in progress here, by ID; always current. */
  constructor(
    conversation: Conversation,
    context: ConversationStateContext,
    live: ReadonlyMap<string, LiveResponse> = new Map(),
  ) {
    this.id = conversation.id;
    this.tree = new MessageTree(conversation.messages, conversation.leafId);
    this.store = context.store;
    this.#context = context;
    this.#live = live;
    // An error in one page must affect neither the response nor the other pages.
    this.#listeners = new Listeners((error) => context.reportError(error));
    this.#createdAt = conversation.createdAt;
    this.#workspace = conversation.workspace ?? context.workspace;
    this.#title = conversation.title;
    this.#model = conversation.model;
    this.#settings = conversation.settings ?? {};
  }

  get title(): string {
    return this.#title;
  }

  get model(): string | undefined {
    return this.#model;
  }

  get settings(): ConversationSettings {
    return this.#settings;
  }

  /** Whether a response that doesn't look finished is in progress. */
  get isStreaming(): boolean {
    return this.isRunningTools || [...this.#live.values()].some(({ isSettling }) => !isSettling);
  }

  /** Whether a response is in progress, even if it looks finished. */
  get isOpen(): boolean {
    return this.isRunningTools || this.#live.size > 0;
  }

  /** The wait that the page shows. Side by side, it offers no other model, because several responses may be waiting. */
  get retryView(): RetryView | undefined {
    const retry = [...this.#live.values()].find((response) => response.retry !== undefined)?.retry;
    return retry === undefined || this.comparison.length === 0 ? retry : { ...retry, isCompared: true };
  }

  /** IDs of the responses that are shown side by side at the end of the path; empty if there is just one. */
  get comparison(): readonly string[] {
    return this.tree.comparison;
  }

  /** The current state of the shown messages: the path, with all responses that are compared. */
  get messages(): readonly Message[] {
    return this.tree.shown.map((message) => this.#current(message));
  }

  /** The IDs of all versions of each shown message that has several, by the ID of the shown message. */
  get versions(): Versions {
    return this.tree.versions;
  }

  /** The end of the branch that this window has last added to, if the user has switched to another one since. */
  get asideId(): string | undefined {
    const id = this.#placedId;
    if (id === undefined || this.tree.find(id) === undefined || this.comparison.length > 0) return undefined;
    return this.tree.path.some((message) => message.id === id) ? undefined : id;
  }

  /** The messages that later requests leave out because they got no response. */
  get unsentIds(): readonly string[] {
    return leftOutIds(this.tree.path);
  }

  /** Any message, shown or not. */
  find(messageId: string): Message | undefined {
    const message = this.tree.find(messageId);
    return message === undefined ? undefined : this.#current(message);
  }

  /** The path from the first message to this one. */
  pathTo(messageId: string): readonly Message[] {
    return this.tree.pathTo(messageId).map((message) => this.#current(message));
  }

  /** The IDs of all versions of the message. */
  versionsOf(message: Message): readonly string[] {
    return this.tree.versionsOf(message);
  }

  /** Returns a function that unsubscribes. */
  subscribe(listener: (event: SessionEvent) => void): () => void {
    return this.#listeners.add(listener);
  }

  emit(event: SessionEvent): void {
    this.#listeners.emit(event);
  }

  /** Notifies listeners that something has started or stopped streaming or waiting for its next attempt. */
  emitStreaming(): void {
    const { isStreaming, retryView: retry } = this;
    this.emit({ type: "streaming", isStreaming, ...(retry === undefined ? {} : { retry }) });
  }

  /** Whether the conversation was closed or deleted here. */
  get isDisposed(): boolean {
    return this.#isDisposed;
  }

  /** From now on, listeners are no longer notified, and only messages in progress are stored. */
  dispose(): void {
    this.#isDisposed = true;
    this.#listeners.clear();
  }

  selectModel(model: string): void {
    if (this.#model === model) return;
    this.#model = model;
    this.#fieldChanged({ type: "model", model });
  }

  rename(title: string): void {
    this.#title = title;
    this.#fieldChanged({ type: "title", title });
  }

  changeSettings(settings: ConversationSettings): void {
    this.#settings = settings;
    this.#fieldChanged({ type: "settings", settings });
  }

  /** Adds a user message below the parent and shows its path. Without an ID, it gets a new one. */
  addQuestion(
    parentId: string | undefined,
    text: string,
    attachments: readonly ContentPart[],
    id?: string,
  ): void {
    // What earlier messages quote may have been copied from them, or be in another version of one.
    const earlier = this.tree.all.flatMap((message) =>
      message.quotes === undefined ? [] : splitQuotes(message).foreign,
    );
    const quotes = findQuotes(text, [...this.#foreign, ...earlier]);
    this.tree.end(parentId);
    const question = newQuestion(this.createOrigin(parentId, id), text, attachments);
    this.addMessage(quotes.length === 0 ? question : { ...question, quotes });
  }

  /** Remembers what is put into the composer without being typed. */
  noteForeign(foreign: ForeignText): void {
    this.#foreign = addForeignText(this.#foreign, foreign);
  }

  /** The draft with the parts of it that weren't typed, to be stored: a later session can't know them otherwise. */
  withQuotes<D extends Draft>(draft: D): D {
    const quotes = findQuotes(draft.text, this.#foreign);
    return quotes.length === 0 ? draft : { ...draft, quotes };
  }

  /** Remembers the parts of a stored draft that weren't typed. */
  noteQuotes(draft: Draft): void {
    for (const part of splitQuotes(draft).foreign)
      if (!this.#foreign.some(({ text }) => text.includes(part.text))) this.noteForeign(part);
  }

  /** Creates a response that is still to be added, with the current settings. */
  createResponse(parentId: string | undefined, model: string | undefined): Message {
    const fields = { ...settingsField(this.#settings), ...(model === undefined ? {} : { model }) };
    return newResponse(this.createOrigin(parentId), fields);
  }

  /** @param current Returns the current state of a streaming message at any later time. */
  addMessage(message: Message, current?: () => Message): void {
    this.putMessage(message, current);
    this.emit({ type: "messageAdded", message });
  }

  /** Adds a message, or replaces the one with the same ID, before any listener is notified of it. */
  putMessage(message: Message, current?: () => Message): void {
    this.placeMessage(message);
    this.store.save({ type: "message", conversationId: this.id, message }, current);
  }

  /** Adds or replaces a message that the caller stores right afterward. */
  placeMessage(message: Message): void {
    if (this.tree.find(message.id) === undefined) this.tree.addNext(message);
    else this.tree.replace(message);
    this.#placedId = message.id;
    this.#save();
  }

  appendDelta(messageId: string, delta: MessageDelta): void {
    this.store.appendDelta(this.id, messageId, delta);
    this.emit({ type: "delta", messageId, delta });
  }

  changeMessage(message: Message): void {
    this.store.save({ type: "message", conversationId: this.id, message });
    this.emit({ type: "messageChanged", message });
  }

  /** Replaces a message, for example with other text from which it continues to grow. */
  replaceMessage(message: Message): void {
    this.tree.replace(message);
    this.store.save({ type: "message", conversationId: this.id, message });
    this.emit({ type: "messageReplaced", message });
  }

  /** Stores the message in its final form, which is on disk when this returns. */
  finishMessage(message: Message): void {
    this.tree.replace(message);
    this.changeMessage(message);
    this.store.flush();
  }

  /**
   * Merges the fields that another window has stored. Undefined if nothing is stored anymore because the conversation
   * was permanently deleted there. What is open here is stored again with the next change.
   */
  takeInFields(fields: ConversationFields | undefined): void {
    this.#isGone = fields === undefined && this.tree.all.length > 0;
    if (fields === undefined) return;
    const { title, model, settings = {} } = fields;
    const { title: oldTitle, model: oldModel, settings: oldSettings } = this;
    this.#title = title;
    this.#settings = settings;
    this.#model = model ?? oldModel;
    if (title !== oldTitle) this.emit({ type: "title", title });
    if (model !== undefined && model !== oldModel) this.emit({ type: "model", model });
    if (JSON.stringify(settings) !== JSON.stringify(oldSettings)) this.emit({ type: "settings", settings });
  }

  /** Removes a message that has no successor. */
  removeMessage(message: Message): void {
    this.tree.remove(message);
    this.store.save({ type: "removeMessage", conversationId: this.id, messageId: message.id });
  }

  /** Shows only this version of a message and what followed it. */
  selectVersion(messageId: string): void {
    if (this.comparison.includes(messageId)) this.#placedId = messageId;
    this.tree.compare([]);
    this.tree.select(messageId);
    this.#save();
    this.emit({ type: "path" });
  }

  /**
   * If the user continues without choosing, the conversation continues with the response at the end of the path, or with
   * a complete one if that isn't.
   */
  leaveComparison(): void {
    const { comparison, path } = this.tree;
    if (comparison.length === 0) return;
    const isComplete = (id = ""): boolean => this.find(id)?.status === "complete";
    const complete = comparison.findLast((id) => isComplete(id));
    this.tree.compare([]);
    if (complete !== undefined && !isComplete(path.at(-1)?.id)) this.tree.select(complete);
    this.emit({ type: "path" });
  }

  /** Creates the origin of a new message that follows this one. */
  createOrigin(parentId: string | undefined, id = this.#context.createId()): MessageOrigin {
    return { id, parentId, createdAt: this.#context.now() };
  }

  /** A conversation without a message is not stored, because it would be listed. */
  #fieldChanged(event: SessionEvent): void {
    if (this.tree.all.length > 0) this.#save();
    this.emit(event);
  }

  #save(): void {
    // Writing the fields of a deleted conversation restores it, and someone else may have opened it again.
    if (this.#isDisposed) return;
    this.saveFields();
    if (!this.#isGone) return;
    this.#isGone = false;
    for (const message of this.tree.all)
      this.store.save({ type: "message", conversationId: this.id, message });
  }

  /** Stores title, model, settings and the end of the path. */
  saveFields(): void {
    const { leafId } = this.tree;
    this.store.save({
      type: "conversation",
      fields: {
        id: this.id,
        title: this.#title,
        createdAt: this.#createdAt,
        updatedAt: this.#context.now(),
        ...settingsField(this.#settings),
        ...(this.#model === undefined ? {} : { model: this.#model }),
        ...(leafId === undefined ? {} : { leafId }),
        ...(this.#workspace === undefined ? {} : { workspace: this.#workspace }),
      },
    });
  }

  #current(message: Message): Message {
    return this.#live.get(message.id)?.message ?? message;
  }
}
