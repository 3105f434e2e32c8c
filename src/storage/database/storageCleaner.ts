import { once } from "node:events";
import { Worker } from "node:worker_threads";
/** The cleaner's steps. Each takes a few milliseconds and throws SQLite's errors. */
interface CleaningSteps {
  /** Permanently removes a part of what was marked for it. Returns whether more is left. */
  purgeSome(): boolean;
  /** Empties the write-ahead log; returns whether that worked. Another window may be reading from it. */
  truncateLog(): boolean;
}

/** Milliseconds between a removal and emptying the log, which also covers anything removed in the meantime. */
const truncateDelayMs = 2_000;
/** The same delay for text replaced by something that hardly differs, such as a response by its final form. */
const replacedDelayMs = 10_000;
/** Milliseconds between two parts of a removal, so that the host has time for everything else. */
const partPauseMs = 25;
/** Milliseconds until the next attempt if another window is busy with the file, or the disk fails. */
const retryMs = 5_000;

/** Removes the remains of deleted and replaced texts in the background, a part at a time. */
export class StorageCleaner {
  readonly #steps: CleaningSteps;
  #timer: NodeJS.Timeout | undefined;
  /** When the timer is due, by the clock of the process. */
  #due = Number.POSITIVE_INFINITY;
  #mayPurge = false;
  #isLogOutdated = false;

  constructor(steps: CleaningSteps) {
    this.#steps = steps;
  }

  /** Called when conversations were marked for permanent removal. */
  purge(): void {
    this.#mayPurge = true;
    this.#schedule(partPauseMs);
  }

  /** Called when something was deleted or replaced. It is no longer in the file, but still in the log. */
  noteRemoval(): void {
    this.#isLogOutdated = true;
    this.#schedule(truncateDelayMs);
  }

  /** Called when something was replaced by a slightly different form. */
  noteReplacement(): void {
    this.#isLogOutdated = true;
    this.#schedule(replacedDelayMs);
  }

  /**
   * Removes what is marked for permanent removal, for at most this many milliseconds, and empties the log. Called when
   * VS Code exits.
   */
  finish(budgetMs: number): void {
    const end = performance.now() + budgetMs;
    this.dispose();
    try {
      while (this.#steps.purgeSome() && performance.now() < end);
      this.#steps.truncateLog();
    } catch {
      // The next window that opens the file continues with it.
    }
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The earliest time wins. */
  #schedule(ms: number): void {
    const due = performance.now() + ms;
    if (this.#timer !== undefined && due >= this.#due) return;
    clearTimeout(this.#timer);
    this.#due = due;
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      this.#run();
    }, ms).unref();
  }

  #run(): void {
    try {
      if (this.#mayPurge) {
        this.#mayPurge = this.#steps.purgeSome();
        this.#isLogOutdated ||= this.#mayPurge;
        if (this.#mayPurge || this.#isLogOutdated) this.#schedule(partPauseMs);
        return;
      }
      this.#isLogOutdated = !this.#steps.truncateLog();
    } catch {
      // Either busy, or a problem that will be reported elsewhere.
    }
    if (this.#mayPurge || this.#isLogOutdated) this.#schedule(retryMs);
  }
}

/**
 * Milliseconds after opening, when the first conversation is already visible. Nothing depends on this being done early.
 */
const delayMs = 20_000;

/** Rewrites a file from before deletions were overwritten, so that no deleted data remains in it. */
export class Vacuum {
  readonly #thread: string | URL;
  #timer: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;

  /** @param thread Path of the built `vacuumThread`. */
  constructor(thread: string | URL) {
    this.#thread = thread;
  }

  /** Runs once, after a delay. If it fails, the file is left as it is and the next window tries again. */
  schedule(path: string, onDone: () => void): void {
    this.#timer ??= setTimeout(() => void this.run(path).then(onDone, () => undefined), delayMs).unref();
  }

  /** Rejects with the thread's error, for example if the disk is full. */
  async run(path: string): Promise<void> {
    this.#worker = new Worker(this.#thread, { workerData: path, execArgv: [] });
    this.#worker.unref();
    await once(this.#worker, "exit");
  }

  dispose(): void {
    clearTimeout(this.#timer);
    void this.#worker?.terminate();
  }
}
