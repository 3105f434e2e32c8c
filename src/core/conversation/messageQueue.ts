import { t } from "@vscode/l10n";
import { Listeners } from "../kernel/listeners.ts";
import type { ChatSession } from "./chatSession.ts";
import type { Draft, QueueChange, QueuedMessage, QueueStore } from "./conversationStore.ts";

interface MessageQueueContext {
  readonly session: ChatSession;
  readonly store: QueueStore;
  createId(): string;
  /** Runs a function once after this many milliseconds and returns a function that cancels it. */
  schedule(run: () => void, ms: number): () => void;
  reportError(error: unknown): void;
}

/** Why the messages of a queue are not sent, with the details for the explanation. */
const holdSentences = {
  failed: () => t("The last response failed. Queued messages are sent after the next complete response."),
  stopped: () => t("You stopped the response. Queued messages are sent after the next complete response."),
  missing: () =>
    t("The last message has no response. Queued messages are sent after the next complete response."),
  elsewhere: () => t("A response is streaming in another window, which sends these messages after it."),
  tools: () =>
    t("Tool calls are waiting to be continued. Queued messages are sent after the next complete response."),
  comparison: () => t("Choose the response to continue with, or send the next message."),
  reopened: () => t("These messages weren't sent before the conversation was closed."),
  idle: () => t("Queued messages are sent after the next complete response."),
  canceled: () => t("The next message wasn't sent. Send it, edit it, or remove it."),
} as const satisfies Readonly<Record<string, () => string>>;

type QueueHold = keyof typeof holdSentences;

/** The sentence that explains to the user why queued messages are not sent. */
export function holdSentence(hold: QueueHold): string {
  return holdSentences[hold]();
}

/** Milliseconds between two checks for changes by other windows. */
const lookMs = 1_000;
/** Maximum number of messages in a queue, because each page shows all of them. */
const maxMessages = 50;

/**
 * The messages that the user wrote while a response was in progress, for one open conversation. It decides when the
 * next one is due; the listener of `onDue` sends it. All windows share the stored queue, and only the window with the
 * response in progress sends from it unless the user asks.
 */
export class MessageQueue {
  readonly #context: MessageQueueContext;
  readonly #changed: Listeners<"changed" | "due">;
  readonly #stopListening: () => void;
  #cancelLook: () => void;
  #messages: readonly QueuedMessage[];
  #wasStreaming: boolean;
  #sendingId: string | undefined;
  /** The user has decided not to send this message when it was its turn. */
  #canceledId: string | undefined;
  /** The ends of the branches at which messages were written, if the response was on another one. */
  readonly #branches = new Map<string, string>();
  /** The messages that were already waiting when the conversation was opened. */
  readonly #reopened: ReadonlySet<string>;

  constructor(context: MessageQueueContext) {
    const { session, store, schedule, reportError } = context;
    this.#context = context;
    this.#changed = new Listeners(reportError);
    this.#messages = store.loadQueue(session.id);
    this.#reopened = new Set(this.#messages.map(({ id }) => id));
    this.#wasStreaming = session.state.isStreaming;
    this.#stopListening = session.subscribe(({ type }) => {
      if (type === "streaming") this.#followStreaming();
      else if (type === "path" || type === "messageChanged") this.#emitIfUsed();
    });
    const look = (): void => {
      this.#cancelLook = schedule(look, lookMs);
      this.#takeInNew();
    };
    this.#cancelLook = schedule(look, lookMs);
  }

  /** In the order in which they are sent. */
  get messages(): readonly QueuedMessage[] {
    return this.#messages;
  }

  /** Whether a message is on its way out of the queue. */
  get isSending(): boolean {
    return this.#sendingId !== undefined;
  }

  /** Why the messages are not sent; undefined if there are none, or if they will be sent by themselves. */
  get hold(): QueueHold | undefined {
    const [next] = this.#messages;
    if (next === undefined || this.isSending || this.#context.session.state.isStreaming) return undefined;
    if (next.id === this.#canceledId) return "canceled";
    const { session } = this.#context;
    return holdAfter(session, session.state.asideId) ?? (this.#reopened.has(next.id) ? "reopened" : "idle");
  }

  /** Calls `onChange` after every change, and `onDue` when the first message should be sent. */
  follow({ onChange, onDue }: { onChange(): void; onDue(): void }): () => void {
    return this.#changed.add((event) => (event === "due" ? onDue() : onChange()));
  }

  /**
   * The end of the branch that the message follows when it is due, which may not be the one that is shown: where it was
   * written, or else where the response was.
   */
  branchOf(id: string): string | undefined {
    return this.#branches.get(id) ?? this.#context.session.state.asideId;
  }

  find(id: string): QueuedMessage | undefined {
    return this.#messages.find((message) => message.id === id);
  }

  /** Returns false if the queue is full. */
  add({ text, attachments }: Draft): boolean {
    if (this.#messages.length >= maxMessages) return false;
    const { state } = this.#context.session;
    const message = { id: this.#context.createId(), text, attachments };
    const shown = state.messages.at(-1);
    if (shown !== undefined && state.asideId !== undefined) this.#branches.set(message.id, shown.id);
    this.#change({ type: "add", message: state.withQuotes(message) });
    return true;
  }

  /** Without text and attachments, nothing would be left to send, so the message is removed. */
  edit(id: string, text: string): void {
    const old = this.find(id);
    if (old === undefined || old.text === text) return;
    if (text.trim() === "" && old.attachments.length === 0) return this.remove(id);
    if (id === this.#canceledId) this.#canceledId = undefined;
    const message = { id, text, attachments: old.attachments };
    this.#change({ type: "edit", message: this.#context.session.state.withQuotes(message) });
  }

  remove(id: string): void {
    this.#change({ type: "remove", id });
  }

  /** Moves the message to this index. */
  move(id: string, index: number): void {
    const message = this.find(id);
    if (message === undefined) return;
    const others = this.#messages.filter((other) => other.id !== id);
    this.#change({ type: "order", ids: others.toSpliced(index, 0, message).map((each) => each.id) });
  }

  /** The message is being checked, and then sent or held. */
  startSending(id: string): void {
    this.#sendingId = id;
    const message = this.find(id);
    if (message !== undefined) this.#context.session.state.noteQuotes(message);
    this.#canceledId = undefined;
    this.#changed.emit("changed");
  }

  /** Whether this window may send the message; if so, it must call `endSending` at once. */
  take(id: string): Promise<boolean> {
    return this.#context.store.takeQueued(this.#context.session.id, id);
  }

  /** `lost`: another window has sent it. */
  endSending(id: string, outcome: "sent" | "canceled" | "waits" | "lost"): void {
    // One that the user has withdrawn by sending another one ends while that one is on its way.
    if (this.#sendingId === id) {
      this.#sendingId = undefined;
      if (outcome === "canceled") this.#canceledId = id;
    }
    if (outcome === "lost") {
      this.#messages = this.#context.store.loadQueue(this.#context.session.id);
      this.#changed.emit("changed");
    } else this.#change({ type: outcome === "sent" ? "remove" : "release", id });
  }

  dispose(): void {
    this.#cancelLook();
    this.#stopListening();
    this.#changed.clear();
  }

  #change(change: QueueChange): void {
    const { session, store } = this.#context;
    store.save({ type: "queue", conversationId: session.id, change });
    this.#messages = store.loadQueue(session.id);
    this.#changed.emit("changed");
  }

  #followStreaming(): void {
    const { session } = this.#context;
    const { isStreaming } = session.state;
    const hasEnded = this.#wasStreaming && !isStreaming;
    this.#wasStreaming = isStreaming;
    if (isStreaming) this.#canceledId = undefined;
    // Another window may have changed the queue in the last second.
    if (hasEnded) this.#messages = this.#context.store.loadQueue(session.id);
    const [next] = this.#messages;
    if (
      hasEnded &&
      !this.isSending &&
      next !== undefined &&
      holdAfter(session, session.state.asideId) === undefined
    )
      this.#changed.emit("due");
    this.#emitIfUsed();
  }

  #emitIfUsed(): void {
    if (this.#messages.length > 0) this.#changed.emit("changed");
  }

  /** What can't be read now is read later. */
  #takeInNew(): void {
    const { session, store } = this.#context;
    try {
      const messages = store.loadNewQueue(session.id);
      if (messages === undefined || JSON.stringify(messages) === JSON.stringify(this.#messages)) return;
      this.#messages = messages;
      this.#changed.emit("changed");
    } catch (error) {
      this.#context.reportError(error);
    }
  }
}

/**
 * Why nothing may follow the last response without the user; undefined if it is complete.
 * @param lastId The message that is last on its branch; by default, that of the shown branch.
 */
function holdAfter({ state }: ChatSession, lastId?: string): QueueHold | undefined {
  const last = lastId === undefined ? state.messages.at(-1) : state.find(lastId);
  if (state.comparison.length > 0) return "comparison";
  if (last === undefined || last.role === "user") return "missing";
  if (last.role === "tool") return last.status === "streaming" ? "elsewhere" : "tools";
  if (last.status === "streaming") return "elsewhere";
  if (last.status !== "complete") return last.status;
  return state.limitedId === last.id || last.toolCalls.length > 0 ? "tools" : undefined;
}
