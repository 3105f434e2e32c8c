import type { MessageDelta } from "../conversation/conversation.ts";
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

  /** Replaces an earlier message of the same type, unless it is something to be composed. */
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

/** The message to the page that carries what a response has grown by. */
export type DeltaMessage = Extract<ToWebview, { type: "delta" }>;

/** Milliseconds between two messages to the page: a frame at 60 Hz. */
const frameMs = 16;
/**
 * Merges the deltas of one response into one message per frame. The first delta is sent immediately; while a frame is
 * open, further deltas are collected and sent at its end.
 */
export class FrameCoalescer {
  readonly #messageId: string;
  readonly #post: (message: DeltaMessage) => void;
  readonly #schedule: (run: () => void, ms: number) => () => void;
  #textLength: number;
  #reasoningLength: number;
  #text = "";
  #reasoning = "";
  #cancel: (() => void) | undefined;

  /**
   * @param posted Lengths (UTF-16 units) of what the page already has of this message.
   * @param schedule Runs a function once after this many milliseconds and returns a function that cancels it.
   */
  constructor(
    messageId: string,
    posted: { readonly text: number; readonly reasoning: number },
    post: (message: DeltaMessage) => void,
    schedule: (run: () => void, ms: number) => () => void,
  ) {
    this.#messageId = messageId;
    this.#textLength = posted.text;
    this.#reasoningLength = posted.reasoning;
    this.#post = post;
    this.#schedule = schedule;
  }

  /** Collects the delta, which is sent with the next frame. */
  append({ kind, text }: MessageDelta): void {
    if (kind === "text") this.#text += text;
    else this.#reasoning += text;
    if (this.#cancel === undefined) this.#beginFrame();
  }

  /** Sends pending deltas now, before something that must come after them. */
  flush(): void {
    this.#cancel?.();
    this.#cancel = undefined;
    this.#send();
  }

  dispose(): void {
    this.#cancel?.();
    this.#cancel = undefined;
  }

  #beginFrame(): void {
    this.#send();
    this.#cancel = this.#schedule(() => {
      this.#cancel = undefined;
      if (this.#text !== "" || this.#reasoning !== "") this.#beginFrame();
    }, frameMs);
  }

  #send(): void {
    if (this.#text === "" && this.#reasoning === "") return;
    this.#post({
      type: "delta",
      messageId: this.#messageId,
      textOffset: this.#textLength,
      text: this.#text,
      reasoningOffset: this.#reasoningLength,
      reasoning: this.#reasoning,
    });
    this.#textLength += this.#text.length;
    this.#reasoningLength += this.#reasoning.length;
    this.#text = "";
    this.#reasoning = "";
  }
}
