import type { ChatSession } from "../../conversation/chatSession.ts";
import type { QueuedMessage } from "../../conversation/conversationStore.ts";
import { holdSentence } from "../../conversation/messageQueue.ts";
import type { MessageQueue } from "../../conversation/messageQueue.ts";
import { partName } from "../attachments/describePart.ts";
import type { Outgoing } from "./outgoing.ts";

/** A queue as shown in the page. */
export interface QueueView {
  /** In the order in which they are sent. */
  readonly messages: readonly {
    readonly id: string;
    readonly text: string;
    /** The names of its attachments. */
    readonly attachments: readonly string[];
  }[];
  /** Why they are not sent; absent while a response is in progress. */
  readonly hold?: string;
}

interface QueueSenderContext {
  readonly session: ChatSession;
  readonly queue: MessageQueue;
  /** Asks the user any necessary questions before the message is sent. Undefined if it must not be sent. */
  pass(message: Outgoing): Promise<Outgoing | undefined>;
  /** Withdraws the question that `pass` has asked. */
  withdraw(): void;
  onChange(): void;
  reportError(error: unknown): void;
}

/** Sends the messages of a queue, each when it is due or when the user asks for it. */
export class QueueSender {
  readonly #context: QueueSenderContext;
  readonly #stopFollowing: () => void;

  constructor(context: QueueSenderContext) {
    this.#context = context;
    this.#stopFollowing = context.queue.follow({
      onChange: () => context.onChange(),
      onDue: () => this.#sendNext(),
    });
  }

  /** What the page shows; undefined if the queue is empty. */
  get view(): QueueView | undefined {
    const { messages, hold } = this.#context.queue;
    if (messages.length === 0) return undefined;
    return {
      messages: messages.map(({ id, text, attachments }) => ({
        id,
        text,
        attachments: attachments.map(partName),
      })),
      ...(hold === undefined ? {} : { hold: holdSentence(hold) }),
    };
  }

  /** Sends the message now, because the user asks for it. */
  send(messageId: string): void {
    const message = this.#context.queue.find(messageId);
    if (message !== undefined) this.#send(message, true);
  }

  dispose(): void {
    this.#stopFollowing();
  }

  #sendNext(): void {
    const { queue, session } = this.#context;
    const [next] = queue.messages;
    if (next === undefined || queue.isSending) return;
    const branch = queue.branchOf(next.id);
    // What the message is checked with, and what the user is asked about, is what precedes it.
    if (branch !== undefined && session.state.messages.every(({ id }) => id !== branch))
      session.selectVersion(branch);
    this.#send(next, false);
  }

  /** @param stopsFirst Whether to stop a response that has been requested in the meantime, rather than to wait for it. */
  #send(message: QueuedMessage, stopsFirst: boolean): void {
    const { queue, withdraw, reportError } = this.#context;
    // A question about another queued message would be replaced by one about this.
    withdraw();
    queue.startSending(message.id);
    this.#passAndSend(message, stopsFirst).then(
      (outcome) => queue.endSending(message.id, outcome),
      (error: unknown) => {
        queue.endSending(message.id, "canceled");
        reportError(error);
      },
    );
  }

  /** Only the content that has passed is sent: a message that was edited in the meantime is checked again. */
  async #passAndSend(
    message: QueuedMessage,
    stopsFirst: boolean,
  ): Promise<"sent" | "canceled" | "waits" | "lost"> {
    const { session, queue, pass } = this.#context;
    const passed = await pass(message);
    if (passed === undefined) return "canceled";
    const current = queue.find(message.id);
    if (current === undefined) return "lost";
    if (current.text !== message.text) return this.#passAndSend(current, stopsFirst);
    if (session.state.isStreaming && !stopsFirst) return "waits";
    if (!(await queue.take(message.id))) return "lost";
    await session.stopAll();
    return session.send(passed.text, passed.attachments, message.id) === "sent" ? "sent" : "waits";
  }
}
