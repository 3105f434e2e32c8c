import type { Message } from "./conversation.ts";

/** The IDs of all versions of each shown message that has several, in order, by the ID of the shown message. */
export type Versions = Readonly<Record<string, readonly string[]>>;

/** The shown part of a conversation's tree. */
export interface PathView {
  readonly messages: readonly Message[];
  readonly versions: Versions;
  /** IDs of the responses at the end that are shown side by side; empty if there is just one. */
  readonly comparison: readonly string[];
}

/**
 * All messages of a conversation. Messages with the same parent are versions of each other. The path from a first
 * message to the leaf is both shown and sent to the model.
 */
export class MessageTree {
  readonly #byId = new Map<string, Message>();
  /** The IDs of the versions under each parent, in the order of their arrival; first messages are under undefined. */
  readonly #children = new Map<string | undefined, string[]>();
  #leafId: string | undefined;
  #path: readonly Message[] | undefined;
  #comparison: readonly string[] = [];

  /** @param leafId The end of the path; the latest message if absent or unknown. */
  constructor(messages: readonly Message[], leafId?: string) {
    for (const message of chained(messages)) this.add(message);
    if (leafId !== undefined && this.#byId.has(leafId)) this.#leafId = leafId;
  }

  /** In the order of their arrival. */
  get all(): readonly Message[] {
    return [...this.#byId.values()];
  }

  /** The displayed messages, from the first one to the selected leaf. */
  get path(): readonly Message[] {
    return (this.#path ??= this.pathTo(this.#leafId));
  }

  /** The end of the path, unless it is simply the latest message. */
  get leafId(): string | undefined {
    const latest = [...this.#byId.keys()].at(-1);
    return this.#leafId === latest ? undefined : this.#leafId;
  }

  /** IDs of the responses that are shown side by side at the end of the path; empty if there is just one. */
  get comparison(): readonly string[] {
    return this.#comparison;
  }

  /** The path, with all responses that are compared at its end. */
  get shown(): readonly Message[] {
    if (this.#comparison.length === 0) return this.path;
    return [...this.path.slice(0, -1), ...this.#comparison.flatMap((id) => this.#byId.get(id) ?? [])];
  }

  /** The IDs of all versions of each message on the path that has several, by the ID of the message. */
  get versions(): Versions {
    const entries = this.path.map((message) => [message.id, this.versionsOf(message)] as const);
    return Object.fromEntries(entries.filter(([, ids]) => ids.length > 1));
  }

  find(id: string): Message | undefined {
    return this.#byId.get(id);
  }

  /** The path from the first message to this one. */
  pathTo(id: string | undefined): readonly Message[] {
    const path: Message[] = [];
    for (let message = this.#get(id); message !== undefined; message = this.#get(message.parentId))
      path.push(message);
    return path.reverse();
  }

  /** From this message down to its latest descendant. */
  pathFrom(id: string): readonly Message[] {
    const path: Message[] = [];
    for (let next: string | undefined = id; next !== undefined; next = this.#children.get(next)?.at(-1)) {
      const message = this.#byId.get(next);
      if (message !== undefined) path.push(message);
    }
    return path;
  }

  /** Adds the message, whose parent must exist, and shows it. */
  add(message: Message): void {
    const siblings = this.#children.get(message.parentId);
    if (siblings === undefined) this.#children.set(message.parentId, [message.id]);
    else siblings.push(message.id);
    this.#byId.set(message.id, message);
    this.#leafId = message.id;
    this.#path = undefined;
  }

  /**
   * Adds the message, whose parent must exist, and shows it if it follows the end of the path. Otherwise the user has
   * switched to another version, which stays. Returns whether it is shown.
   */
  addNext(message: Message): boolean {
    const leafId = this.#leafId;
    const isNext = this.path.at(-1)?.id === message.parentId && this.#comparison.length === 0;
    this.add(message);
    if (!isNext) this.end(leafId);
    return isNext;
  }

  /** Replaces the old form of a message with the new one. */
  replace(message: Message): void {
    this.#byId.set(message.id, message);
    this.#path = undefined;
  }

  /** Removes a message. Messages that follow it then follow its parent; if there are none, the path ends there. */
  remove({ id, parentId }: Message): void {
    const following = this.#children.get(id) ?? [];
    const siblings = this.#children.get(parentId) ?? [];
    const place = siblings.indexOf(id);
    this.#children.set(parentId, siblings.toSpliced(place, place === -1 ? 0 : 1, ...following));
    this.#children.delete(id);
    for (const child of following) {
      const message = this.#byId.get(child);
      if (message !== undefined) this.#byId.set(child, withParent(message, parentId));
    }
    this.#byId.delete(id);
    this.#comparison = this.#comparison.filter((other) => other !== id);
    if (this.#comparison.length < 2) this.#comparison = [];
    if (this.#leafId === id) this.#leafId = parentId;
    this.#path = undefined;
  }

  /** The IDs of the message and of its other versions, in the order of their arrival. */
  versionsOf({ parentId }: Message): readonly string[] {
    return this.#children.get(parentId) ?? [];
  }

  /** Ends the path with this message, so that what is added next follows it. */
  end(id: string | undefined): void {
    this.#leafId = id;
    this.#path = undefined;
  }

  /** Shows these versions of a response side by side. */
  compare(ids: readonly string[]): void {
    this.#comparison = ids.length > 1 ? ids : [];
  }

  /** Shows this version, down to its latest descendant. */
  select(id: string): void {
    if (this.#byId.has(id)) this.end(this.pathFrom(id).at(-1)?.id);
  }

  #get(id: string | undefined): Message | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }
}

/** The message with another parent. */
function withParent(message: Message, parentId: string | undefined): Message {
  const copy: { -readonly [name in keyof Message]: Message[name] } = { ...message };
  if (parentId === undefined) delete copy.parentId;
  else copy.parentId = parentId;
  return copy;
}

/** A message whose parent is lost follows the one before it. Without any parents, each message does. */
function chained(messages: readonly Message[]): readonly Message[] {
  const known = new Set<string | undefined>(
    messages.some(({ parentId }) => parentId !== undefined) ? [undefined] : [],
  );
  let before: string | undefined;
  return messages.map((message) => {
    const { id, parentId } = message;
    const linked = known.has(parentId) ? message : withParent(message, before);
    known.add(id);
    before = id;
    return linked;
  });
}
