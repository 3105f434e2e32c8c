import { setTimeout as sleep } from "node:timers/promises";

/** How far ahead of the clock a nonce may be, in seconds: the gateway allows 30 (interface section 5.3). */
const aheadSeconds = 10;

/**
 * The nonces of this window: Unix seconds, but never the same for two requests with the same signed content, because a
 * gateway may treat the second as a replay. A repetition within one second uses the seconds that follow. Requests that
 * differ, such as the pages of a list, share a second.
 */
export class Nonces {
  readonly #last = new Map<string, number>();

  /**
   * The next nonce for the content, larger than the previous one; undefined if so many are taken that the caller has to
   * wait for the clock.
   * @param nowSeconds The time to sign with. If it was set back, nonces continue from there.
   */
  take(content: string, nowSeconds: number): number | undefined {
    const last = this.#last.get(content);
    const isFree = last === undefined || last < nowSeconds || last > nowSeconds + aheadSeconds;
    const nonce = isFree ? nowSeconds : last + 1;
    if (nonce > nowSeconds + aheadSeconds) return undefined;
    for (const [other, taken] of this.#last) if (taken < nowSeconds) this.#last.delete(other);
    this.#last.set(content, nonce);
    return nonce;
  }
}

/** How long to wait for the clock, in milliseconds. */
const stepMs = 1_000;

/**
 * Takes a nonce, after waiting for the clock if needed. Rejects with the signal's reason.
 * @param content What is signed besides the nonce.
 * @param nowSeconds Returns the time to sign with.
 */
export async function takeNonce(
  nonces: Nonces,
  content: string,
  nowSeconds: () => number,
  signal: AbortSignal,
): Promise<number> {
  for (;;) {
    const nonce = nonces.take(content, nowSeconds());
    if (nonce !== undefined) return nonce;
    await sleep(stepMs, undefined, { signal });
  }
}
