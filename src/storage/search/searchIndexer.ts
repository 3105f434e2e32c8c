import { sqliteTrouble } from "../database/sqliteTrouble.ts";

/** Milliseconds until a changed message is made searchable, because the end of a response takes several writes. */
const delayMs = 1_000;
/** Milliseconds between two slices of a long list, so that the host has time for everything else. */
const pauseMs = 25;
/** Milliseconds until the next attempt while another window is using the file. */
const busyPauseMs = 250;

/** Milliseconds until the traces of removed messages are removed from the index, which requires reading all of it. */
const scrubDelayMs = 30_000;

/** The parts of the work. Each returns whether there is more to do. */
export interface IndexingSteps {
  indexSlice(): boolean;
  scrubSome(): boolean;
}

/** Makes messages searchable in the background, a slice at a time, and removes the traces of removed ones. */
export class SearchIndexer {
  readonly #steps: IndexingSteps;
  #timer: NodeJS.Timeout | undefined;
  #scrubTimer: NodeJS.Timeout | undefined;

  constructor(steps: IndexingSteps) {
    this.#steps = steps;
  }

  /** Called when something may have changed. */
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

  /** Returns the milliseconds until the next step; undefined if there is nothing left to do. */
  #run(step: () => boolean): number | undefined {
    try {
      return step() ? pauseMs : undefined;
    } catch (error) {
      // Problems with the file are reported elsewhere. The next change resumes the work.
      return sqliteTrouble(error) === "busy" ? busyPauseMs : undefined;
    }
  }
}
