import { assertNever } from "./assertNever.ts";
import type { ChatSession } from "./chatSession.ts";
import { FrameCoalescer } from "./frameCoalescer.ts";
import type { Message } from "./conversation.ts";
import type { MessageChange, PanelSnapshot, ToWebview } from "./protocol.ts";
import type { SessionEvent } from "./sessionEvent.ts";

/** The part of a panel's snapshot that the session knows. */
export type SessionSnapshot = Pick<
  PanelSnapshot,
  "conversationId" | "title" | "messages" | "isStreaming" | "retry"
>;

/**
 * Turns what a session tells into what one page is sent, from the moment of its snapshot on: one delta a frame, and
 * never a message before the deltas that belong in front of it.
 */
export class SessionView {
  readonly #session: ChatSession;
  readonly #post: (message: ToWebview) => void;
  readonly #schedule: (run: () => void, ms: number) => () => void;
  readonly #unsubscribe: () => void;
  /** What merges the deltas of each growing message, by its id. */
  readonly #growing = new Map<string, FrameCoalescer>();

  constructor(
    session: ChatSession,
    post: (message: ToWebview) => void,
    schedule: (run: () => void, ms: number) => () => void,
  ) {
    this.#session = session;
    this.#post = post;
    this.#schedule = schedule;
    for (const { id, status, text, reasoning } of session.messages) {
      if (status === "streaming") this.#grow(id, { text: text.length, reasoning: reasoning.length });
    }
    this.#unsubscribe = session.subscribe((event) => this.#hear(event));
  }

  /** To be sent before anything else: what is posted later builds on it. */
  snapshot(): SessionSnapshot {
    const { id, title, messages, isStreaming, retryView } = this.#session;
    return {
      conversationId: id,
      title,
      messages,
      isStreaming,
      ...(retryView === undefined ? {} : { retry: retryView }),
    };
  }

  dispose(): void {
    this.#unsubscribe();
    for (const coalescer of this.#growing.values()) coalescer.dispose();
  }

  #hear(event: SessionEvent): void {
    if (event.type === "delta") {
      this.#growing.get(event.messageId)?.append(event.delta);
      return;
    }
    for (const coalescer of this.#growing.values()) coalescer.flush();
    switch (event.type) {
      case "messageAdded":
        if (event.message.status === "streaming") this.#grow(event.message.id, { text: 0, reasoning: 0 });
        return this.#post(event);
      case "messageChanged":
        if (event.message.status !== "streaming") this.#growing.delete(event.message.id);
        return this.#post({
          type: "messageChanged",
          messageId: event.message.id,
          change: messageChange(event.message),
        });
      case "messageRemoved":
      case "streaming":
      case "title":
        return this.#post(event);
      case "model":
        return;
      default:
        return assertNever(event);
    }
  }

  #grow(messageId: string, posted: { readonly text: number; readonly reasoning: number }): void {
    this.#growing.set(messageId, new FrameCoalescer(messageId, posted, this.#post, this.#schedule));
  }
}

/** What the page doesn't have of a finished message: its text has come by deltas. */
function messageChange(message: Message): MessageChange {
  const { status, toolCalls, model, usage, finishReason, error } = message;
  return {
    status,
    toolCalls,
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(error === undefined ? {} : { error }),
  };
}
