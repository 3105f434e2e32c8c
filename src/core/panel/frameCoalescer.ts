import type { MessageDelta } from "../conversation/conversation.ts";
import type { FrameReport, ToWebview } from "./protocol.ts";

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
export const frameMs = 16;
/**
 * Milliseconds between two messages while another window has the focus: still fluent, at a third of the cost for both
 * processes.
 */
const unfocusedMs = 50;
/** Milliseconds between two messages while the end is far below the visible text. */
const farAboveMs = 100;
/** Milliseconds between two messages while the page is hidden. It is built from a snapshot when it is shown again. */
const hiddenMs = 1_000;

/** Milliseconds between two messages to a page that shows a growing response. */
export function messageIntervalMs(page: {
  readonly isVisible: boolean;
  readonly isFocused: boolean;
  readonly isFarAbove: boolean;
}): number {
  if (!page.isVisible) return hiddenMs;
  if (page.isFarAbove) return farAboveMs;
  return page.isFocused ? frameMs : unfocusedMs;
}

/**
 * Whether a display may draw a frame every this many milliseconds. Displays draw between 24 and 1,000 frames per second;
 * a page with fewer is busy or throttled.
 */
export function isFramePeriod(ms: number): boolean {
  return ms >= 1 && ms <= 42;
}

/** A message should arrive this many milliseconds before a frame begins, so that it is in time even if it is late. */
const leadMs = 4;
/** The part of a measured error that is corrected at once, because every measurement is noisy. */
const correction = 0.5;

/**
 * Times the messages to a page so that they arrive just before its frames. Otherwise, a message would wait for up to a
 * whole frame after the text in it had already waited for one.
 */
export class FramePacing {
  readonly #now: () => number;
  #periodMs: number = frameMs;
  /** A time at which a message should be sent, a whole number of periods from all others. */
  #slot: number;

  /** @param now Monotonic milliseconds. */
  constructor(now: () => number) {
    this.#now = now;
    this.#slot = now();
  }

  /** Takes into account how long the latest messages waited in the page. */
  adjust({ periodMs, waitMs = leadMs }: FrameReport): void {
    this.#periodMs = periodMs;
    const early = waitMs - leadMs;
    // A message that is far too early for its frame is only a little too late for the one before.
    this.#slot += (early - Math.round(early / periodMs) * periodMs) * correction;
  }

  /** The milliseconds until the next message, if there should be about this many before it. */
  delayMs(afterMs: number): number {
    const now = this.#now();
    const frames = Math.max(1, Math.round(afterMs / this.#periodMs));
    const earliest = now + (frames - 0.5) * this.#periodMs;
    this.#slot += Math.ceil((earliest - this.#slot) / this.#periodMs) * this.#periodMs;
    return this.#slot - now;
  }
}

/**
 * Merges the deltas of one response into one message per frame, or fewer while the caller's schedule is slower. The
 * first delta is sent immediately; while a frame is open, further deltas are collected and sent at its end.
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
