import { setTimeout as sleep } from "node:timers/promises";

/** How far ahead of the clock a nonce may be, in seconds: the gateway allows 30 (interface section 5.3). */
const aheadSeconds = 10;

/**
 * The nonces of this window: Unix seconds, but never the same for two requests with one access key, because a gateway
 * may treat the second as a replay. Several requests in one second, such as the pages of a list, use the seconds that
 * follow.
 */
export class Nonces {
  readonly #last = new Map<string, number>();

  /**
   * The next nonce for the access key, larger than the previous one; undefined if so many are taken that the caller has
   * to wait for the clock.
   * @param nowSeconds The time to sign with. If it was set back, nonces continue from there.
   */
  take(accessKey: string, nowSeconds: number): number | undefined {
    const last = this.#last.get(accessKey);
    const isFree = last === undefined || last < nowSeconds || last > nowSeconds + aheadSeconds;
    const nonce = isFree ? nowSeconds : last + 1;
    if (nonce > nowSeconds + aheadSeconds) return undefined;
    this.#last.set(accessKey, nonce);
    return nonce;
  }
}

/** How long to wait for the clock, in milliseconds. */
const stepMs = 1_000;

/**
 * Takes a nonce, after waiting for the clock if needed. Rejects with the signal's reason.
 * @param nowSeconds Returns the time to sign with.
 */
export async function takeNonce(
  nonces: Nonces,
  accessKey: string,
  nowSeconds: () => number,
  signal: AbortSignal,
): Promise<number> {
  for (;;) {
    const nonce = nonces.take(accessKey, nowSeconds());
    if (nonce !== undefined) return nonce;
    await sleep(stepMs, undefined, { signal });
  }
}
