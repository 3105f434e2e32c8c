/** Maximum delay that a timer supports. */
const maxDelayMs = 2 ** 31 - 1;

/** The passage of time, independent of the system clock. */
export interface TimerPort {
  /** Monotonic milliseconds since some point in time. */
  monotonic(): number;
  /** Calls `run` once after this many milliseconds; returns a function that cancels it. */
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
 * Fires after a period without activity. Recording activity costs next to nothing, because the timer checks only when
 * it is due.
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

  /** Starts or restarts the timer. */
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

  /**
   * After the machine slept or the process was busy, received data may still be waiting, so one more turn of the event
   * loop is allowed.
   */
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
