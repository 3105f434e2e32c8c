import type { ToWebview } from "./protocol.ts";

const order = ["focus", "showMessage", "editSettings", "compose"] as const;

/** A user request to a page that isn't ready yet. */
export type DeferredMessage = Extract<ToWebview, { readonly type: (typeof order)[number] }>;

/**
 * Messages that are sent to a page as soon as it has its snapshot: the last one of each kind, and everything to be
 * composed.
 */
export class DeferredMessages {
  #messages: readonly DeferredMessage[] = [];

  defer(message: DeferredMessage): void {
    const { type } = message;
    const others = this.#messages.filter((other) => type === "compose" || other.type !== type);
    this.#messages = [...others, message];
  }

  /** Returns the collected messages in the order in which a page must process them, and clears them. */
  take(): readonly DeferredMessage[] {
    const messages = this.#messages;
    this.#messages = [];
    return messages.toSorted((left, right) => order.indexOf(left.type) - order.indexOf(right.type));
  }
}
