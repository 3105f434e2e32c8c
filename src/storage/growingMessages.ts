import { leaseRenewalMs } from "./streamLease.ts";

/** Which message of which conversation. */
export interface MessagePlace {
  readonly conversationId: string;
  readonly messageId: string;
}

/** The messages that this window is writing: their leases are renewed as long as there are any. */
export class GrowingMessages {
  readonly #renewLease: (place: MessagePlace) => void;
  readonly #places = new Map<string, MessagePlace>();
  #timer: NodeJS.Timeout | undefined;

  constructor(renewLease: (place: MessagePlace) => void) {
    this.#renewLease = renewLease;
  }

  has(place: MessagePlace): boolean {
    return this.#places.has(messageKey(place));
  }

  add(place: MessagePlace): void {
    this.#places.set(messageKey(place), place);
    this.#timer ??= setInterval(() => this.#renewLeases(), leaseRenewalMs).unref();
  }

  delete(place: MessagePlace): void {
    this.#places.delete(messageKey(place));
    this.#restIfEmpty();
  }

  deleteConversation(id: string): void {
    for (const [key, { conversationId }] of this.#places) if (conversationId === id) this.#places.delete(key);
    this.#restIfEmpty();
  }

  /** Forgets all of them, and returns which there were. */
  clear(): readonly MessagePlace[] {
    const places = [...this.#places.values()];
    this.#places.clear();
    this.#restIfEmpty();
    return places;
  }

  #renewLeases(): void {
    for (const place of this.#places.values()) this.#renewLease(place);
  }

  #restIfEmpty(): void {
    if (this.#places.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }
}

/** Ids are the caller's: the separator can't be in them by accident. */
export function messageKey({ conversationId, messageId }: MessagePlace): string {
  return `${conversationId}\n${messageId}`;
}
