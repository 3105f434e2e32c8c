import { assertNever } from "../kernel/assertNever.ts";
import type { ChatSession } from "../conversation/chatSession.ts";
import { FrameCoalescer } from "./frameCoalescer.ts";
import type { Message } from "../conversation/conversation.ts";
import type { PathView } from "../conversation/messageTree.ts";
import { PageBacklog } from "./pageBacklog.ts";
import type { MessageChange, PagePath, PanelSnapshot, ToWebview } from "./protocol.ts";
import type { SessionEvent } from "../conversation/sessionEvent.ts";

/** The part of a panel's snapshot that the session knows. */
export type SessionSnapshot = Pick<
  PanelSnapshot,
  "conversationId" | "title" | "settings" | keyof PagePath | "isStreaming" | "retry" | "unsent"
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
  readonly #backlog: PageBacklog;
  /** What merges the deltas of each growing message, by its id. */
  readonly #growing = new Map<string, FrameCoalescer>();
  /** The ids of the messages that the page shows. */
  #shown: readonly string[] = [];
  /** The ids of those that later requests leave out. */
  #unsent: readonly string[];

  constructor(
    session: ChatSession,
    post: (message: ToWebview) => void,
    schedule: (run: () => void, ms: number) => () => void,
  ) {
    this.#session = session;
    this.#post = post;
    this.#schedule = schedule;
    this.#backlog = new PageBacklog(
      (id) => session.find(id),
      (messages) => post({ type: "earlier", messages }),
      schedule,
    );
    this.#showPath(session.messages);
    this.#unsent = session.unsentIds;
    this.#unsubscribe = session.subscribe((event) => {
      this.#hear(event);
      if (event.type !== "delta") this.#postUnsent();
    });
  }

  /** To be sent before anything else: what is posted later builds on it. */
  snapshot(): SessionSnapshot {
    const { id, title, settings, isStreaming, retryView } = this.#session;
    return {
      conversationId: id,
      title,
      settings,
      ...this.#backlog.divide(this.#pathView(), 0),
      isStreaming,
      unsent: this.#unsent,
      ...(retryView === undefined ? {} : { retry: retryView }),
    };
  }

  dispose(): void {
    this.#unsubscribe();
    this.#backlog.dispose();
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
        return this.#showAdded(event.message);
      case "path":
        return this.#postPath();
      case "messageReplaced":
        return this.#replaceShown(event.message);
      case "messageChanged":
        // The result of a tool has not come by deltas: the page takes it whole, in the place of the running call.
        if (event.message.role === "tool") return this.#replaceShown(event.message);
        if (event.message.status !== "streaming") this.#growing.delete(event.message.id);
        return this.#post({
          type: "messageChanged",
          messageId: event.message.id,
          change: messageChange(event.message),
          length: event.message.text.length + event.message.reasoning.length,
        });
      case "streaming":
      case "title":
      case "settings":
        return this.#post(event);
      case "model":
        return;
      default:
        return assertNever(event);
    }
  }

  #postUnsent(): void {
    const ids = this.#session.unsentIds;
    if (ids.join() === this.#unsent.join()) return;
    this.#unsent = ids;
    this.#post({ type: "unsent", ids });
  }

  /** What is added to the end of what the page shows is posted alone; anything else is another path. */
  #showAdded(message: Message): void {
    const isAtEnd = message.parentId === this.#shown.at(-1) && this.#session.comparison.length === 0;
    if (!isAtEnd) return this.#postPath();
    this.#shown = [...this.#shown, message.id];
    this.#growIfOpen(message);
    this.#post({ type: "messageAdded", message });
  }

  #replaceShown(message: Message): void {
    if (!this.#shown.includes(message.id)) return;
    this.#growing.get(message.id)?.dispose();
    this.#growing.delete(message.id);
    this.#growIfOpen(message);
    this.#post({ type: "messageAdded", message });
  }

  #postPath(): void {
    const path = this.#pathView();
    const keep = path.messages.findIndex(({ id }, index) => id !== this.#shown[index]);
    const kept = keep === -1 ? path.messages.length : keep;
    this.#showPath(path.messages);
    this.#post({ type: "path", keep: kept, path: this.#backlog.divide(path, kept) });
  }

  #pathView(): PathView {
    const { messages, versions, comparison } = this.#session;
    return { messages, versions, comparison };
  }

  #showPath(messages: readonly Message[]): void {
    const old = new Map(this.#growing);
    this.#growing.clear();
    for (const message of messages) {
      const growing = old.get(message.id);
      // Nothing waits in it: it was flushed before the path was posted.
      if (growing === undefined) this.#growIfOpen(message);
      else this.#growing.set(message.id, growing);
      old.delete(message.id);
    }
    for (const gone of old.values()) gone.dispose();
    this.#shown = messages.map(({ id }) => id);
  }

  #growIfOpen({ id, role, status, text, reasoning }: Message): void {
    if (status !== "streaming" || role === "tool") return;
    const posted = { text: text.length, reasoning: reasoning.length };
    this.#growing.set(id, new FrameCoalescer(id, posted, this.#post, this.#schedule));
  }
}

/** What the page doesn't have of a finished message: its text has come by deltas. */
function messageChange(message: Message): MessageChange {
  const { status, toolCalls, model, usage, finishReason, error, timing, omitted } = message;
  return {
    status,
    toolCalls,
    ...(model === undefined ? {} : { model }),
    ...(usage === undefined ? {} : { usage }),
    ...(finishReason === undefined ? {} : { finishReason }),
    ...(error === undefined ? {} : { error }),
    ...(timing === undefined ? {} : { timing }),
    ...(omitted === undefined ? {} : { omitted }),
  };
}
