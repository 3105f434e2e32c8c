import type { Message } from "../conversation/conversation.ts";
import type { MessageOutline, PagePath } from "./protocol.ts";
import type { PathView } from "../conversation/messageTree.ts";

/** What the page is sent at once, and then at a time: messages, and UTF-16 units. Parsing it is one task of the page. */
const [mostMessages, mostUnits] = [60, 250_000];
/** Milliseconds between two of them: the page draws and hears the user in between. */
const pauseMs = 30;

/** Divides a long path: its newest messages go at once, the others follow from the newest to the oldest. */
export class PageBacklog {
  readonly #find: (id: string) => Message | undefined;
  readonly #post: (messages: readonly Message[]) => void;
  readonly #schedule: (run: () => void, ms: number) => () => void;
  /** The ids of what the page has outlines of, the newest last. */
  #waiting: readonly string[] = [];
  #cancel: (() => void) | undefined;

  /** @param find The message as it is when its turn comes. */
  constructor(
    find: (id: string) => Message | undefined,
    post: (messages: readonly Message[]) => void,
    schedule: (run: () => void, ms: number) => () => void,
  ) {
    this.#find = find;
    this.#post = post;
    this.#schedule = schedule;
  }

  /** The path from `keep` on as the page is to be sent it; what stands before that, it has or waits for. */
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

/** Where the newest messages begin that fit into one portion: one of them at least, and whatever still grows. */
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
