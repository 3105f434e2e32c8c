import { sqliteTrouble } from "../database/sqliteTrouble.ts";

/** Milliseconds after a change until its message is made searchable: answers end in several writes. */
const delayMs = 1_000;
/** Milliseconds between two slices of a long list, so that the host has time for everything else. */
const pauseMs = 25;
/** Milliseconds until the next try while another window is at it. */
const busyPauseMs = 250;

/** Milliseconds after which what removed messages have left in the index is taken away: that reads all of it. */
const scrubDelayMs = 30_000;

/** Parts of the work; each returns whether more is to be done. */
export interface IndexingSteps {
  indexSlice(): boolean;
  scrubSome(): boolean;
}

/** Makes messages searchable in the background, a slice at a time, and takes away what removed ones have left. */
export class SearchIndexer {
  readonly #steps: IndexingSteps;
  #timer: NodeJS.Timeout | undefined;
  #scrubTimer: NodeJS.Timeout | undefined;

  constructor(steps: IndexingSteps) {
    this.#steps = steps;
  }

  /** Something may have changed. */
  wake(): void {
    this.#schedule(delayMs);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#scrubTimer);
    this.#timer = undefined;
    this.#scrubTimer = undefined;
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const next = this.#run(() => this.#steps.indexSlice());
      if (next === undefined) this.#scheduleScrub(scrubDelayMs);
      else this.#schedule(next);
    }, ms).unref();
  }

  #scheduleScrub(ms: number): void {
    this.#scrubTimer ??= setTimeout(() => {
      this.#scrubTimer = undefined;
      const next = this.#run(() => this.#steps.scrubSome());
      if (next !== undefined) this.#scheduleScrub(next);
    }, ms).unref();
  }

  /** Returns in how many milliseconds to go on; undefined when nothing is left. */
  #run(step: () => boolean): number | undefined {
    try {
      return step() ? pauseMs : undefined;
    } catch (error) {
      // Trouble with the file shows where it matters; the next change wakes us again.
      return sqliteTrouble(error) === "busy" ? busyPauseMs : undefined;
    }
  }
}
