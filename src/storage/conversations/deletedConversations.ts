import { StorageCleaner, Vacuum } from "../database/storageCleaner.ts";
import type { ConversationWriter } from "./conversationWriter.ts";

export interface DeletionContext {
  /** Milliseconds since 1970. */
  now(): number;
  /** Adds the change to the next transaction. */
  add(change: (writer: ConversationWriter) => void): void;
  /** Removes a part of what is marked for permanent removal; returns whether more is left. */
  purgeSome(): boolean;
  /** Empties the write-ahead log; returns whether that worked. */
  truncateLog(): boolean;
  /** Deletes damaged files that were set aside long ago. */
  forgetSetAside(): void;
}

/** How long a deleted conversation can be restored, in milliseconds, before it is permanently removed. */
const deletedForMs = 3_600_000;
/** Milliseconds between two checks for such conversations. */
const giveUpEveryMs = 600_000;
/** Milliseconds that removing deleted conversations may take while VS Code exits. The next window does the rest. */
const lastPurgeMs = 200;

/**
 * Deleted conversations, from the moment they are deleted but can still be restored until nothing of them is left on
 * disk.
 */
export class DeletedConversations {
  readonly #context: DeletionContext;
  readonly #cleaner: StorageCleaner;
  readonly #timer: NodeJS.Timeout;
  #vacuum: Vacuum | undefined;
  /** Conversations deleted in this window, which can be restored until the window closes. */
  readonly #ids = new Set<string>();

  constructor(context: DeletionContext) {
    this.#context = context;
    this.#cleaner = new StorageCleaner(context);
    this.#giveUpOld();
    this.#timer = setInterval(() => this.#giveUpOld(), giveUpEveryMs).unref();
  }

  delete(id: string): void {
    this.#ids.add(id);
    this.#context.add((writer) => writer.deleteConversation(id, this.#context.now()));
  }

  restore(id: string): void {
    this.#ids.delete(id);
    this.#context.add((writer) => writer.restoreConversation(id));
  }

  /** The conversation has been written again, which restores it. */
  keep(id: string): void {
    this.#ids.delete(id);
  }

  /** Marks a deleted conversation for permanent removal. */
  purge(id: string): void {
    this.#ids.delete(id);
    this.#context.add((writer) => writer.giveUp(id));
    this.#cleaner.purge();
  }

  /** Something was deleted or replaced and must not stay in the log. */
  noteRemoval(kind: "deleted" | "replaced"): void {
    if (kind === "deleted") this.#cleaner.noteRemoval();
    else this.#cleaner.noteReplacement();
  }

  /** Schedules a single rewrite of the file, because it is from before deletions were overwritten. */
  scheduleVacuum(thread: string | URL, path: string): void {
    this.#vacuum = new Vacuum(thread);
    this.#vacuum.schedule(path, () => this.#cleaner.noteRemoval());
  }

  /** Called when VS Code exits: nothing can be restored anymore. */
  giveUp(): void {
    for (const id of this.#ids) {
      this.#context.add((writer) => writer.giveUp(id));
      this.#context.add((writer) => writer.drafts.removeAll(id));
      this.#context.add((writer) => writer.queue.removeAll(id));
    }
    this.#cleaner.dispose();
    this.#vacuum?.dispose();
    clearInterval(this.#timer);
  }

  /** Removes as much as time allows of what is marked for permanent removal, after everything else has been written. */
  finish(): void {
    this.#cleaner.finish(lastPurgeMs);
  }

  #giveUpOld(): void {
    this.#context.add((writer) => writer.giveUpBefore(this.#context.now() - deletedForMs));
    this.#cleaner.purge();
    this.#context.forgetSetAside();
  }
}
