import type { ToWebview } from "./protocol.ts";

const order = ["focus", "showMessage", "editSettings", "compose"] as const;

/** What the user may ask of a page that is still to come. */
export type DeferredMessage = Extract<ToWebview, { readonly type: (typeof order)[number] }>;

/**
 * What is sent to a page as soon as it has its snapshot: the last message of each kind, and everything to be composed.
 */
export class DeferredMessages {
  #messages: readonly DeferredMessage[] = [];

  defer(message: DeferredMessage): void {
    const { type } = message;
    const others = this.#messages.filter((other) => type === "compose" || other.type !== type);
    this.#messages = [...others, message];
  }

  /** What has come together, in the order in which a page is to do it. It is deferred no longer. */
  take(): readonly DeferredMessage[] {
    const messages = this.#messages;
    this.#messages = [];
    return messages.toSorted((left, right) => order.indexOf(left.type) - order.indexOf(right.type));
  }
}
