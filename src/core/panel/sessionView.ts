import type { ChatSession } from "../conversation/chatSession.ts";
import type { Message } from "../conversation/conversation.ts";
import type { PathView } from "../conversation/messageTree.ts";
import type { SessionEvent } from "../conversation/sessionEvent.ts";
import { assertNever } from "../kernel/assertNever.ts";
import { FrameCoalescer } from "./frameCoalescer.ts";
import type { MessageOutline, PagePath, PanelSnapshot, ToWebview } from "./protocol.ts";
import { changeOf } from "../conversation/messageDetails.ts";

/**
 * The portion of messages, and of UTF-16 units, that the page is sent at once and then each time. The page parses it in
 * one task.
 */
const [mostMessages, mostUnits] = [60, 250_000];
/** Milliseconds between two portions, in which the page renders and handles user input. */
const pauseMs = 30;

/** Divides a long path: its newest messages are sent at once, the others follow from the newest to the oldest. */
export class PageBacklog {
  readonly #find: (id: string) => Message | undefined;
  readonly #post: (messages: readonly Message[]) => void;
  readonly #schedule: (run: () => void, ms: number) => () => void;
  /** The IDs of the messages that the page has outlines of, newest last. */
  #waiting: readonly string[] = [];
  #cancel: (() => void) | undefined;

  /** @param find Returns the message as it is when it is sent. */
  constructor(
    find: (id: string) => Message | undefined,
    post: (messages: readonly Message[]) => void,
    schedule: (run: () => void, ms: number) => () => void,
  ) {
    this.#find = find;
    this.#post = post;
    this.#schedule = schedule;
  }

  /**
   * The part of the path from `keep` on, as it is sent to the page; the page already has what precedes it, or is
   * waiting for it.
   */
  divide(path: PathView, keep: number): PagePath {
    const kept = new Set(path.messages.slice(0, keep).map(({ id }) => id));
    const rest = path.messages.slice(keep);
    const start = beginningOfNewest(rest);
    const earlier = rest.slice(0, start);
    this.#waiting = [...this.#waiting.filter((id) => kept.has(id)), ...earlier.map(({ id }) => id)];
    this.#cancel?.();
    this.#cancel = undefined;
    this.#goOn();
    const messages = rest.slice(start);
    return earlier.length === 0
      ? { ...path, messages }
      : { ...path, messages, earlier: earlier.map(outlineOf) };
  }

  dispose(): void {
    this.#cancel?.();
    this.#waiting = [];
  }

  #goOn(): void {
    if (this.#waiting.length === 0) return;
    this.#cancel = this.#schedule(() => {
      this.#cancel = undefined;
      const next = this.#waiting.slice(-mostMessages);
      const found = next.flatMap((id) => this.#find(id) ?? []);
      const messages = found.slice(beginningOfNewest(found));
      const [first] = messages;
      const taken = first === undefined ? next.length : next.length - next.indexOf(first.id);
      this.#waiting = this.#waiting.slice(0, -taken);
      if (messages.length > 0) this.#post(messages);
      this.#goOn();
    }, pauseMs);
  }
}

/**
 * The index of the first of the newest messages that fit into one portion: at least one of them, and every message that
 * is still growing.
 */
function beginningOfNewest(messages: readonly Message[]): number {
  const growing = messages.findIndex(({ status }) => status === "streaming");
  let start = messages.length;
  let units = 0;
  while (start > 0 && messages.length - start < mostMessages && units < mostUnits) {
    start -= 1;
    units += unitsOf(messages[start]);
  }
  return growing === -1 ? start : Math.min(start, growing);
}

function unitsOf(message: Message | undefined): number {
  if (message === undefined) return 0;
  const attached = message.attachments.reduce(
    (sum, part) => sum + (part.type === "text" ? part.text.length : part.data.length),
    0,
  );
  return message.text.length + message.reasoning.length + attached;
}

function outlineOf({ id, role, text }: Message): MessageOutline {
  return { id, role, length: text.length };
}

/** The part of a panel's snapshot that the session provides. */
type SessionSnapshot = Pick<
  PanelSnapshot,
  "conversationId" | "title" | "settings" | keyof PagePath | "isStreaming" | "retry" | "unsent"
>;

/**
 * Turns the events of a session into the messages for one page, starting with its snapshot: one delta per frame, and
 * never a message before the deltas that precede it.
 */
export class SessionView {
  readonly #session: ChatSession;
  readonly #post: (message: ToWebview) => void;
  readonly #schedule: (run: () => void, ms: number) => () => void;
  readonly #unsubscribe: () => void;
  readonly #backlog: PageBacklog;
  /** Merges the deltas of each growing message, by its ID. */
  readonly #growing = new Map<string, FrameCoalescer>();
  /** The IDs of the messages that the page shows. */
  #shown: readonly string[] = [];
  /** The IDs of the messages that later requests leave out. */
  #unsent: readonly string[];

  /** @param schedule Runs a function once after this many milliseconds and returns a function that cancels it. */
  constructor(
    session: ChatSession,
    post: (message: ToWebview) => void,
    schedule: (run: () => void, ms: number) => () => void,
  ) {
    this.#session = session;
    this.#post = post;
    this.#schedule = schedule;
    this.#backlog = new PageBacklog(
      (id) => session.state.find(id),
      (messages) => post({ type: "earlier", messages }),
      schedule,
    );
    this.#showPath(session.state.messages);
    this.#unsent = session.state.unsentIds;
    this.#unsubscribe = session.subscribe((event) => {
      this.#handle(event);
      if (event.type !== "delta") this.#postUnsent();
    });
  }

  /** Must be sent before anything else, because later messages build on it. */
  snapshot(): SessionSnapshot {
    const { id, state } = this.#session;
    const { title, settings, isStreaming, retryView } = state;
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

  #handle(event: SessionEvent): void {
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
        // A tool's result isn't sent as deltas: the page receives it whole, in place of the running call.
        if (event.message.role === "tool") return this.#replaceShown(event.message);
        if (event.message.status !== "streaming") this.#growing.delete(event.message.id);
        return this.#post({
          type: "messageChanged",
          messageId: event.message.id,
          change: changeOf(event.message),
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
    const ids = this.#session.state.unsentIds;
    if (ids.join() === this.#unsent.join()) return;
    this.#unsent = ids;
    this.#post({ type: "unsent", ids });
  }

  /** A message added after the shown ones is posted alone; any other change is posted as a different path. */
  #showAdded(message: Message): void {
    const isAtEnd = message.parentId === this.#shown.at(-1) && this.#session.state.comparison.length === 0;
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
    const { messages, versions, comparison } = this.#session.state;
    return { messages, versions, comparison };
  }

  #showPath(messages: readonly Message[]): void {
    const old = new Map(this.#growing);
    this.#growing.clear();
    for (const message of messages) {
      const growing = old.get(message.id);
      // It has nothing pending, because it was flushed before the path was posted.
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
