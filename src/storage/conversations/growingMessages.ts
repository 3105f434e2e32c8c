import type { Message, MessageDelta } from "../../core/conversation/conversation.ts";
import { leaseRenewalMs } from "../database/streamLease.ts";

/** Which message of which conversation. */
export interface MessagePlace {
  readonly conversationId: string;
  readonly messageId: string;
}

/** One message that this window is writing, with all that is needed to write it again whole. */
export class GrowingMessage {
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

  /** The same message as its writer has saved it anew. */
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

/** The messages that this window is writing: their leases are renewed as long as there are any. */
export class GrowingMessages {
  readonly #renewLease: (place: MessagePlace) => void;
  readonly #messages = new Map<string, GrowingMessage>();
  #timer: NodeJS.Timeout | undefined;

  constructor(renewLease: (place: MessagePlace) => void) {
    this.#renewLease = renewLease;
  }

  has(place: MessagePlace): boolean {
    return this.#messages.has(messageKey(place));
  }

  find(place: MessagePlace): GrowingMessage | undefined {
    return this.#messages.get(messageKey(place));
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

  /** Forgets all of them, and returns which there were. */
  clear(): readonly MessagePlace[] {
    const places = [...this.#messages.values()].map(({ place }) => place);
    this.#messages.clear();
    this.#restIfEmpty();
    return places;
  }

  #renewLeases(): void {
    for (const { place } of this.#messages.values()) this.#renewLease(place);
  }

  #restIfEmpty(): void {
    if (this.#messages.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Ids are the caller's: the separator can't be in them by accident. */
export function messageKey({ conversationId, messageId }: MessagePlace): string {
  return `${conversationId}\n${messageId}`;
}
