/** Limits how often something may happen for each key. */
export class Throttle {
  readonly #restMs: number;
  readonly #now: () => number;
  readonly #lastAt = new Map<string, number>();

  /** `now` returns monotonic milliseconds. */
  constructor(restMs: number, now: () => number) {
    this.#restMs = restMs;
    this.#now = now;
  }

  /** True if nothing has happened for long enough, in which case the time starts over. */
  tryAcquire(key: string): boolean {
    const now = this.#now();
    const last = this.#lastAt.get(key);
    if (last !== undefined && now - last < this.#restMs) return false;
    this.#lastAt.set(key, now);
    return true;
  }
}
