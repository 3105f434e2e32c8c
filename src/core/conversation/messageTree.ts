import type { Message } from "./conversation.ts";

/** By the id of a shown message of which there are several versions: the ids of all of these, in their order. */
export type Versions = Readonly<Record<string, readonly string[]>>;

/** What is shown of a conversation's tree. */
export interface PathView {
  readonly messages: readonly Message[];
  readonly versions: Versions;
  /** Ids of the answers at the end that are shown side by side; empty if there is just one. */
  readonly comparison: readonly string[];
}

/**
 * All messages of a conversation. Messages of the same parent are versions of each other. The path from a first message
 * to the leaf is what is shown and what is sent to the model.
 */
export class MessageTree {
  readonly #byId = new Map<string, Message>();
  /** The ids of the versions under a parent, in the order of their coming; first messages are under undefined. */
  readonly #children = new Map<string | undefined, string[]>();
  #leafId: string | undefined;
  #path: readonly Message[] | undefined;
  #comparison: readonly string[] = [];

  /** @param leafId The end of the path; the latest message where it is absent or unknown. */
  constructor(messages: readonly Message[], leafId?: string) {
    for (const message of chained(messages)) this.add(message);
    if (leafId !== undefined && this.#byId.has(leafId)) this.#leafId = leafId;
  }

  /** In the order of their coming. */
  get all(): readonly Message[] {
    return [...this.#byId.values()];
  }

  get path(): readonly Message[] {
    return (this.#path ??= this.pathTo(this.#leafId));
  }

  /** The end of the path, where that isn't simply the latest message. */
  get leafId(): string | undefined {
    const latest = [...this.#byId.keys()].at(-1);
    return this.#leafId === latest ? undefined : this.#leafId;
  }

  /** Ids of the responses that are shown side by side at the end of the path; empty if there is just one. */
  get comparison(): readonly string[] {
    return this.#comparison;
  }

  /** The path, with all of the responses that are compared at its end. */
  get shown(): readonly Message[] {
    if (this.#comparison.length === 0) return this.path;
    return [...this.path.slice(0, -1), ...this.#comparison.flatMap((id) => this.#byId.get(id) ?? [])];
  }

  /** By the id of each message of the path of which there are several versions: the ids of all of these. */
  get versions(): Versions {
    const entries = this.path.map((message) => [message.id, this.versionsOf(message)] as const);
    return Object.fromEntries(entries.filter(([, ids]) => ids.length > 1));
  }

  find(id: string): Message | undefined {
    return this.#byId.get(id);
  }

  /** From the first message to this one. */
  pathTo(id: string | undefined): readonly Message[] {
    const path: Message[] = [];
    for (let message = this.#get(id); message !== undefined; message = this.#get(message.parentId))
      path.push(message);
    return path.reverse();
  }

  /** From this message down to the latest that follows it. */
  pathFrom(id: string): readonly Message[] {
    const path: Message[] = [];
    for (let next: string | undefined = id; next !== undefined; next = this.#children.get(next)?.at(-1)) {
      const message = this.#byId.get(next);
      if (message !== undefined) path.push(message);
    }
    return path;
  }

  /** Adds the message, whose parent must be there, and shows it. */
  add(message: Message): void {
    const siblings = this.#children.get(message.parentId);
    if (siblings === undefined) this.#children.set(message.parentId, [message.id]);
    else siblings.push(message.id);
    this.#byId.set(message.id, message);
    this.#leafId = message.id;
    this.#path = undefined;
  }

  /** Adds the message, whose parent must be there, without showing it. */
  addAside(message: Message): void {
    const leafId = this.#leafId;
    this.add(message);
    this.end(leafId);
  }

  /** Puts the new form of a message in the place of the old one. */
  replace(message: Message): void {
    this.#byId.set(message.id, message);
    this.#path = undefined;
  }

  /** Removes a message. What follows it then follows its parent, and so does the path if nothing follows it. */
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

  /** The ids of the message and of what was written in its place, in the order of their coming. */
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

  /** Shows this version, down to the latest message that follows it. */
  select(id: string): void {
    if (!this.#byId.has(id)) return;
    let leaf = id;
    for (
      let next = this.#children.get(leaf)?.at(-1);
      next !== undefined;
      next = this.#children.get(leaf)?.at(-1)
    )
      leaf = next;
    this.#leafId = leaf;
    this.#path = undefined;
  }

  #get(id: string | undefined): Message | undefined {
    return id === undefined ? undefined : this.#byId.get(id);
  }
}

/** The message as it follows another one. */
export function withParent(message: Message, parentId: string | undefined): Message {
  const copy: { -readonly [name in keyof Message]: Message[name] } = { ...message };
  if (parentId === undefined) delete copy.parentId;
  else copy.parentId = parentId;
  return copy;
}

/** Before there were versions, messages had no parents: each followed the one before it. */
function chained(messages: readonly Message[]): readonly Message[] {
  if (messages.some(({ parentId }) => parentId !== undefined)) return messages;
  return messages.map((message, index) => {
    const before = messages[index - 1];
    return before === undefined ? message : { ...message, parentId: before.id };
  });
}
