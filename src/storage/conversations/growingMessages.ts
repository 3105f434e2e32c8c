import { t } from "@vscode/l10n";
import type { Message, MessageDelta } from "../../core/conversation/conversation.ts";
import type { CallStart } from "../../core/conversation/conversationStore.ts";
import { interruptedTool } from "../../core/conversation/newMessage.ts";
import {
  createLease,
  isForgotten,
  classifyWriter,
  leaseRenewalMs,
  WriterSilence,
} from "../database/streamLease.ts";
import type { StreamLease } from "../database/streamLease.ts";
import type { ConversationWriter } from "./conversationWriter.ts";
import type { Growth } from "./writeQueue.ts";

/** Which message of which conversation. */
export interface MessagePlace {
  readonly conversationId: string;
  readonly messageId: string;
}

/** One message that this window is writing, with all that is needed to write it again whole. */
class GrowingMessage {
  readonly place: MessagePlace;
  readonly #current: (() => Message) | undefined;
  #message: Message;
  #count = 0;
  /** How far it had grown when it was last written whole: what grew until then is in it. */
  rewrittenAt = 0;

  constructor(place: MessagePlace, message: Message, current?: () => Message) {
    this.place = place;
    this.#message = message;
    this.#current = current;
  }

  /** How many times it has grown. */
  get count(): number {
    return this.#count;
  }

  /** The message as it is now, with all that it has grown by. */
  get whole(): Message {
    return this.#current?.() ?? this.#message;
  }

  /** The same message as its writer has saved it again. */
  continueWith(message: Message, current: (() => Message) | undefined): GrowingMessage {
    const next = new GrowingMessage(this.place, message, current ?? this.#current);
    next.#count = this.#count;
    next.rewrittenAt = this.rewrittenAt;
    return next;
  }

  /** Returns how many times it has grown now. */
  grow({ kind, text }: MessageDelta): number {
    if (this.#current === undefined) this.#message = { ...this.#message, [kind]: this.#message[kind] + text };
    return ++this.#count;
  }
}

export interface GrowingContext {
  /** Milliseconds since 1970. */
  now(): number;
  /** Milliseconds since some moment, by a clock that no one sets. */
  monotonic(): number;
  /** Has the change made with the next ones. */
  add(change: (writer: ConversationWriter) => void): void;
}

/**
 * The messages that grow: those that this window is writing, whose leases are renewed as long as there are any, and
 * those of other windows, of which it judges whether someone still writes them.
 */
export class GrowingMessages {
  readonly #context: GrowingContext;
  readonly #silence: WriterSilence;
  readonly #messages = new Map<string, GrowingMessage>();
  #timer: NodeJS.Timeout | undefined;

  constructor(context: GrowingContext) {
    this.#context = context;
    this.#silence = new WriterSilence(() => context.monotonic());
  }

  has(place: MessagePlace): boolean {
    return this.#messages.has(messageKey(place));
  }

  /**
   * Has a tool call started by this window, unless another one has.
   * @param persist Resolves with whether all that was added is on disk.
   */
  async startCall(
    place: MessagePlace,
    message: Message,
    persist: () => Promise<boolean>,
  ): Promise<CallStart> {
    const call = { isGivenUp: false, isStarted: false };
    this.#context.add((writer) => {
      if (!call.isGivenUp)
        call.isStarted = writer.startCall(place.conversationId, message, this.#context.now());
    });
    if (!(await persist())) {
      // What is still in the queue must not start the call later.
      call.isGivenUp = true;
      return "unwritten";
    }
    if (call.isStarted) this.add(place, message);
    return call.isStarted ? "started" : "taken";
  }

  /** Returns how many times the message has grown now. */
  grow(place: MessagePlace, delta: MessageDelta): number {
    return this.#messages.get(messageKey(place))?.grow(delta) ?? 0;
  }

  /** Writes what a message of this window has grown by; inside a transaction. */
  writeGrowth(writer: ConversationWriter, place: MessagePlace, growth: Growth): void {
    if (this.#keepLease(writer, place) === "rewritten") return;
    const growing = this.#messages.get(messageKey(place));
    // It was part of what was written whole a moment ago.
    if (growing !== undefined && growth.count <= growing.rewrittenAt) return;
    writer.putGrowth(place.conversationId, place.messageId, growth);
  }

  /**
   * A message that is stored as streaming as it is to be shown if no one writes it: in its final form, which is stored
   * where its writer is dead beyond a doubt. Undefined if it is still being written.
   */
  settle(place: MessagePlace, message: Message, lease: StreamLease): Message | undefined {
    if (message.status !== "streaming" || !this.isAbandoned(place, lease)) return undefined;
    const settled = message.role === "tool" ? interruptedTool(message) : cutResponse(message);
    const now = this.#context.now();
    if (classifyWriter(lease, now) === "dead" || isForgotten(lease, now))
      this.#context.add((writer) => writer.settleMessage(place.conversationId, settled, lease));
    return settled;
  }

  /** Whether no one writes a message that is stored as streaming. */
  isAbandoned(place: MessagePlace, lease: StreamLease): boolean {
    if (this.has(place)) return false;
    const state = classifyWriter(lease, this.#context.now());
    return (
      state === "dead" || (state === "unknown" && this.#silence.isSilent(messageKey(place), lease.aliveAt))
    );
  }

  /** @param current Gives the message as it is at any time; without it the text is kept here, too. */
  add(place: MessagePlace, message: Message, current?: () => Message): void {
    const key = messageKey(place);
    const old = this.#messages.get(key);
    const growing = old?.continueWith(message, current) ?? new GrowingMessage(place, message, current);
    this.#messages.set(key, growing);
    this.#timer ??= setInterval(() => this.#renewLeases(), leaseRenewalMs).unref();
  }

  delete(place: MessagePlace): void {
    this.#messages.delete(messageKey(place));
    this.#restIfEmpty();
  }

  deleteConversation(id: string): void {
    for (const [key, { place }] of this.#messages)
      if (place.conversationId === id) this.#messages.delete(key);
    this.#restIfEmpty();
  }

  /** Gives all of them up: whoever opens them next sees them as interrupted. */
  giveUp(): void {
    for (const { place } of this.#messages.values())
      this.#context.add((writer) => writer.renewLease(place.conversationId, place.messageId, createLease(0)));
    this.#messages.clear();
    this.#restIfEmpty();
  }

  #renewLeases(): void {
    for (const { place } of this.#messages.values())
      this.#context.add((writer) => void this.#keepLease(writer, place));
  }

  /**
   * Says that a message is still being written. One that another window has settled or removed meanwhile is taken
   * back: it is written whole, as it is now, in the same transaction.
   */
  #keepLease(writer: ConversationWriter, place: MessagePlace): "kept" | "rewritten" {
    const { conversationId, messageId } = place;
    const lease = createLease(this.#context.now());
    const growing = this.#messages.get(messageKey(place));
    if (writer.renewLease(conversationId, messageId, lease) || growing === undefined) return "kept";
    writer.putMessage(conversationId, { ...growing.whole, status: "streaming" }, lease);
    growing.rewrittenAt = growing.count;
    return "rewritten";
  }

  #restIfEmpty(): void {
    if (this.#messages.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

function cutResponse(message: Message): Message {
  const words = t(
    "VS Code exited while this response was streaming. The partial response was kept. Retry to get a complete one.",
  );
  return { ...message, status: "failed", error: { reason: "truncated", message: words } };
}

/** Ids are the caller's: the separator can't be in them by accident. */
export function messageKey({ conversationId, messageId }: MessagePlace): string {
  return `${conversationId}\n${messageId}`;
}
