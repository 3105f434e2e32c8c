import { randomUUID } from "node:crypto";
import type { Message, MessageDelta } from "../../core/conversation/conversation.ts";
import type { Batch } from "./spillFile.ts";
import { conversationOf } from "./tables.ts";
import type { Change } from "./tables.ts";

/** Growth that is still being added to. */
interface PendingGrowth {
  readonly type: "growth";
  readonly conversationId: string;
  readonly messageId: string;
  text: string;
  reasoning: string;
}

/** A batch to which changes may still be added, unless it has been written to the spill file. */
interface OpenBatch extends Batch {
  changes: Change[];
  isSpilled: boolean;
}

/** The changes that are not in the database yet, in their order. */
export class PendingChanges {
  readonly #windowId: string;
  #batches: OpenBatch[] = [];
  /** The growth of each message that may still be added to. */
  readonly #growths = new Map<string, PendingGrowth>();
  /** Messages that changes may be about. An import adds thousands, and not each has to be compared with all others. */
  readonly #messages = new Set<string>();
  /** Whether the spill file has something that was removed or replaced since then. */
  #isSpillOutdated = false;

  constructor(windowId: string) {
    this.#windowId = windowId;
  }

  get isEmpty(): boolean {
    return this.#batches.length === 0;
  }

  get batches(): readonly (Batch & { readonly isSpilled: boolean })[] {
    return this.#batches;
  }

  get changes(): readonly Change[] {
    return this.#batches.flatMap(({ changes }) => changes);
  }

  /** IDs of the conversations that are going to change. */
  get conversationIds(): ReadonlySet<string> {
    return new Set(this.changes.map(conversationOf));
  }

  /** Whether a message in its final form is among them, which must survive a power failure. */
  get hasFinalMessage(): boolean {
    return this.changes.some((change) => change.type === "message" && change.message.status !== "streaming");
  }

  /** Adds a change, and removes what it makes unnecessary, because nothing that was deleted may be written anywhere. */
  add(change: Change): void {
    switch (change.type) {
      case "purge":
        this.#drop((each) => conversationOf(each) === change.id && each.type !== "delete");
        break;
      case "removeMessage":
        this.#emptyMessage(change.conversationId, change.messageId);
        break;
      case "message":
        if (this.#replaceMessage(change)) return;
        break;
      case "draft":
        return this.#addDraft(change);
      default:
        break;
    }
    this.#openBatch().push(change);
  }

  /** Adds the growth of a message to what is pending of it. */
  grow(conversationId: string, messageId: string, { kind, text }: MessageDelta): void {
    const key = keyOf(conversationId, messageId);
    this.#messages.add(key);
    const pending = this.#growths.get(key);
    if (pending !== undefined) {
      pending[kind] += text;
      return;
    }
    const growth = {
      type: "growth" as const,
      conversationId,
      messageId,
      text: "",
      reasoning: "",
      [kind]: text,
    };
    this.#openBatch().push(growth);
    this.#growths.set(key, growth);
  }

  /**
   * What is to be written to the spill file: its whole new contents, or what is to be added to it.
   */
  toSpill(): { readonly batches: readonly Batch[]; readonly isReplaced: boolean } {
    const isReplaced = this.#isSpillOutdated;
    const batches = isReplaced ? this.#batches : this.#batches.filter(({ isSpilled }) => !isSpilled);
    return { batches: batches.map(({ key, windowId, changes }) => ({ key, windowId, changes })), isReplaced };
  }

  /** Everything is in the spill file. */
  noteSpilled(): void {
    for (const batch of this.#batches) batch.isSpilled = true;
    this.#growths.clear();
    this.#isSpillOutdated = false;
  }

  clear(): void {
    this.#batches = [];
    this.#growths.clear();
    this.#messages.clear();
    this.#isSpillOutdated = false;
  }

  #openBatch(): Change[] {
    let batch = this.#batches.at(-1);
    if (batch === undefined || batch.isSpilled) {
      batch = { key: randomUUID(), windowId: this.#windowId, changes: [], isSpilled: false };
      this.#batches.push(batch);
    }
    return batch.changes;
  }

  /**
   * A message as a whole contains all of its growth, and takes the place of its earlier form. Returns whether it has to
   * be added nowhere else: another window may have taken a batch from the spill file, which is then not written again,
   * and a message may be saved again after its removal.
   */
  #replaceMessage(change: Extract<Change, { readonly type: "message" }>): boolean {
    const { conversationId, message } = change;
    const key = keyOf(conversationId, message.id);
    if (!this.#messages.has(key)) {
      this.#messages.add(key);
      return false;
    }
    this.#drop((each) => each.type === "growth" && isAbout(each, conversationId, message.id));
    let isReplaced = false;
    for (const batch of this.#batches) {
      const at = batch.changes.findIndex((each) => isAbout(each, conversationId, message.id));
      if (at === -1) continue;
      batch.changes[at] = change;
      if (batch.isSpilled) this.#isSpillOutdated = true;
      else isReplaced = true;
    }
    const isRemoved = (each: Change): boolean =>
      each.type === "removeMessage" &&
      each.messageId === message.id &&
      each.conversationId === conversationId;
    return isReplaced && !this.changes.some(isRemoved);
  }

  /** Removes the content of a message that is going to be removed. Its place is needed by what follows it. */
  #emptyMessage(conversationId: string, messageId: string): void {
    this.#drop((each) => each.type === "growth" && isAbout(each, conversationId, messageId));
    for (const batch of this.#batches)
      for (const [at, each] of batch.changes.entries()) {
        if (each.type !== "message" || !isAbout(each, conversationId, messageId)) continue;
        batch.changes[at] = { ...each, message: emptied(each.message) };
        this.#isSpillOutdated ||= batch.isSpilled;
      }
  }

  /**
   * An earlier draft that is never stored is replaced, so this one continues what that one has continued. One that was
   * exchanged for another window's draft is kept beside it, so it has to be stored.
   */
  #addDraft(change: Extract<Change, { readonly type: "draft" }>): void {
    const earlier = this.changes.findLast(
      (each) =>
        (each.type === "draft" || each.type === "takeDraft") && each.conversationId === change.conversationId,
    );
    if (earlier?.type !== "draft") return void this.#openBatch().push(change);
    this.#drop((each) => each === earlier);
    this.#openBatch().push({ ...change, origin: earlier.origin });
  }

  #drop(isDropped: (change: Change) => boolean): void {
    for (const batch of this.#batches) {
      const kept = batch.changes.filter((change) => !isDropped(change));
      if (kept.length === batch.changes.length) continue;
      batch.changes = kept;
      this.#isSpillOutdated ||= batch.isSpilled;
    }
    for (const [key, growth] of this.#growths) if (isDropped(growth)) this.#growths.delete(key);
    this.#batches = this.#batches.filter(({ changes, isSpilled }) => isSpilled || changes.length > 0);
  }
}

function emptied({ id, role, status, createdAt, parentId }: Message): Message {
  return {
    ...{ id, role, status, createdAt, text: "", attachments: [], reasoning: "", toolCalls: [] },
    ...(parentId === undefined ? {} : { parentId }),
  };
}

function keyOf(conversationId: string, messageId: string): string {
  return `${conversationId} ${messageId}`;
}

function isAbout(change: Change, conversationId: string, messageId: string): boolean {
  if (change.type !== "message" && change.type !== "growth") return false;
  const id = change.type === "message" ? change.message.id : change.messageId;
  return id === messageId && change.conversationId === conversationId;
}
