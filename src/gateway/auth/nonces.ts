import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { systemCodeOf } from "../../core/kernel/thrown.ts";

/** How far ahead of the clock a nonce may be, in seconds: the gateway allows 30 (interface section 5.3). */
const aheadSeconds = 10;

/** Claims a nonce for all processes on this machine; false if another process has it. */
type ClaimNonce = (accessKey: string, nonce: number) => boolean;

/** Seconds after which a claim is meaningless, because no gateway accepts a nonce that old. */
const claimSeconds = 120;

/**
 * Claims nonces as empty files that only one process can create. If nothing can be written, each process counts
 * separately. The names contain a hash of the access key, never the key.
 */
export function claimNoncesIn(folder: string): ClaimNonce {
  return (accessKey, nonce) => {
    const key = createHash("sha256").update(accessKey).digest("hex").slice(0, 16);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      closeSync(openSync(join(folder, `${key}-${nonce}`), "wx", 0o600));
    } catch (error) {
      return systemCodeOf(error) !== "EEXIST";
    }
    removeOldClaims(folder, nonce);
    return true;
  };
}

function removeOldClaims(folder: string, nonce: number): void {
  for (const name of readdirSync(folder)) {
    const [, claimed] = /^[0-9a-f]{16}-(\d+)$/.exec(name) ?? [];
    // Claims far in the future were made with a clock that has since been set back.
    if (claimed === undefined || Math.abs(Number(claimed) - nonce) <= claimSeconds) continue;
    try {
      unlinkSync(join(folder, name));
    } catch {
      // Another process was faster.
    }
  }
}

/**
 * The nonces of this machine: Unix seconds, but never the same for two requests with one access key, because a gateway
 * may treat the second as a replay. Several requests in one second use the seconds that follow.
 */
export class Nonces {
  readonly #last = new Map<string, number>();
  readonly #claim: ClaimNonce;

  constructor(claim: ClaimNonce = () => true) {
    this.#claim = claim;
  }

  /**
   * The next nonce for the access key, larger than the previous one; undefined if so many are taken that the caller has
   * to wait for the clock.
   * @param nowSeconds The time to sign with. If it was set back, nonces continue from there.
   */
  take(accessKey: string, nowSeconds: number): number | undefined {
    const last = this.#last.get(accessKey);
    const isFree = last === undefined || last < nowSeconds || last > nowSeconds + aheadSeconds;
    for (let nonce = isFree ? nowSeconds : last + 1; nonce <= nowSeconds + aheadSeconds; nonce++) {
      if (!this.#claim(accessKey, nonce)) continue;
      this.#last.set(accessKey, nonce);
      return nonce;
    }
    return undefined;
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
