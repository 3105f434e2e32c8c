/** Longest delay that a timer takes. */
const maxDelayMs = 2 ** 31 - 1;

/** How time passes, whatever the clock on the wall says. */
export interface TimerPort {
  /** Milliseconds since some moment. */
  monotonic(): number;
  /** Calls `run` once after so many milliseconds; returns what cancels it. */
  schedule(run: () => void, delayMs: number): () => void;
}

const processTime: TimerPort = {
  monotonic: () => performance.now(),
  schedule(run, delayMs) {
    const timer = setTimeout(run, delayMs);
    return () => clearTimeout(timer);
  },
};

/**
 * Fires when there has been no activity for a time. Noting activity costs next to nothing: the timer checks when it is
 * due.
 */
export class IdleTimer {
  readonly #timeoutMs: number;
  readonly #onSilence: () => void;
  readonly #time: TimerPort;
  #lastActivityAt = 0;
  #cancel: () => void = () => undefined;
  #lastLook: NodeJS.Immediate | undefined;

  constructor(timeoutMs: number, onIdle: () => void, time: TimerPort = processTime) {
    this.#timeoutMs = Math.min(Math.max(1, timeoutMs), maxDelayMs);
    this.#onSilence = onIdle;
    this.#time = time;
    this.start();
  }

  /** Something was received. */
  noteActivity(): void {
    this.#lastActivityAt = this.#time.monotonic();
  }

  /** The listening begins (again). */
  start(): void {
    this.stop();
    this.noteActivity();
    this.#wait(this.#timeoutMs);
  }

  stop(): void {
    this.#cancel();
    if (this.#lastLook !== undefined) clearImmediate(this.#lastLook);
    this.#lastLook = undefined;
  }

  #wait(delayMs: number): void {
    this.#cancel = this.#time.schedule(() => this.#look(), delayMs);
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
    return Math.ceil(this.#lastActivityAt + this.#timeoutMs - this.#time.monotonic());
  }
}
