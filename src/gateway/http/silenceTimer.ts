/** Longest delay that a timer takes. */
const maxDelayMs = 2 ** 31 - 1;

/** Tells when nothing has been heard for a time. Being heard costs next to nothing: the timer looks back when it is due. */
export class SilenceTimer {
  readonly #timeoutMs: number;
  readonly #onSilence: () => void;
  #heardAt = performance.now();
  #timer: NodeJS.Timeout | undefined;
  #lastLook: NodeJS.Immediate | undefined;

  constructor(timeoutMs: number, onSilence: () => void) {
    this.#timeoutMs = Math.min(Math.max(1, timeoutMs), maxDelayMs);
    this.#onSilence = onSilence;
    this.start();
  }

  /** Something was heard. */
  hear(): void {
    this.#heardAt = performance.now();
  }

  /** The listening begins (again). */
  start(): void {
    this.stop();
    this.hear();
    this.#wait(this.#timeoutMs);
  }

  stop(): void {
    clearTimeout(this.#timer);
    if (this.#lastLook !== undefined) clearImmediate(this.#lastLook);
    this.#lastLook = undefined;
  }

  #wait(delayMs: number): void {
    this.#timer = setTimeout(() => this.#look(), delayMs);
  }

  /** After the machine slept or the process was busy, what has come waits to be read: one turn before the verdict. */
  #look(): void {
    const dueMs = this.#dueMs();
    if (dueMs > 0) return this.#wait(dueMs);
    this.#lastLook = setImmediate(() => {
      this.#lastLook = undefined;
      const stillDueMs = this.#dueMs();
      if (stillDueMs > 0) this.#wait(stillDueMs);
      else this.#onSilence();
    });
  }

  #dueMs(): number {
    return Math.ceil(this.#heardAt + this.#timeoutMs - performance.now());
  }
}
