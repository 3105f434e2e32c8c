import { setTimeout as wait } from "node:timers/promises";

/** Shorter waits aren't worth a timer: tokens due at the same moment are sent together. */
const shortestWaitMs = 4;

/** Calculates when the next token is due, which sets the speed of a stream. */
export class TokenPace {
  readonly #tokensPerSecond: number;
  #start: number | undefined;
  #count = 0;

  /** 0 means as fast as possible. */
  constructor(tokensPerSecond: number) {
    this.#tokensPerSecond = tokensPerSecond;
  }

  /** Milliseconds until the next token may be sent; 0 if it is due. */
  waitMs(): number {
    if (this.#tokensPerSecond === 0) return 0;
    const now = performance.now();
    this.#start ??= now;
    const due = this.#start + (this.#count * 1_000) / this.#tokensPerSecond;
    return due <= now ? 0 : Math.max(due - now, shortestWaitMs);
  }

  countToken(): void {
    this.#count++;
  }

  /** Doesn't catch up after a pause between two tokens. */
  restart(): void {
    this.#start = undefined;
    this.#count = 0;
  }
}

/** Waits for `ms`; rejects at once when the signal aborts. Calls `onTick` every `tickMs` while waiting. */
export async function waitTicking(
  ms: number,
  tickMs: number,
  onTick: () => void,
  signal: AbortSignal,
): Promise<void> {
  let left = ms;
  while (left > tickMs) {
    await wait(tickMs, undefined, { signal });
    left -= tickMs;
    onTick();
  }
  await wait(left, undefined, { signal });
}
