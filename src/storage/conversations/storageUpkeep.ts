import { backupEveryMs, listBackups, makeBackup, scrubBackups } from "../database/backups.ts";
import { deleteSetAside } from "../database/setAsideFiles.ts";
import { isInvalid } from "../database/sqliteTrouble.ts";
import { runStorageThread } from "../database/runStorageThread.ts";
import type { Sqlite } from "../database/sqlite.ts";
import { removeFile } from "../files/heldFile.ts";
import type { ConversationDatabase } from "./conversationDatabase.ts";
import { deleteUnfinishedSpills, listLeftSpills } from "./spillFile.ts";
import type { LeftSpill } from "./spillFile.ts";
import type { Tables } from "./tables.ts";
import { spillClaimMs } from "./writeQueue.ts";
import type { WriteQueue } from "./writeQueue.ts";
import { emptyLog } from "../database/journal.ts";

/** How long a deleted conversation can be restored, in milliseconds, before it is permanently removed. */
const deletedForMs = 3_600_000;
/** Milliseconds between two checks for what is due. */
const checkEveryMs = 600_000;
/** Milliseconds between two checks for spill files that other windows have left. */
const takeInEveryMs = 10_000;
/** Milliseconds after opening until the first backup, when the first conversation is already visible. */
const firstBackupMs = 60_000;
/** Milliseconds for which only one window makes a backup. */
const backupClaimMs = 600_000;
/** Milliseconds between a change and cleaning up after it, which also covers any change in the meantime. */
const cleanAfterMs = 2_000;
/** Milliseconds between two parts of the work, so that the host has time for everything else. */
const pauseMs = 5;
/** Milliseconds until the next attempt if another window is busy with the file, or the disk fails. */
const retryMs = 1_000;
/** Milliseconds that removing deleted conversations may take while VS Code exits. The next window does the rest. */
const lastCleaningMs = 200;

/**
 * The outcome of a part of the work, which takes a few milliseconds.
 * - `more` it can continue now.
 * - `waiting` another process has to do something first, such as to end reading.
 */
type Progress = "more" | "waiting" | "done";

interface UpkeepContext {
  readonly sqlite: Sqlite;
  /** The path of the database. */
  readonly path: string;
  readonly database: ConversationDatabase;
  /** Path of the built `storageThread`; without it, backups are made in this thread. */
  readonly thread: string | URL | undefined;
  /** Milliseconds since 1970. */
  now(): number;
  readonly writes: WriteQueue;
}

/**
 * What has to be done to the files in the background, a part at a time: making messages searchable, removing what was
 * deleted until nothing of it is left on disk, taking in what other windows couldn't write, and backups. Whatever is
 * still to be done is stored, so that it is continued after the end of the process.
 */
export class StorageUpkeep {
  readonly #context: UpkeepContext;
  readonly #timers: readonly NodeJS.Timeout[];
  /** In their order. Each runs after the one before it is done. */
  readonly #steps: readonly (() => Progress)[];
  #cleaning: NodeJS.Timeout | undefined;
  /** When that timer is due, by the clock of the process. */
  #due = Number.POSITIVE_INFINITY;

  constructor(context: UpkeepContext) {
    this.#context = context;
    const { sqlite, path, database } = context;
    this.#steps = [
      () => this.#purgeSome(),
      () => (database.transact(({ search }) => search.maintain()) ? "more" : "done"),
      () => (database.attempt((open) => scrubBackups(sqlite, open, path)) ? "waiting" : "done"),
      () => (database.attempt(emptyLog) ? "done" : "waiting"),
    ];
    this.takeIn();
    this.#check();
    this.#timers = [
      setInterval(() => this.takeIn(), takeInEveryMs),
      setInterval(() => this.#check(), checkEveryMs),
      setInterval(() => void this.#backUp(), checkEveryMs),
      setTimeout(() => void this.#backUp(), firstBackupMs),
    ];
    for (const timer of this.#timers) timer.unref();
  }

  /** Called when something was changed. Nothing of what was deleted or replaced may stay on disk. */
  note(): void {
    this.#schedule(cleanAfterMs);
  }

  /** Takes everything in that other windows couldn't write to the database before they ended, each exactly once. */
  takeIn(): void {
    const { path, database, now } = this.#context;
    deleteUnfinishedSpills(path);
    for (const spill of listLeftSpills(path)) {
      try {
        takeInSpill(spill, now(), (change) => database.transact(change, true));
        this.note();
      } catch {
        // The database refuses this, too. It is tried again.
      }
    }
  }

  /** Removes as much as time allows. Called when VS Code exits and everything has been written. */
  dispose(): void {
    for (const timer of [...this.#timers, this.#cleaning]) clearTimeout(timer);
    const end = performance.now() + lastCleaningMs;
    while (this.#clean() === "more" && performance.now() < end);
  }

  /** The earliest time wins. */
  #schedule(ms: number): void {
    const due = performance.now() + ms;
    if (this.#cleaning !== undefined && due >= this.#due) return;
    clearTimeout(this.#cleaning);
    this.#due = due;
    this.#cleaning = setTimeout(() => {
      this.#cleaning = undefined;
      const progress = this.#clean();
      if (progress !== "done") this.#schedule(progress === "more" ? pauseMs : retryMs);
    }, ms).unref();
  }

  #clean(): Progress {
    let progress: Progress = "done";
    for (const step of this.#steps) {
      try {
        const now = step();
        if (now === "more") return now;
        if (now === "waiting") progress = now;
      } catch {
        // Either busy, or a problem that will be reported elsewhere.
        progress = "waiting";
      }
    }
    return progress;
  }

  #check(): void {
    const { path, database, now } = this.#context;
    try {
      database.transact((tables) => {
        tables.writer.giveUpBefore(now() - deletedForMs);
        tables.claims.sweep(now());
      });
      deleteSetAside(path, now());
    } catch {
      // It is done at the next check.
    }
    this.note();
  }

  /** Pending changes are written first, because a conversation is marked for removal before it is removed. */
  #purgeSome(): Progress {
    if (!this.#context.writes.flush()) return "waiting";
    return this.#context.database.transact((tables) => tables.writer.purgeSome()) ? "more" : "done";
  }

  /** Makes the daily backup, in one window. A failure is retried at the next check. */
  async #backUp(): Promise<void> {
    const { sqlite, path, database, thread, now, writes } = this.#context;
    const { madeAt = 0 } = listBackups(path)[0] ?? {};
    if (Math.abs(now() - madeAt) < backupEveryMs) return;
    try {
      if (database.read((tables) => tables.conversations.list().length === 0)) return;
      const take = ({ claims }: Tables): boolean => claims.take("backup", "daily", now(), backupClaimMs);
      if ((await writes.exclusively(take)) !== true) return;
      if (thread === undefined) await makeBackup(sqlite, path, now());
      else await runStorageThread(thread, { name: "backUp", path });
    } catch {
      // The disk may be full.
    }
    this.note();
  }
}

/**
 * Makes the changes in a spill file that the database doesn't have, and deletes the file. Returns their number.
 * @param now Milliseconds since 1970.
 * @param transact Makes the whole change in one transaction that survives a power failure; otherwise throws.
 */
export function takeInSpill(
  { path, batches }: LeftSpill,
  now: number,
  transact: (change: (tables: Tables) => number) => number,
): number {
  const count = transact((tables) => {
    const missing = batches.filter(({ key }) => tables.claims.take("spill", key, now, spillClaimMs));
    for (const { windowId, changes } of missing)
      for (const change of changes) {
        try {
          tables.apply(change, windowId);
        } catch (error) {
          // Invalid content must not keep the rest from being taken in.
          if (!isInvalid(error)) throw error;
        }
      }
    return missing.reduce((sum, { changes }) => sum + changes.length, 0);
  });
  removeFile(path);
  return count;
}
