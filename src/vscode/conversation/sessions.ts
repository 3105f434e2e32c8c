import { randomUUID } from "node:crypto";
import type * as vscode from "vscode";
import type { CompletionPort } from "../../core/conversation/completion.ts";
import { ChatSession } from "../../core/conversation/chatSession.ts";
import type { Conversation, ConversationSettings, Message } from "../../core/conversation/conversation.ts";
import { emptyDraft } from "../../core/conversation/conversationStore.ts";
import type { ChangeMark, ConversationStore, DraftStore } from "../../core/conversation/conversationStore.ts";
import { untitled } from "../../core/conversation/conversationTitle.ts";
import {
  forkConversation,
  forkTitle,
  splitFork,
  newResponse,
  newQuestion,
} from "../../core/conversation/forkConversation.ts";
import { MessageQueue } from "../../core/conversation/messageQueue.ts";
import { logFailure } from "../../core/kernel/errors.ts";
import type { Log } from "../../core/kernel/log.ts";
import type { ToolPort } from "../../core/conversation/toolPort.ts";
import { chatSettings } from "./chatSettings.ts";
import { setContextKey } from "../shell/contextKey.ts";
import { openWorkspace } from "../shell/ownMachine.ts";
import { schedule } from "../shell/pause.ts";

interface SessionsContext {
  readonly completions: CompletionPort;
  readonly log: Log;
  /** The port that a conversation uses for requests while the user can be asked. */
  watch(completions: CompletionPort, conversationId: string): CompletionPort;
  readonly tools: ToolPort;
  openStore(): Promise<ConversationStore>;
  defaultModel(): Promise<string>;
  /** The tokens that the model can read, if known. */
  contextLength(model: string): number | undefined;
  /** Prepares the settings of a new conversation, which may ask the user. */
  prepareSettings(): Promise<void>;
  /** The settings of new conversations. */
  initialSettings(): ConversationSettings;
  isShown(session: ChatSession): boolean;
  /** Whether conversations can't be stored at the moment. */
  isStorageTroubled(): boolean;
  /** Called when a conversation was opened. It is observed as long as it is open. */
  onOpened(session: ChatSession, store: ConversationStore): void;
  /** Called when the user or the first response has determined a model. */
  onModel(model: string): void;
}

/** Every open conversation, once regardless of how many panels show it. The store is opened with the first one. */
export class Sessions implements vscode.Disposable {
  readonly #context: SessionsContext;
  readonly #sessions = new Map<string, ChatSession>();
  /** Conversations that are being read, by ID. */
  readonly #opening = new Map<string, Promise<ChatSession>>();
  readonly #queues = new WeakMap<ChatSession, MessageQueue>();
  #store: Promise<ConversationStore> | undefined;
  #openStore: ConversationStore | undefined;
  /**
   * A chat that was closed with a draft before its first message. It isn't listed anywhere, so the next new chat reuses
   * it.
   */
  #unsentId: string | undefined;

  constructor(context: SessionsContext) {
    this.#context = context;
  }

  /** @param mayHaveDraft Whether it may contain the draft that the user has left in a new chat. */
  async create(mayHaveDraft = true): Promise<ChatSession> {
    const store = await this.#loadStore();
    await this.#context.prepareSettings();
    const unsentId = mayHaveDraft ? this.#unsentId : undefined;
    if (unsentId !== undefined) this.#unsentId = undefined;
    const id = unsentId ?? randomUUID();
    return this.#adopt(this.#fresh(id), store);
  }

  async open(conversationId: string): Promise<ChatSession> {
    const store = await this.#loadStore();
    const existing = this.#sessions.get(conversationId);
    if (existing !== undefined) return existing;
    const opening =
      this.#opening.get(conversationId) ??
      this.#read(conversationId, store).finally(() => this.#opening.delete(conversationId));
    this.#opening.set(conversationId, opening);
    return opening;
  }

  async #read(conversationId: string, store: ConversationStore): Promise<ChatSession> {
    const mark = store.changeMark(conversationId);
    const stored = await store.loadOnceUnlocked(conversationId);
    // If the panel was restored before its first message, its conversation was never stored.
    if (stored === undefined) await this.#context.prepareSettings();
    return this.#adopt(stored ?? this.#fresh(conversationId), store, mark);
  }

  /**
   * Stores a new conversation with everything up to this message and returns its ID. If it is one of the user's own
   * messages, it becomes the draft of the new conversation.
   */
  async fork(session: ChatSession, messageId: string): Promise<string> {
    const { path, draft } = splitFork(session.state.pathTo(messageId));
    const id = await this.#storeFork(session, path);
    if (draft !== undefined) (await this.#loadStore()).save({ type: "draft", conversationId: id, draft });
    return id;
  }

  /** Stores a new conversation that starts with this summary request and the summary, and returns its ID. */
  forkWithSummary(session: ChatSession, request: string, summary: string, model: string): Promise<string> {
    const origin = { id: "", createdAt: Date.now() };
    const response = newResponse(origin, { model });
    const path = [
      newQuestion(origin, request, []),
      { ...response, status: "complete", text: summary } as const,
    ];
    return this.#storeFork(session, path, model);
  }

  async #storeFork(
    session: ChatSession,
    path: readonly Message[],
    model = session.state.model,
  ): Promise<string> {
    const store = await this.#loadStore();
    const { title, settings } = session.state;
    const listed = store.list();
    const source = {
      title: forkTitle(
        title,
        listed.map((other) => other.title),
      ),
      settings,
      path,
      ...(model === undefined ? {} : { model }),
    };
    const conversation = forkConversation(source, { createId: () => randomUUID(), now: Date.now() });
    const { messages, ...head } = conversation;
    const workspace = openWorkspace();
    store.save({
      type: "conversation",
      fields: { ...head, ...(workspace === undefined ? {} : { workspace }) },
    });
    store.save({
      type: "tags",
      id: conversation.id,
      tags: listed.find(({ id }) => id === session.id)?.tags ?? [],
    });
    for (const message of messages) store.save({ type: "message", conversationId: conversation.id, message });
    return conversation.id;
  }

  store(): Promise<ConversationStore> {
    return this.#loadStore();
  }

  /** The conversation if it is open. */
  find(conversationId: string): ChatSession | undefined {
    return this.#sessions.get(conversationId);
  }

  /** The messages that wait for the session's response. */
  queueOf(session: ChatSession): MessageQueue {
    const queue = this.#queues.get(session);
    if (queue === undefined) throw new Error("The conversation was closed.");
    return queue;
  }

  stopAll(): void {
    for (const session of this.#sessions.values()) session.stop();
  }

  /** Available once a session was opened, before which drafts aren't needed. */
  get drafts(): DraftStore {
    if (this.#openStore === undefined) throw new Error("No conversation has been opened.");
    return this.#openStore;
  }

  /**
   * Called when no panel shows the session anymore. A response in progress continues to its end, because the session
   * may be opened again.
   */
  release(session: ChatSession): void {
    if (session.state.messages.length === 0) this.#keepUnsent(session.id);
    // What can't be read from a failing disk is still there when the chat is opened again.
    if (this.#context.isStorageTroubled()) return;
    if (!session.state.isOpen) return this.#forget(session);
    const stopListening = session.subscribe((event) => {
      if (event.type !== "streaming" || session.state.isOpen) return;
      stopListening();
      if (!this.#context.isShown(session)) this.#forget(session);
    });
  }

  /** Ends the conversation because it is deleted. Nothing in progress may write to it anymore. */
  discard(conversationId: string): void {
    const session = this.#sessions.get(conversationId);
    if (session === undefined) return;
    session.stop();
    this.#forget(session);
    this.#showStreaming();
  }

  dispose(): void {
    this.#freeUnsent();
    for (const session of [...this.#sessions.values()]) this.#forget(session);
    this.#openStore?.close();
  }

  #fresh(id: string): Conversation {
    const now = Date.now();
    const settings = this.#context.initialSettings();
    return { id, title: untitled, createdAt: now, updatedAt: now, settings, messages: [] };
  }

  /** If a deleted conversation was restored and opened again, it has a different session by now. */
  #forget(session: ChatSession): void {
    if (this.#sessions.get(session.id) === session) this.#sessions.delete(session.id);
    this.#queues.get(session)?.dispose();
    session.dispose();
  }

  #keepUnsent(id: string): void {
    const { text, attachments } = this.drafts.loadDraft(id);
    if (text === "" && attachments.length === 0) return;
    this.#freeUnsent();
    this.#unsentId = id;
  }

  #freeUnsent(): void {
    if (this.#unsentId !== undefined)
      this.drafts.save({ type: "draft", conversationId: this.#unsentId, draft: emptyDraft });
    this.#unsentId = undefined;
  }

  #loadStore(): Promise<ConversationStore> {
    this.#store ??= this.#context.openStore().then((store) => (this.#openStore = store));
    return this.#store;
  }

  #adopt(conversation: Conversation, store: ConversationStore, mark?: ChangeMark): ChatSession {
    const session = new ChatSession(conversation, {
      completions: this.#context.watch(this.#context.completions, conversation.id),
      store,
      now: () => Date.now(),
      createId: () => randomUUID(),
      tools: this.#context.tools,
      workspace: openWorkspace(),
      maxToolRounds: chatSettings.maxToolRounds,
      defaultModel: () => this.#context.defaultModel(),
      contextLength: (model) => this.#context.contextLength(model),
      schedule,
      ...(mark === undefined ? {} : { mark }),
      reportError: (error) => logFailure(this.#context.log, error),
    });
    session.subscribe((event) => {
      if (event.type === "streaming") this.#showStreaming();
      if (event.type === "model") this.#context.onModel(event.model);
      if (event.type === "messageAdded") setContextKey("inferenceGateway.hasConversations", true);
    });
    this.#queues.set(session, this.#createQueue(session, store));
    this.#context.onOpened(session, store);
    this.#sessions.set(session.id, session);
    return session;
  }

  #createQueue(session: ChatSession, store: ConversationStore): MessageQueue {
    return new MessageQueue({
      session,
      store,
      createId: () => randomUUID(),
      schedule,
      reportError: (error) => logFailure(this.#context.log, error),
    });
  }

  #showStreaming(): void {
    const isStreaming = [...this.#sessions.values()].some((session) => session.state.isStreaming);
    setContextKey("inferenceGateway.chat.streaming", isStreaming);
  }
}
