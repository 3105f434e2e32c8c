import { setTimeout as sleep } from "node:timers/promises";

/** How far ahead of the clock a nonce may be, in seconds: the gateway allows 30 (interface section 5.3). */
const aheadSeconds = 10;

/**
 * The nonces of this process: Unix seconds, but no two requests with one access key have the same one, since a gateway
 * may take the second for a replay. Several requests in one second take the seconds that follow.
 */
export class Nonces {
  readonly #last = new Map<string, number>();

  /**
   * The next nonce for the access key, larger than the one before; undefined where so many were taken that the caller
   * has to wait for the clock.
   * @param nowSeconds The time to sign by. Where it has been set back, it begins again from there.
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
 * The same, waiting for the clock where that is needed. Rejects with the signal's reason.
 * @param nowSeconds Gives the time to sign by.
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
