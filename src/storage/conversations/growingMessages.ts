import type { Message, MessageDelta } from "../../core/conversation/conversation.ts";
import type { CallStart } from "../../core/conversation/conversationStore.ts";
import { cutResponse, interruptedTool } from "../../core/conversation/forkConversation.ts";
import {
  createLease,
  isForgotten,
  classifyWriter,
  leaseRenewalMs,
  WriterSilence,
} from "../database/streamLease.ts";
import type { StreamLease } from "../database/streamLease.ts";
import type { ConversationWriter } from "./conversationWriter.ts";
import { messageKey } from "./growthFormat.ts";
import type { MessagePlace } from "./growthFormat.ts";
import type { GrowthJournal } from "./growthJournal.ts";
import type { StoredMessage } from "./messageReader.ts";
import { byteLengths, growthAfter } from "../database/messageRow.ts";
import type { TextLengths } from "../database/messageRow.ts";
import type { Growth, GrowthTarget } from "./writeQueue.ts";

/**
 * Growth larger than this (in UTF-16 units) is written to the database at once, where it costs little more than itself.
 */
const mostKept = 500_000;

/** A message that this window is writing, with everything needed to write all of it again. */
class GrowingMessage {
  readonly place: MessagePlace;
  readonly #current: (() => Message) | undefined;
  #message: Message;
  #count = 0;
  /** The growth count when the message was last written as a whole. That write included all growth up to then. */
  rewrittenAt = 0;
  /** What the database has of it, and will have once the current transaction is committed. */
  stored: TextLengths;
  storedNext: TextLengths | undefined;
  /** How much of the pending growth is in the journal, in UTF-16 units and in bytes. */
  #kept = { text: 0, reasoning: 0, bytes: { text: 0, reasoning: 0 } };

  constructor(place: MessagePlace, message: Message, current?: () => Message) {
    this.place = place;
    this.#message = message;
    this.#current = current;
    this.stored = byteLengths(message);
  }

  /** Adds the new part of the pending growth to the journal. Returns false if that is impossible. */
  keep(growth: Readonly<Growth>, journal: GrowthJournal): boolean {
    const { text, reasoning, bytes } = this.#kept;
    const piece = { text: growth.text.slice(text), reasoning: growth.reasoning.slice(reasoning) };
    if (piece.text === "" && piece.reasoning === "") return true;
    const at = { text: this.stored.text + bytes.text, reasoning: this.stored.reasoning + bytes.reasoning };
    if (!journal.append({ ...this.place, at, ...piece })) return false;
    const added = byteLengths(piece);
    this.#kept = {
      ...{ text: growth.text.length, reasoning: growth.reasoning.length },
      bytes: { text: bytes.text + added.text, reasoning: bytes.reasoning + added.reasoning },
    };
    return true;
  }

  /** All growth up to now is in the database. */
  noteWritten(): void {
    this.stored = this.storedNext ?? this.stored;
    this.storedNext = undefined;
    this.#kept = { text: 0, reasoning: 0, bytes: { text: 0, reasoning: 0 } };
  }

  /** How many times it has grown. */
  get count(): number {
    return this.#count;
  }

  /** The current message, including all growth. */
  get whole(): Message {
    return this.#current?.() ?? this.#message;
  }

  /** The same message after its writer has saved it again. */
  continueWith(message: Message, current: (() => Message) | undefined): GrowingMessage {
    const next = new GrowingMessage(this.place, message, current ?? this.#current);
    next.#count = this.#count;
    next.rewrittenAt = this.rewrittenAt;
    return next;
  }

  /** Returns the new growth count. */
  grow({ kind, text }: MessageDelta): number {
    if (this.#current === undefined) this.#message = { ...this.#message, [kind]: this.#message[kind] + text };
    return ++this.#count;
  }
}

interface GrowingContext {
  /** Milliseconds since 1970. */
  now(): number;
  /** Monotonic milliseconds. */
  monotonic(): number;
  /** Adds the change to the next transaction. */
  add(change: (writer: ConversationWriter) => void): void;
  /** Makes the change in a transaction of its own; it must not depend on others. Defaults to `add`. */
  addApart?(change: (writer: ConversationWriter) => void): void;
}

/**
 * Messages that are still growing: this window's own, whose leases are renewed while there are any, and those of other
 * windows, for which it determines whether they are still being written.
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
   * Starts a tool call for this window unless another window has already started it.
   * @param persist Resolves with whether all added changes are on disk.
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
      // The change may still be in the queue and must not start the call later.
      call.isGivenUp = true;
      return "unwritten";
    }
    if (call.isStarted) this.add(place, message);
    return call.isStarted ? "started" : "taken";
  }

  /**
   * Returns the new growth count of the message.
   * @param key The key of its place.
   */
  grow(key: string, delta: MessageDelta): number {
    return this.#messages.get(key)?.grow(delta) ?? 0;
  }

  /**
   * What to do with the pending growth of one of this window's messages.
   * @param writer Returns the writer of the current database.
   */
  growthTarget(place: MessagePlace, writer: () => ConversationWriter, journal?: GrowthJournal): GrowthTarget {
    const growing = this.#messages.get(messageKey(place));
    return {
      write: (growth) => this.#writeGrowth(writer(), growing ?? place, growth),
      keep: (growth) =>
        journal !== undefined &&
        growing !== undefined &&
        growth.text.length + growth.reasoning.length <= mostKept &&
        this.#isHeld(writer(), place) &&
        growing.keep(growth, journal),
    };
  }

  /** A transaction begins. What an earlier one has noted is no longer true if that one has failed. */
  beginWriting(): void {
    for (const growing of this.#messages.values()) growing.storedNext = undefined;
  }

  /** The transaction has succeeded. */
  noteWritten(): void {
    for (const growing of this.#messages.values()) growing.noteWritten();
  }

  /**
   * Runs inside a transaction. The lease is only checked: renewing it along with all growth would write another page
   * each time.
   */
  #writeGrowth(writer: ConversationWriter, growing: GrowingMessage | MessagePlace, growth: Growth): void {
    if (!(growing instanceof GrowingMessage))
      return writer.putGrowth(growing.conversationId, growing.messageId, growth);
    const { place } = growing;
    const isRewritten = this.#keepLease(writer, place, "check") === "rewritten";
    const stored = writer.storedLengths(place.conversationId, place.messageId);
    growing.storedNext = stored;
    // Already included when the message was last written as a whole.
    if (isRewritten || stored === undefined || growth.count <= growing.rewrittenAt) return;
    // Another window may have written some of it, which it has read in the journal.
    const { text, reasoning } = growthAfter(stored, growth, growing.stored);
    if (text === "" && reasoning === "") return;
    writer.putGrowth(place.conversationId, place.messageId, { text, reasoning });
    const added = byteLengths({ text, reasoning });
    growing.storedNext = { text: stored.text + added.text, reasoning: stored.reasoning + added.reasoning };
  }

  /** Whether the message is still this window's. Otherwise, it must be taken back now. */
  #isHeld(writer: ConversationWriter, { conversationId, messageId }: MessagePlace): boolean {
    try {
      return writer.holdsLease(conversationId, messageId, createLease(this.#context.now()));
    } catch {
      // Writing to the database reports what is wrong with it.
      return false;
    }
  }

  /**
   * A message that is stored as streaming, in its final form if its writer no longer exists. That form is stored only
   * if the writer is certainly dead. Undefined if the message is still being written.
   */
  settle(place: MessagePlace, message: Message, lease: StreamLease): Message | undefined {
    if (message.status !== "streaming" || !this.isAbandoned(place, lease)) return undefined;
    const settled = message.role === "tool" ? interruptedTool(message) : cutResponse(message);
    const now = this.#context.now();
    if (classifyWriter(lease, now) === "dead" || isForgotten(lease, now))
      this.#context.add((writer) => writer.settleMessage(place.conversationId, settled, lease));
    return settled;
  }

  /** The stored messages of a conversation, those of dead writers in their final form. */
  settleAll(conversationId: string, stored: readonly StoredMessage[]): readonly Message[] {
    return stored.map(
      ({ message, lease }) =>
        this.settle({ conversationId, messageId: message.id }, message, lease) ?? message,
    );
  }

  /** Whether a message that is stored as streaming is no longer being written. */
  isAbandoned(place: MessagePlace, lease: StreamLease): boolean {
    if (this.has(place)) return false;
    const state = classifyWriter(lease, this.#context.now());
    return (
      state === "dead" || (state === "unknown" && this.#silence.isSilent(messageKey(place), lease.aliveAt))
    );
  }

  /** @param current Returns the current message at any time. Without it, a copy of the text is kept here. */
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

  /** Releases all of them, so that the next reader sees them as interrupted. */
  giveUp(): void {
    for (const { place } of this.#messages.values())
      this.#context.add((writer) => writer.renewLease(place.conversationId, place.messageId, createLease(0)));
    this.#messages.clear();
    this.#restIfEmpty();
  }

  #renewLeases(): void {
    const add = this.#context.addApart ?? this.#context.add;
    const places = [...this.#messages.values()].map(({ place }) => place);
    add((writer) => {
      for (const place of places) this.#keepLease(writer, place, "renew");
    });
  }

  /**
   * Renews or only checks the lease of a message that is still being written. If another window has settled or removed
   * the message, it is taken back: the current message is written as a whole in the same transaction.
   */
  #keepLease(writer: ConversationWriter, place: MessagePlace, how: "renew" | "check"): "kept" | "rewritten" {
    const { conversationId, messageId } = place;
    const lease = createLease(this.#context.now());
    const growing = this.#messages.get(messageKey(place));
    const isHeld =
      how === "renew"
        ? writer.renewLease(conversationId, messageId, lease)
        : writer.holdsLease(conversationId, messageId, lease);
    if (isHeld || growing === undefined) return "kept";
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
