import type { DatabaseSync } from "node:sqlite";
import { StorageCleaner, Vacuum } from "../database/storageCleaner.ts";
import type { DraftTable } from "./draftTable.ts";
import type { QueueTable } from "./queueTable.ts";

/** Maximum number of 4 kB pages that a deletion returns to the disk, so that it stays fast. */
const pagesGivenBack = 500;

/** Number of messages permanently removed in one transaction. A message may have megabytes of attachments. */
const messagesPurgedAtOnce = 50;
const conversationsPurgedAtOnce = 50;

/** The deletion of conversations in an open database, inside the caller's transaction. */
export class DeletionTable {
  readonly #database: DatabaseSync;
  readonly #statements: ReturnType<typeof prepareDeletion>;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#statements = prepareDeletion(database);
  }

  /** Keeps everything that belongs to the conversation until it is purged. */
  delete(id: string, now: number): void {
    this.#statements.setDeleted.run(now, id);
  }

  /** Does nothing if it was marked for permanent removal. */
  restore(id: string): void {
    this.#statements.restore.run(id);
  }

  /** Marks everything deleted before this time for permanent removal by `purgeSome`. */
  giveUpBefore(time: number): void {
    this.#statements.giveUpBefore.run(time);
  }

  /** Marks a deleted conversation for permanent removal by `purgeSome`. */
  giveUp(id: string): void {
    this.#statements.giveUp.run(id);
  }

  /**
   * Removes a small part of what is marked for permanent removal, which takes a few milliseconds. Returns whether more
   * is left.
   */
  purgeSome(): boolean {
    if (Number(this.#statements.purgeMessages.run().changes) > 0) return true;
    if (Number(this.#statements.purgeConversations.run().changes) === 0) return false;
    this.#giveBackPages();
    return true;
  }

  #giveBackPages(): void {
    this.#database.exec(`PRAGMA incremental_vacuum(${pagesGivenBack})`);
  }
}

function prepareDeletion(database: DatabaseSync) {
  return {
    // The clock may be set to any time, and 0 means that the conversation is marked for permanent removal.
    setDeleted: database.prepare("UPDATE conversation SET deleted_at = max(?, 1) WHERE id = ?"),
    restore: database.prepare("UPDATE conversation SET deleted_at = NULL WHERE id = ? AND deleted_at > 0"),
    giveUpBefore: database.prepare(
      "UPDATE conversation SET deleted_at = 0 WHERE deleted_at > 0 AND deleted_at < ?",
    ),
    giveUp: database.prepare(
      "UPDATE conversation SET deleted_at = 0 WHERE id = ? AND deleted_at IS NOT NULL",
    ),
    purgeMessages: database.prepare(`
      DELETE FROM message WHERE seq IN (
        SELECT message.seq FROM conversation JOIN message ON conversation_id = conversation.id
        WHERE deleted_at = 0 LIMIT ${messagesPurgedAtOnce})`),
    purgeConversations: database.prepare(`
      DELETE FROM conversation WHERE id IN (
        SELECT id FROM conversation WHERE deleted_at = 0 LIMIT ${conversationsPurgedAtOnce})`),
  };
}

/** The tables with something of a conversation that remains when the conversation itself is gone. */
interface DeletionTables {
  readonly deleted: DeletionTable;
  readonly drafts: DraftTable;
  readonly queue: QueueTable;
}

interface DeletionContext {
  /** Milliseconds since 1970. */
  now(): number;
  /** Adds the change to the next transaction. */
  add(change: (tables: DeletionTables) => void): void;
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
    this.#context.add(({ deleted }) => deleted.delete(id, this.#context.now()));
  }

  restore(id: string): void {
    this.#ids.delete(id);
    this.#context.add(({ deleted }) => deleted.restore(id));
  }

  /** The conversation has been written again, which restores it. */
  keep(id: string): void {
    this.#ids.delete(id);
  }

  /** Marks a deleted conversation for permanent removal. */
  purge(id: string): void {
    this.#ids.delete(id);
    this.#context.add(({ deleted }) => deleted.giveUp(id));
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
      this.#context.add(({ deleted }) => deleted.giveUp(id));
      this.#context.add(({ drafts }) => drafts.removeAll(id));
      this.#context.add(({ queue }) => queue.removeAll(id));
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
    this.#context.add(({ deleted }) => deleted.giveUpBefore(this.#context.now() - deletedForMs));
    this.#cleaner.purge();
    this.#context.forgetSetAside();
  }
}
