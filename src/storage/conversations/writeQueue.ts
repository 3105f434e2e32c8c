import { t } from "@vscode/l10n";
import { setTimeout as wait } from "node:timers/promises";
import type { MessageDelta, Message } from "../../core/conversation/conversation.ts";
import { filledFields } from "../../core/kernel/filledFields.ts";
import { NewerSchemaError } from "../database/schema.ts";
import { isInvalid, saveFailureMessage, sqliteTrouble, troubleMessage } from "../database/sqliteTrouble.ts";
import { sleep } from "../files/heldFile.ts";
import { newerSentence } from "./conversationDatabase.ts";
import type { ConversationDatabase } from "./conversationDatabase.ts";
import type { WindowWriter } from "./windowWriter.ts";
import type { SpillFile, Batch } from "./spillFile.ts";
import type { Change, Tables } from "./tables.ts";
import { randomUUID } from "node:crypto";
import { conversationOf } from "./tables.ts";

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
class PendingChanges {
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
  const nothing = { text: "", attachments: [], reasoning: "", toolCalls: [] };
  return filledFields({ id, role, status, createdAt, parentId, ...nothing });
}

function keyOf(conversationId: string, messageId: string): string {
  return `${conversationId} ${messageId}`;
}

function isAbout(change: Change, conversationId: string, messageId: string): boolean {
  if (change.type !== "message" && change.type !== "growth") return false;
  const id = change.type === "message" ? change.message.id : change.messageId;
  return id === messageId && change.conversationId === conversationId;
}

/** Milliseconds for which it is known that a batch was taken from a spill file. No window is suspended for longer. */
export const spillClaimMs = 30 * 86_400_000;

/**
 * Milliseconds between the first change and its transaction. Every transaction writes some whole pages, however little
 * it changes, so more of them cost more.
 */
const writeDelayMs = 150;
/** Milliseconds after which what can't be written to the database is written to the spill file. */
const spillAfterMs = 200;
/** Milliseconds until the next attempt while another process locks the file, at first and later. */
const busyDelayMs = 5;
const longBusyDelayMs = 100;
/** Milliseconds until the next attempt while the disk refuses writes. */
const refusedDelayMs = 1_000;
/** Milliseconds after which the user is told that nothing can be written. A lock is seldom held for that long. */
const tellAfterMs = 1_500;
/** Milliseconds for which something that must be in the database waits for another process to release the file. */
const exclusiveMs = 5_000;
/** How often a change that a caller waits for is attempted at once, and the milliseconds between attempts. */
const busyWrites = 15;
const busyWritePauseMs = 2;
/** The same while VS Code exits. */
const lastWrites = 60;
const lastWritePauseMs = 25;

interface WriteQueueContext {
  readonly database: ConversationDatabase;
  readonly window: WindowWriter;
  /** Where changes go while the database refuses them. */
  readonly spill: SpillFile;
  /** Milliseconds since 1970. */
  now(): number;
  /** Monotonic milliseconds. */
  monotonic(): number;
  onTrouble(sentence: string | undefined): void;
  onProblem(sentence: string): void;
}

/** Why nothing can be written, and since when (monotonic milliseconds). */
interface Trouble {
  readonly since: number;
  readonly nextAttemptAt: number;
  /** Whether another process locks the file. */
  readonly isBusy: boolean;
  /** What the user was told. */
  readonly sentence: string | undefined;
}

/**
 * The only way into the database: changes are written together in one transaction shortly after the first of them. What
 * the database refuses is written to the spill file until it works again.
 */
export class WriteQueue {
  readonly #context: WriteQueueContext;
  readonly #pending: PendingChanges;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer is due, and when the first of the pending changes was added (monotonic milliseconds). */
  #due = 0;
  #pendingSince: number | undefined;
  #trouble: Trouble | undefined;
  #isOnlyInMemory = false;
  #isClosed = false;

  constructor(context: WriteQueueContext) {
    this.#context = context;
    this.#pending = new PendingChanges(context.window.id);
  }

  /** The changes that the database doesn't have yet, in their order. */
  get pending(): Pick<PendingChanges, "changes" | "conversationIds"> {
    return this.#pending;
  }

  add(change: Change): void {
    if (this.#isClosed) return;
    this.#pending.add(change);
    this.#noteAdded();
  }

  /** Adds the growth of a streaming message. */
  grow(conversationId: string, messageId: string, delta: MessageDelta): void {
    if (this.#isClosed) return;
    this.#pending.grow(conversationId, messageId, delta);
    this.#noteAdded();
  }

  /** Writes what is pending as far as possible now; returns whether the database has all of it. Never throws. */
  flush(): boolean {
    const isWaiting = this.#context.monotonic() < (this.#trouble?.nextAttemptAt ?? 0);
    if (this.#pending.isEmpty) return true;
    if (isWaiting && this.#isSpillDue()) return false;
    if (this.#write()) return true;
    // Another window usually needs only some milliseconds.
    for (
      let tries = busyWrites;
      tries > 0 && this.#trouble?.isBusy === true && !this.#isSpillDue();
      tries--
    ) {
      sleep(busyWritePauseMs);
      if (this.#write()) return true;
    }
    return false;
  }

  /**
   * Runs something in one transaction together with everything pending, which then survives a power failure. Waits for
   * another process to release the file. Resolves to undefined if that isn't possible for now.
   */
  async exclusively<Result>(run: (tables: Tables) => Result): Promise<Result | undefined> {
    const end = this.#context.monotonic() + exclusiveMs;
    while (!this.#isClosed) {
      try {
        const { result, invalid } = this.#context.database.transact((tables) => {
          const failures = this.#applyAll(tables);
          return { result: run(tables), invalid: failures };
        }, true);
        this.#finish(invalid);
        return result;
      } catch (error) {
        this.#handle(error);
        if (sqliteTrouble(error) !== "busy" || this.#context.monotonic() > end) return undefined;
      }
      await wait(busyDelayMs);
    }
    return undefined;
  }

  /** Called when the database can't be read. If that doesn't end soon, the user is told. */
  noteUnreadable(error: unknown): void {
    if (this.#trouble === undefined && !this.#isClosed) this.#handle(error);
  }

  /** Writes everything while VS Code exits. Nothing can be added anymore. */
  close(): void {
    this.#isClosed = true;
    for (let tries = lastWrites; tries > 0 && !this.#write(); tries--) {
      if (this.#isSpilled()) break;
      sleep(lastWritePauseMs);
    }
    clearTimeout(this.#timer);
    this.#context.spill.leave();
    if (!this.#pending.isEmpty && this.#isOnlyInMemory)
      this.#context.onProblem(t("The latest changes to the conversations couldn't be saved."));
  }

  #noteAdded(): void {
    this.#pendingSince ??= this.#context.monotonic();
    this.#schedule(writeDelayMs);
  }

  /** The earliest time wins. */
  #schedule(ms: number): void {
    const due = this.#context.monotonic() + ms;
    if (this.#isClosed || (this.#timer !== undefined && due >= this.#due)) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#tick();
    }, ms);
  }

  #tick(): void {
    const rest = (this.#trouble?.nextAttemptAt ?? 0) - this.#context.monotonic();
    if (rest <= 0) return void this.#write();
    if (this.#isSpillDue()) this.#spill();
    this.#schedule(rest);
  }

  /** Returns whether the database has everything now. */
  #write(): boolean {
    if (this.#pending.isEmpty && this.#trouble === undefined) return true;
    try {
      const isSynced = this.#pending.hasFinalMessage;
      this.#finish(this.#context.database.transact((tables) => this.#applyAll(tables), isSynced));
      return true;
    } catch (error) {
      this.#handle(error);
      return false;
    }
  }

  /** Returns the errors of changes that can never be written and must not keep the others from being written. */
  #applyAll(tables: Tables): readonly unknown[] {
    const rewritten = new Set<string>();
    const invalid: unknown[] = [];
    for (const { key, isSpilled, changes } of this.#pending.batches) {
      // Another window may have taken it from the spill file.
      if (isSpilled && !tables.claims.take("spill", key, this.#context.now(), spillClaimMs)) continue;
      for (const change of changes) {
        try {
          this.#context.window.apply(tables, change, rewritten);
        } catch (error) {
          if (!isInvalid(error)) throw error;
          invalid.push(error);
        }
      }
    }
    return invalid;
  }

  /** Nothing is pending any more. @param invalid Why some of it couldn't be written. */
  #finish(invalid: readonly unknown[]): void {
    this.#pending.clear();
    this.#context.spill.remove();
    this.#pendingSince = undefined;
    this.#isOnlyInMemory = false;
    const { sentence } = this.#trouble ?? {};
    this.#trouble = undefined;
    if (sentence !== undefined) this.#context.onTrouble(undefined);
    for (const error of invalid) this.#context.onProblem(saveFailureMessage(error));
  }

  #handle(error: unknown): void {
    const { monotonic, onTrouble } = this.#context;
    const kind = sqliteTrouble(error);
    const now = monotonic();
    if (this.#isSpillDue() || kind !== "busy") this.#spill();
    const since = this.#trouble?.since ?? now;
    const isLong = this.#isSpillDue() || now - since >= spillAfterMs;
    const delay = kind !== "busy" ? refusedDelayMs : isLong ? longBusyDelayMs : busyDelayMs;
    const sentence = now - since >= tellAfterMs ? this.#describe(error) : this.#trouble?.sentence;
    if (sentence !== this.#trouble?.sentence) onTrouble(sentence);
    this.#trouble = { since, nextAttemptAt: now + delay, isBusy: kind === "busy", sentence };
    this.#schedule(delay);
  }

  #describe(error: unknown): string {
    const cause =
      error instanceof NewerSchemaError
        ? newerSentence()
        : t("The conversations can't be saved: {0}.", troubleMessage(error));
    const consequence = this.#pending.isEmpty
      ? t("Saving is retried every second.")
      : this.#isOnlyInMemory || this.#context.spill.path === undefined
        ? t(
            "New messages are only in memory and are lost if this window is closed. Saving is retried every second.",
          )
        : t("New messages are kept in a separate file until saving works again.");
    return `${cause} ${consequence}`;
  }

  /** Whether what is pending has waited for so long that it would be lost with the process. */
  #isSpillDue(): boolean {
    const since = this.#pendingSince;
    return since !== undefined && this.#context.monotonic() - since >= spillAfterMs;
  }

  #spill(): void {
    const { batches, isReplaced } = this.#pending.toSpill();
    if (batches.length === 0 && !isReplaced) return;
    this.#isOnlyInMemory = !this.#context.spill.write(batches, isReplaced);
    if (!this.#isOnlyInMemory) this.#pending.noteSpilled();
  }

  #isSpilled(): boolean {
    this.#spill();
    return !this.#isOnlyInMemory;
  }
}
