import type { ChatSession } from "../../conversation/chatSession.ts";
import type { QueuedMessage } from "../../conversation/conversationStore.ts";
import { holdSentence } from "../../conversation/messageQueue.ts";
import type { MessageQueue } from "../../conversation/messageQueue.ts";
import { assertNever } from "../../kernel/assertNever.ts";
import { isRecord, stringField } from "../../kernel/json.ts";
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

/** The page's request to change the queue. */
export type QueueRequest =
  | { readonly type: "queue"; readonly action: "remove" | "send"; readonly messageId: string }
  | { readonly type: "queue"; readonly action: "edit"; readonly messageId: string; readonly text: string }
  /** Moves the message to this index. */
  | { readonly type: "queue"; readonly action: "move"; readonly messageId: string; readonly index: number };

/** Validates a message from the page; undefined for anything else. */
export function parseQueueRequest(value: unknown): QueueRequest | undefined {
  if (!isRecord(value) || value["type"] !== "queue") return undefined;
  const messageId = stringField(value, "messageId");
  if (messageId === undefined) return undefined;
  const { action, index } = value;
  const text = stringField(value, "text");
  if (action === "remove" || action === "send") return { type: "queue", action, messageId };
  if (action === "edit" && text !== undefined) return { type: "queue", action, messageId, text };
  if (action === "move" && typeof index === "number" && Number.isInteger(index) && index >= 0)
    return { type: "queue", action, messageId, index };
  return undefined;
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

  /** Carries out a request of the page to change the queue. */
  handle(request: QueueRequest): void {
    const { queue } = this.#context;
    switch (request.action) {
      case "edit":
        return queue.edit(request.messageId, request.text);
      case "move":
        return queue.move(request.messageId, request.index);
      case "remove":
        return queue.remove(request.messageId);
      case "send": {
        const message = queue.find(request.messageId);
        return message === undefined ? undefined : this.#send(message);
      }
      default:
        return assertNever(request);
    }
  }

  dispose(): void {
    this.#stopFollowing();
  }

  #sendNext(): void {
    const [next] = this.#context.queue.messages;
    if (next !== undefined && !this.#context.queue.isSending) this.#send(next);
  }

  #send(message: QueuedMessage): void {
    const { queue, withdraw, reportError } = this.#context;
    // A question about another queued message would be replaced by one about this.
    withdraw();
    queue.startSending(message.id);
    this.#passAndSend(message).then(
      (outcome) => queue.endSending(message.id, outcome),
      (error: unknown) => {
        queue.endSending(message.id, "canceled");
        reportError(error);
      },
    );
  }

  /** Only the content that has passed is sent: a message that was edited in the meantime is checked again. */
  async #passAndSend(message: QueuedMessage): Promise<"sent" | "canceled" | "waits" | "lost"> {
    const { session, queue, pass } = this.#context;
    const passed = await pass(message);
    if (passed === undefined) return "canceled";
    const current = queue.find(message.id);
    if (current === undefined) return "lost";
    if (current.text !== message.text) return this.#passAndSend(current);
    if (!(await queue.take(message.id))) return "lost";
    await session.stopAll();
    return session.send(passed.text, passed.attachments, message.id) === "sent" ? "sent" : "waits";
  }
}
