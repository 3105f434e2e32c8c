import type { CompletionPort, CompletionRun, ContentPart, RetryNotice } from "./completion.ts";
import { completionMessages } from "./completionMessages.ts";
import type { Conversation, Message } from "./conversation.ts";
import type { ConversationStore } from "./conversationStore.ts";
import { conversationTitle, untitled } from "./conversationTitle.ts";
import { ServiceError } from "./errors.ts";
import type { ErrorFacts } from "./errors.ts";
import { isGrowing, takeInGrown } from "./grownMessages.ts";
import { Listeners } from "./listeners.ts";
import { OpenAnswer } from "./openAnswer.ts";
import type { RetryView } from "./protocol.ts";
import type { SessionEvent } from "./sessionEvent.ts";

/** What floor 0 does not have by itself, and the ports of the session. */
export interface ChatSessionContext {
  readonly completions: CompletionPort;
  readonly store: ConversationStore;
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

/** Milliseconds between two looks at what another window has written. */
const followMs = 1_000;

/** What became of a message: `busy` while an answer is under way, `empty` without text and attachments. */
export type SendOutcome = "sent" | "busy" | "empty";

/** One question with its answer under way. It is over as soon as the session has another one, or none. */
interface Turn {
  readonly answer: OpenAnswer;
  run: CompletionRun | undefined;
}

/**
 * Owns one conversation: sends its turns, takes in the answers and has all of it stored as it comes. Pages come and
 * go; any number of them may listen. One turn at a time.
 */
export class ChatSession {
  readonly id: string;
  readonly #context: ChatSessionContext;
  readonly #listeners = new Listeners<SessionEvent>();
  readonly #createdAt: number;
  #title: string;
  #model: string | undefined;
  #messages: readonly Message[];
  #turn: Turn | undefined;
  #retry: RetryView | undefined;
  #stopFollowing: (() => void) | undefined;

  constructor(conversation: Conversation, context: ChatSessionContext) {
    this.id = conversation.id;
    this.#context = context;
    this.#createdAt = conversation.createdAt;
    this.#title = conversation.title;
    this.#model = conversation.model;
    this.#messages = conversation.messages;
    this.#follow();
  }

  get title(): string {
    return this.#title;
  }

  get model(): string | undefined {
    return this.#model;
  }

  get isStreaming(): boolean {
    return this.#turn !== undefined;
  }

  get retryView(): RetryView | undefined {
    return this.#retry;
  }

  /** All messages as they are now, the growing answer included. */
  get messages(): readonly Message[] {
    return this.#turn === undefined
      ? this.#messages
      : [...this.#messages, this.#turn.answer.freeze({ status: "streaming" })];
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
    if (this.#model === model) return;
    this.#model = model;
    if (this.#messages.length > 0) this.#saveConversation();
    this.#listeners.emit({ type: "model", model });
  }

  /** Adds the user's message and asks for an answer; anything but `sent` has changed nothing. */
  send(text: string, attachments: readonly ContentPart[] = []): SendOutcome {
    if (this.isStreaming) return "busy";
    if (text.trim() === "" && attachments.length === 0) return "empty";
    if (this.#title === untitled) this.#setTitle(conversationTitle(text));
    this.#saveConversation();
    this.#addMessage({ ...this.#newMessage("user"), status: "complete", text, attachments });
    void this.#answer();
    return "sent";
  }

  /**
   * Asks again for the last answer, if it is missing, empty, failed or stopped. An empty one makes room for the new
   * one; anything that came is kept, and the new answer follows it.
   */
  retry(): void {
    const last = this.#messages.at(-1);
    if (this.isStreaming || last === undefined) return;
    if (isEmptyAnswer(last)) this.#removeMessage(last.id);
    else if (last.role === "assistant" && last.status === "complete") return;
    void this.#answer();
  }

  /** The user's stop: closes the socket; what came is kept. */
  stop(): void {
    const turn = this.#turn;
    if (turn === undefined) return;
    turn.run?.stop();
    this.#endTurn(turn, "stopped");
  }

  /** Closes the socket because VS Code ends: what came is kept as cut. Nobody is told any more. */
  dispose(): void {
    this.#listeners.clear();
    this.#stopFollowing?.();
    const turn = this.#turn;
    if (turn === undefined) return;
    turn.run?.stop();
    this.#endTurn(turn, "failed", interrupted);
  }

  /** Ends the wait before the next attempt. */
  retryNow(): void {
    this.#turn?.run?.retryNow();
  }

  async #answer(): Promise<void> {
    const turn: Turn = {
      answer: new OpenAnswer({ ...this.#newMessage("assistant"), ...this.#modelField() }),
      run: undefined,
    };
    const messages = completionMessages(this.#messages);
    this.#turn = turn;
    const placeholder = turn.answer.freeze({ status: "streaming" });
    this.#context.store.saveMessage(this.id, placeholder);
    this.#listeners.emit({ type: "messageAdded", message: placeholder });
    this.#emitStreaming();
    try {
      await this.#stream(turn, messages);
      this.#endTurn(turn, "complete");
    } catch (error) {
      this.#fail(turn, error);
    }
  }

  async #stream(turn: Turn, messages: ReturnType<typeof completionMessages>): Promise<void> {
    const model = this.#model ?? (await this.#chooseModel(turn));
    if (model === undefined) return;
    turn.run = this.#context.completions.complete(
      { model, messages, stream: true },
      {
        onRetry: (notice) => this.#showRetry(turn, notice),
        onResponse: () => this.#clearRetry(turn),
      },
    );
    for await (const event of turn.run.events) {
      // Stopped: what was under way already is not what the user saw when they stopped it.
      if (this.#turn !== turn) return;
      const delta = turn.answer.append(event);
      if (delta === undefined) continue;
      this.#context.store.appendDelta(this.id, turn.answer.id, delta);
      this.#listeners.emit({ type: "delta", messageId: turn.answer.id, delta });
    }
  }

  /** Names the answer after its model as soon as that is known; undefined where the turn has ended meanwhile. */
  async #chooseModel(turn: Turn): Promise<string | undefined> {
    const model = await this.#context.defaultModel();
    if (this.#turn !== turn) return undefined;
    this.selectModel(model);
    turn.answer.setModel(model);
    const message = turn.answer.freeze({ status: "streaming" });
    this.#context.store.saveMessage(this.id, message);
    this.#listeners.emit({ type: "messageChanged", message });
    return model;
  }

  #fail(turn: Turn, error: unknown): void {
    if (this.#turn !== turn) return;
    this.#endTurn(turn, "failed", error instanceof ServiceError ? error.facts : unreadable);
    this.#context.reportError(error);
  }

  #endTurn(turn: Turn, status: "complete" | "stopped" | "failed", error?: ErrorFacts): void {
    if (this.#turn !== turn) return;
    const message = turn.answer.freeze({
      status,
      ...(status === "failed" && error !== undefined ? { error } : {}),
    });
    this.#turn = undefined;
    this.#retry = undefined;
    this.#messages = [...this.#messages, message];
    this.#context.store.saveMessage(this.id, message);
    this.#context.store.flush();
    this.#listeners.emit({ type: "messageChanged", message });
    this.#emitStreaming();
  }

  /**
   * An answer may come in through another window, or through the extension host that VS Code is just replacing: what
   * that one writes is taken in until the answer has its final form.
   */
  #follow(): void {
    if (!this.#messages.some(isGrowing)) return;
    this.#stopFollowing = this.#context.schedule?.(() => {
      try {
        this.#takeInGrown();
        this.#follow();
      } catch (error) {
        this.#context.reportError(error);
      }
    }, followMs);
  }

  #takeInGrown(): void {
    const stored = this.#context.store.load(this.id)?.messages ?? [];
    const { messages, events } = takeInGrown(this.#messages, stored);
    this.#messages = messages;
    for (const event of events) this.#listeners.emit(event);
  }

  #showRetry(turn: Turn, { attempt, maxAttempts, waitMs, error }: RetryNotice): void {
    if (this.#turn !== turn) return;
    this.#retry = { attempt, maxAttempts, dueAt: this.#context.now() + waitMs, message: error.message };
    this.#emitStreaming();
  }

  #clearRetry(turn: Turn): void {
    if (this.#turn !== turn || this.#retry === undefined) return;
    this.#retry = undefined;
    this.#emitStreaming();
  }

  #emitStreaming(): void {
    const { isStreaming } = this;
    this.#listeners.emit(
      this.#retry === undefined
        ? { type: "streaming", isStreaming }
        : { type: "streaming", isStreaming, retry: this.#retry },
    );
  }

  #newMessage(role: Message["role"]): Message {
    return {
      id: this.#context.createId(),
      role,
      status: "streaming",
      createdAt: this.#context.now(),
      text: "",
      attachments: [],
      reasoning: "",
      toolCalls: [],
    };
  }

  #modelField(): { readonly model?: string } {
    return this.#model === undefined ? {} : { model: this.#model };
  }

  #addMessage(message: Message): void {
    this.#messages = [...this.#messages, message];
    this.#context.store.saveMessage(this.id, message);
    this.#listeners.emit({ type: "messageAdded", message });
  }

  #removeMessage(messageId: string): void {
    this.#messages = this.#messages.filter((message) => message.id !== messageId);
    this.#context.store.deleteMessage(this.id, messageId);
    this.#listeners.emit({ type: "messageRemoved", messageId });
  }

  #setTitle(title: string): void {
    this.#title = title;
    this.#listeners.emit({ type: "title", title });
  }

  #saveConversation(): void {
    this.#context.store.saveConversation({
      id: this.id,
      title: this.#title,
      createdAt: this.#createdAt,
      updatedAt: this.#context.now(),
      ...this.#modelField(),
    });
  }
}

function isEmptyAnswer({ role, text, reasoning, toolCalls }: Message): boolean {
  return role === "assistant" && text === "" && reasoning === "" && toolCalls.length === 0;
}

/** Nothing of an unknown error is shown: it may carry anything. */
const unreadable: ErrorFacts = {
  reason: "malformed",
  message:
    "The answer could not be read because of an error in the extension. What came is kept; see the log.",
};

const interrupted: ErrorFacts = {
  reason: "truncated",
  message: "VS Code was closed while this answer was coming. What came is kept; retry to ask again.",
};
