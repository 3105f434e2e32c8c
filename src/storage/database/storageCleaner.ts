import { once } from "node:events";
import { Worker } from "node:worker_threads";
/** What the cleaner has done; each step takes a few milliseconds and throws what SQLite throws. */
export interface CleaningSteps {
  /** Permanently removes a part of what was marked for it. Returns whether more is left. */
  purgeSome(): boolean;
  /** Empties the write-ahead log; returns whether that worked: another window may be reading from it. */
  truncateLog(): boolean;
}

/** Milliseconds from a removal until the log is emptied: what is removed in the meantime goes with it. */
const truncateDelayMs = 2_000;
/** The same for what was replaced by something that hardly differs, such as a response by its last form. */
const replacedDelayMs = 10_000;
/** Milliseconds between two parts of what is removed, so that the host has time for everything else. */
const partPauseMs = 25;
/** Milliseconds until the next try where another window is at it, or the disk fails. */
const retryMs = 5_000;

/** Takes away what is left of deleted and replaced texts: a part at a time, in the background. */
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

  /** Conversations were marked for permanent removal. */
  purge(): void {
    this.#mayPurge = true;
    this.#schedule(partPauseMs);
  }

  /** Something was deleted or replaced: the file has it no longer, but the log still does. */
  noteRemoval(): void {
    this.#isLogOutdated = true;
    this.#schedule(truncateDelayMs);
  }

  /** Something was replaced in passing. */
  noteReplacement(): void {
    this.#isLogOutdated = true;
    this.#schedule(replacedDelayMs);
  }

  /** Removes what was given up, for so long (milliseconds) at most, and empties the log; VS Code ends. */
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

  /** The earliest time counts. */
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
      // Busy, or in trouble that shows where it matters.
    }
    if (this.#mayPurge || this.#isLogOutdated) this.#schedule(retryMs);
  }
}

/** Milliseconds after opening: the first conversation is shown, and nothing waits for this. */
const delayMs = 20_000;

/** Rewrites a file from before deleted data was overwritten, so that nothing of what was deleted is left in it. */
export class Vacuum {
  readonly #thread: string | URL;
  #timer: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;

  /** @param thread Path of the built `vacuumThread`. */
  constructor(thread: string | URL) {
    this.#thread = thread;
  }

  /** Runs once, later; a failure leaves the file as it is, and the next window tries it again. */
  schedule(path: string, onDone: () => void): void {
    this.#timer ??= setTimeout(() => void this.run(path).then(onDone, () => undefined), delayMs).unref();
  }

  /** Rejects with the thread's error, such as that the disk is full. */
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
