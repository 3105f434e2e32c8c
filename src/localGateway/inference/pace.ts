import { setTimeout as wait } from "node:timers/promises";

/** Below this a timer is not worth its while: what falls due in the same moment travels together. */
const shortestWaitMs = 4;

/** Says when the next token is due: the speed of a stream. */
export class Pace {
  readonly #tokensPerSecond: number;
  #start: number | undefined;
  #count = 0;

  /** 0 means as fast as possible. */
  constructor(tokensPerSecond: number) {
    this.#tokensPerSecond = tokensPerSecond;
  }

  /** Milliseconds until the next token may go; 0 where it is due. */
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

  /** A silence between two tokens is not caught up with. */
  restart(): void {
    this.#start = undefined;
    this.#count = 0;
  }
}

/** Waits for `ms`; rejects at once when the signal aborts. `onTick` is called every `tickMs` on the way. */
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
