/** Milliseconds between a removal and cleaning up, which also covers anything removed in the meantime. */
const delayMs = 2_000;
/** Milliseconds between two parts of the work, so that the host has time for everything else. */
const pauseMs = 5;
/** Milliseconds until the next attempt if another window is busy with the file, or the disk fails. */
const retryMs = 1_000;

/**
 * One of the cleaner's steps. Takes a few milliseconds and throws SQLite's errors. Returns whether it isn't finished.
 * - `more` it can continue now.
 * - `waiting` another process has to do something first, such as to end reading.
 */
type CleaningStep = () => "more" | "waiting" | "done";

/**
 * Removes the remains of deleted and replaced texts in the background, a part at a time. Whatever is still to be done is
 * stored, so that it is continued after the end of the process.
 */
export class StorageCleaner {
  readonly #steps: readonly CleaningStep[];
  #timer: NodeJS.Timeout | undefined;
  /** When the timer is due, by the clock of the process. */
  #due = Number.POSITIVE_INFINITY;

  /** @param steps In their order. Each runs after the one before it is done. */
  constructor(steps: readonly CleaningStep[]) {
    this.#steps = steps;
  }

  /** Called when something was deleted or replaced. */
  note(): void {
    this.#schedule(delayMs);
  }

  /** Works for at most this many milliseconds. Called when VS Code exits. */
  finish(budgetMs: number): void {
    const end = performance.now() + budgetMs;
    this.dispose();
    while (this.#run() === "more" && performance.now() < end);
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
      const outcome = this.#run();
      if (outcome !== "done") this.#schedule(outcome === "more" ? pauseMs : retryMs);
    }, ms).unref();
  }

  #run(): "more" | "waiting" | "done" {
    let outcome: "waiting" | "done" = "done";
    for (const step of this.#steps) {
      try {
        const now = step();
        if (now === "more") return now;
        if (now === "waiting") outcome = now;
      } catch {
        // Either busy, or a problem that will be reported elsewhere.
        outcome = "waiting";
      }
    }
    return outcome;
  }
}
