/** Lets something about each key happen only once in a while. */
export class Throttle {
  readonly #restMs: number;
  readonly #now: () => number;
  readonly #lastAt = new Map<string, number>();

  /** `now` gives milliseconds of a clock that is never set back. */
  constructor(restMs: number, now: () => number) {
    this.#restMs = restMs;
    this.#now = now;
  }

  /** True if nothing has happened for long enough. The time then starts over. */
  tryAcquire(key: string): boolean {
    const now = this.#now();
    const last = this.#lastAt.get(key);
    if (last !== undefined && now - last < this.#restMs) return false;
    this.#lastAt.set(key, now);
    return true;
  }
}
