import type { CompletionPort, ContentPart, ToolCall } from "./completion.ts";
import { completionMessages } from "./completionMessages.ts";
import { canContinue, continuationMessages, continuedFrom } from "./continuation.ts";
import type { Conversation, ConversationSettings, Message } from "./conversation.ts";
import { emptyDraft } from "./conversationStore.ts";
import type { ConversationStore } from "./conversationStore.ts";
import { conversationTitle, untitled } from "./conversationTitle.ts";
import { ConversationHead } from "./conversationHead.ts";
import { Listeners } from "./listeners.ts";
import { MessageTree } from "./messageTree.ts";
import type { RetryView, Versions } from "./protocol.ts";
import type { SessionEvent } from "./sessionEvent.ts";
import { SessionTools } from "./sessionTools.ts";
import { followStoredGrowth } from "./storedGrowth.ts";
import type { ToolPort, ToolResult } from "./toolPort.ts";
import { Turns } from "./turns.ts";

/** What floor 0 does not have by itself, and the ports of the session. */
export interface ChatSessionContext {
  readonly completions: CompletionPort;
  readonly store: ConversationStore;
  /** Without it no answer is offered tools. */
  readonly tools?: ToolPort;
  /** How often the model may be asked again with the results of its tools; 10 unless given. */
  maxToolRounds?(): number;
  /** Milliseconds since 1970. */
  now(): number;
  createId(): string;
  /** The model for a conversation that has none yet. Rejects with a ServiceError where none can be had. */
  defaultModel(): Promise<string>;
  /** For the log: why an answer failed, or what a listener threw. */
  reportError(error: unknown): void;
  /** Runs a function once after so many milliseconds; returns its cancellation. Without it no other window is followed. */
  schedule?(run: () => void, ms: number): () => void;
}

/** What became of a message: `busy` while an answer is under way, `empty` without text and attachments. */
export type SendOutcome = "sent" | "busy" | "empty";

/**
 * Owns one conversation, a tree of which one path is shown: sends its turns, takes in the answers and has all of it
 * stored as it comes. Pages come and go; any number of them may listen. One turn at a time; several models may answer
 * it at once.
 */
export class ChatSession {
  readonly id: string;
  readonly #context: ChatSessionContext;
  readonly #listeners = new Listeners<SessionEvent>();
  readonly #head: ConversationHead;
  readonly #tree: MessageTree;
  readonly #turns: Turns;
  readonly #tools: SessionTools;
  readonly #stopFollowing: () => void;

  constructor(conversation: Conversation, context: ChatSessionContext) {
    this.id = conversation.id;
    this.#context = context;
    this.#head = new ConversationHead(conversation, context.store, () => context.now());
    this.#tree = new MessageTree(conversation.messages, conversation.leafId);
    this.#turns = this.#createTurns();
    this.#tools = this.#createTools();
    this.#stopFollowing = followStoredGrowth({
      tree: this.#tree,
      isOurs: ({ id }) => this.#turns.has(id),
      load: () => context.store.load(this.id)?.messages ?? [],
      emit: (event) => this.#listeners.emit(event),
      reportError: (error) => context.reportError(error),
      schedule: context.schedule ?? (() => () => undefined),
    });
  }

  get title(): string {
    return this.#head.title;
  }

  get model(): string | undefined {
    return this.#head.model;
  }

  get settings(): ConversationSettings {
    return this.#head.settings;
  }

  get isStreaming(): boolean {
    return !this.#turns.isEmpty || this.#tools.isBusy;
  }

  /** The answer whose calls were not run because there had been too many rounds of them. */
  get limitedId(): string | undefined {
    return this.#tools.limitedId;
  }

  get retryView(): RetryView | undefined {
    const { retry } = this.#turns;
    if (retry === undefined || this.comparison.length === 0) return retry;
    const { attempt, maxAttempts, dueAt, error } = retry;
    return { attempt, maxAttempts, dueAt, error };
  }

  /** Ids of the answers that are shown side by side at the end of the path; empty where there is just one. */
  get comparison(): readonly string[] {
    return this.#tree.comparison;
  }

  /** The messages that are shown, as they are now: the path, with all of the answers that are compared. */
  get messages(): readonly Message[] {
    return this.#tree.shown.map((message) => this.#turns.current(message));
  }

  /** By the id of each shown message of which there are several versions: the ids of all of these. */
  get versions(): Versions {
    return this.#tree.versions;
  }

  /** Any message, shown or not. */
  find(messageId: string): Message | undefined {
    const message = this.#tree.find(messageId);
    return message === undefined ? undefined : this.#turns.current(message);
  }

  /** From the first message to this one. */
  pathTo(messageId: string): readonly Message[] {
    return this.#tree.pathTo(messageId).map((message) => this.#turns.current(message));
  }

  /** The ids of all versions of the message. */
  versionsOf(message: Message): readonly string[] {
    return this.#tree.versionsOf(message);
  }

  /**
   * Returns the function that takes the listener away again. A listener that comes in mid-stream reads `messages`
   * first: every later delta follows on them.
   */
  subscribe(listener: (event: SessionEvent) => void): () => void {
    return this.#listeners.add((event) => {
      try {
        listener(event);
      } catch (error) {
        // A page that breaks must neither cost the answer nor the other pages.
        this.#context.reportError(error);
      }
    });
  }

  selectModel(model: string): void {
    if (this.#head.model === model) return;
    this.#head.model = model;
    this.#saveUnlessNew();
    this.#listeners.emit({ type: "model", model });
  }

  rename(title: string): void {
    this.#head.title = title;
    this.#saveUnlessNew();
    this.#listeners.emit({ type: "title", title });
  }

  /** What the coming answers are asked with. */
  changeSettings(settings: ConversationSettings): void {
    this.#head.settings = settings;
    this.#saveUnlessNew();
    this.#listeners.emit({ type: "settings", settings });
  }

  /** Adds the user's message and asks for an answer; anything but `sent` has changed nothing. */
  send(text: string, attachments: readonly ContentPart[] = []): SendOutcome {
    if (this.isStreaming) return "busy";
    if (text.trim() === "" && attachments.length === 0) return "empty";
    this.#ask(text, attachments);
    this.#answer();
    return "sent";
  }

  /** Sends another version of one of the user's messages; the old one stays with all that followed it. */
  edit(messageId: string, text: string, attachments: readonly ContentPart[]): SendOutcome {
    const old = this.#tree.find(messageId);
    if (this.isStreaming || old?.role !== "user") return "busy";
    if (text.trim() === "" && attachments.length === 0) return "empty";
    this.#leaveComparison();
    this.#addUserMessage(text, attachments, old.parentId);
    this.#answer();
    return "sent";
  }

  /** Asks for another version of an answer; `model` may be another one than that of the conversation. */
  regenerate(messageId: string, model?: string): void {
    const old = this.#tree.find(messageId);
    if (this.isStreaming || old?.role !== "assistant") return;
    this.#leaveComparison();
    this.#tree.end(old.parentId);
    // Nothing is lost with it, and nobody wants to leaf through failures.
    if (isEmptyAnswer(old)) this.#remove(old);
    this.#answer(model === undefined ? {} : { models: [model] });
  }

  /** Asks again for the last answer, if it is missing, empty, failed or stopped. */
  retry(): void {
    const last = this.#tree.path.at(-1);
    if (this.isStreaming || last === undefined) return;
    if (last.role !== "assistant") this.#answer();
    else if (last.status !== "complete" || isEmptyAnswer(last)) this.regenerate(last.id);
  }

  /** Goes on from where an answer broke off, in a version of its own that begins with all that had come. */
  continueAnswer(messageId: string): void {
    const broken = this.#tree.find(messageId);
    if (this.isStreaming || broken === undefined || !canContinue(broken)) return;
    this.#leaveComparison();
    this.#answer({ broken });
  }

  /** Runs the calls of the last answer that have no results yet, and goes on with the model. */
  continueTools(messageId: string): void {
    const caller = this.#tree.path.findLast(({ role }) => role !== "tool");
    if (this.isStreaming || caller?.id !== messageId || caller.toolCalls.length === 0) return;
    this.#leaveComparison();
    this.#tools.follow(caller);
  }

  /** Has several models answer at once: this message where it has content, else the last one of the user. */
  compare(models: readonly string[], { text, attachments } = emptyDraft): void {
    if (this.isStreaming || models.length === 0) return;
    if (text.trim() !== "" || attachments.length > 0) this.#ask(text, attachments);
    const question = this.#tree.path.findLast(({ role }) => role === "user");
    if (question === undefined) return;
    this.#tree.compare([]);
    this.#tree.end(question.id);
    this.#tree.compare(this.#answer({ models }));
    this.#emitPath();
  }

  /** Shows this version of a message, and what followed it. Of answers that are compared, goes on with this one. */
  selectVersion(messageId: string): void {
    if (this.#tree.find(messageId) === undefined) return;
    this.#tree.compare([]);
    this.#tree.select(messageId);
    this.#save();
    this.#emitPath();
  }

  /** The user's stop of one answer, or of all: closes the socket; what came is kept. */
  stop(messageId?: string): void {
    if (messageId === undefined) this.#tools.stop();
    this.#turns.stop(messageId);
  }

  /** Closes the socket because VS Code ends: what came is kept as cut. Nobody is told any more. */
  dispose(): void {
    this.#listeners.clear();
    this.#stopFollowing();
    this.#tools.dispose();
    this.#turns.interrupt();
  }

  /** Ends the wait before the next attempt. */
  retryNow(): void {
    this.#turns.retryNow();
  }

  #createTurns(): Turns {
    const { completions, store, now, defaultModel, reportError } = this.#context;
    return new Turns({
      completions,
      now,
      defaultModel,
      reportError,
      parameters: (settings) => this.#tools.parameters(settings),
      onDelta: (messageId, delta) => {
        store.appendDelta(this.id, messageId, delta);
        this.#listeners.emit({ type: "delta", messageId, delta });
      },
      onToolCall: (message) => this.#listeners.emit({ type: "messageChanged", message }),
      onModel: (model, message) => {
        this.selectModel(model);
        this.#change(message);
      },
      onRetry: () => this.#emitStreaming(),
      onEnd: (message) => {
        this.#tree.replace(message);
        this.#change(message);
        store.flush();
        // Answers that are compared ask for nothing before one of them is chosen.
        if (this.#tree.comparison.length === 0) this.#tools.hear(message);
        this.#emitStreaming();
      },
    });
  }

  #createTools(): SessionTools {
    const { tools, maxToolRounds, reportError } = this.#context;
    return new SessionTools({
      conversationId: this.id,
      port: tools,
      maxRounds: () => maxToolRounds?.() ?? defaultMaxRounds,
      settings: () => this.#head.settings,
      pathFrom: (answer) => this.#tree.pathFrom(answer.id),
      addResult: (parentId, call, result) => this.#addResult(parentId, call, result),
      ask: (parentId, model) => {
        this.#tree.end(parentId);
        return this.#answer(model === undefined ? {} : { models: [model] })[0] ?? "";
      },
      onChange: () => this.#emitStreaming(),
      reportError,
    });
  }

  /** Begins an answer from each model to what the path ends with, and returns their ids. */
  #answer({ models, broken }: AnswerOptions = {}): readonly string[] {
    const parentId = broken === undefined ? this.#tree.path.at(-1)?.id : broken.parentId;
    const told = completionMessages(parentId === undefined ? [] : this.#tree.pathTo(parentId));
    const messages = broken === undefined ? told : continuationMessages(told, broken.text);
    return (models ?? [broken?.model ?? this.#head.model]).map((model) => {
      const fresh = {
        ...this.#newMessage("assistant", parentId),
        ...this.#head.answerFields,
        ...(model === undefined ? {} : { model }),
      };
      const start = broken === undefined ? fresh : continuedFrom(broken, fresh);
      this.#turns.begin(start, messages);
      this.#addMessage(start);
      this.#emitStreaming();
      return start.id;
    });
  }

  #change(message: Message): void {
    this.#context.store.saveMessage(this.id, message);
    this.#listeners.emit({ type: "messageChanged", message });
  }

  #emitStreaming(): void {
    const { isStreaming, retryView: retry } = this;
    this.#listeners.emit({ type: "streaming", isStreaming, ...(retry === undefined ? {} : { retry }) });
  }

  #emitPath(): void {
    this.#listeners.emit({ type: "path" });
  }

  #newMessage(role: Message["role"], parentId: string | undefined): Message {
    return {
      id: this.#context.createId(),
      ...(parentId === undefined ? {} : { parentId }),
      role,
      status: "streaming",
      createdAt: this.#context.now(),
      text: "",
      attachments: [],
      reasoning: "",
      toolCalls: [],
    };
  }

  #ask(text: string, attachments: readonly ContentPart[]): void {
    if (this.title === untitled) this.rename(conversationTitle(text));
    this.#leaveComparison();
    this.#addUserMessage(text, attachments, this.#tree.path.at(-1)?.id);
  }

  #addUserMessage(text: string, attachments: readonly ContentPart[], parentId: string | undefined): void {
    this.#addMessage({ ...this.#newMessage("user", parentId), status: "complete", text, attachments });
  }

  #addResult(parentId: string, { id: toolCallId }: ToolCall, result: ToolResult): void {
    const { outcome, text, pictures = [], tookMs } = result;
    this.#addMessage({
      ...this.#newMessage("tool", parentId),
      status: "complete",
      text,
      attachments: pictures,
      toolCallId,
      finishReason: outcome,
      ...(tookMs === undefined ? {} : { timing: { totalMs: tookMs } }),
    });
  }

  #addMessage(message: Message): void {
    this.#tree.add(message);
    this.#save();
    this.#context.store.saveMessage(this.id, message);
    this.#listeners.emit({ type: "messageAdded", message });
  }

  #remove(message: Message): void {
    this.#tree.remove(message);
    this.#context.store.deleteMessage(this.id, message.id);
  }

  /** Whoever goes on without choosing goes on with the answer that is the end of the path. */
  #leaveComparison(): void {
    if (this.#tree.comparison.length === 0) return;
    this.#tree.compare([]);
    this.#emitPath();
  }

  /** A conversation without a message is not stored: it would be listed. */
  #saveUnlessNew(): void {
    if (this.#tree.all.length > 0) this.#save();
  }

  #save(): void {
    this.#head.save(this.#tree.leafId);
  }
}

/** How often the model may be asked again with the results of its tools. */
const defaultMaxRounds = 10;

interface AnswerOptions {
  /** Instead of the conversation's own. */
  readonly models?: readonly string[];
  /** The answer to go on with. */
  readonly broken?: Message;
}

function isEmptyAnswer({ role, text, reasoning, toolCalls }: Message): boolean {
  return role === "assistant" && text === "" && reasoning === "" && toolCalls.length === 0;
}
