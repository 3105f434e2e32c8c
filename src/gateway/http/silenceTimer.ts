/** Longest delay that a timer takes. */
const maxDelayMs = 2 ** 31 - 1;

/** Tells when nothing has been heard for a time. */
export class SilenceTimer {
  readonly #timeoutMs: number;
  readonly #onSilence: () => void;
  #timer: NodeJS.Timeout | undefined;
  #lastCheck: NodeJS.Immediate | undefined;

  constructor(timeoutMs: number, onSilence: () => void) {
    this.#timeoutMs = Math.min(Math.max(1, timeoutMs), maxDelayMs);
    this.#onSilence = onSilence;
    this.restart();
  }

  /** Something was heard, or the listening begins (again). */
  restart(): void {
    if (this.#lastCheck !== undefined) clearImmediate(this.#lastCheck);
    this.#lastCheck = undefined;
    if (this.#timer === undefined) this.#timer = setTimeout(() => this.#onDue(), this.#timeoutMs);
    else this.#timer.refresh();
  }

  stop(): void {
    if (this.#lastCheck !== undefined) clearImmediate(this.#lastCheck);
    this.#lastCheck = undefined;
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** After the machine slept or the process was busy, what has come already waits to be read: one look before the verdict. */
  #onDue(): void {
    this.#lastCheck = setImmediate(() => {
      this.stop();
      this.#onSilence();
    });
  }
}
