import { sqliteTrouble } from "../sqliteTrouble.ts";

/** Milliseconds after a change until its message is made searchable: answers end in several writes. */
const delayMs = 1_000;
/** Milliseconds between two slices of a long list, so that the host has time for everything else. */
const pauseMs = 25;
/** Milliseconds until the next try while another window is at it. */
const busyPauseMs = 250;

/** Makes messages searchable in the background, a slice at a time. */
export class SearchIndexer {
  /** Returns whether more is to be done. */
  readonly #runSlice: () => boolean;
  #timer: NodeJS.Timeout | undefined;

  constructor(runSlice: () => boolean) {
    this.#runSlice = runSlice;
  }

  /** Something may have changed. */
  wake(): void {
    this.#schedule(delayMs);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#run()) this.#schedule(pauseMs);
    }, ms).unref();
  }

  #run(): boolean {
    try {
      return this.#runSlice();
    } catch (error) {
      // Trouble with the file shows where it matters; the next change wakes us again.
      if (sqliteTrouble(error) !== "busy") return false;
      this.#schedule(busyPauseMs);
      return false;
    }
  }
}
