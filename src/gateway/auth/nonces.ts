import { createHash } from "node:crypto";
import { closeSync, mkdirSync, openSync, readdirSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** How far ahead of the clock a nonce may be, in seconds: the gateway allows 30 (interface section 5.3). */
const aheadSeconds = 10;

/** Takes a nonce for all processes of this machine; false where another one has it. */
export type ClaimNonce = (accessKey: string, nonce: number) => boolean;

/** Seconds after which a claim says nothing any more: no gateway takes a nonce that is older. */
const claimSeconds = 120;

/**
 * Claims nonces as empty files that only one process can create. Where nothing can be written, each process counts for
 * itself. The names hold a hash of the access key, never the key.
 */
export function claimNoncesIn(folder: string): ClaimNonce {
  return (accessKey, nonce) => {
    const key = createHash("sha256").update(accessKey).digest("hex").slice(0, 16);
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      closeSync(openSync(join(folder, `${key}-${nonce}`), "wx", 0o600));
    } catch (error) {
      return !(error instanceof Error && "code" in error && error.code === "EEXIST");
    }
    removeOldClaims(folder, nonce);
    return true;
  };
}

function removeOldClaims(folder: string, nonce: number): void {
  for (const name of readdirSync(folder)) {
    const [, claimed] = /^[0-9a-f]{16}-(\d+)$/.exec(name) ?? [];
    // Claims far ahead were made by a clock that has since been set back.
    if (claimed === undefined || Math.abs(Number(claimed) - nonce) <= claimSeconds) continue;
    try {
      unlinkSync(join(folder, name));
    } catch {
      // Another process was faster.
    }
  }
}

/**
 * The nonces of this machine: Unix seconds, but no two requests with one access key have the same one, since a gateway
 * may take the second for a replay. Several requests in one second take the seconds that follow.
 */
export class Nonces {
  readonly #last = new Map<string, number>();
  readonly #claim: ClaimNonce;

  constructor(claim: ClaimNonce = () => true) {
    this.#claim = claim;
  }

  /**
   * The next nonce for the access key, larger than the one before; undefined where so many were taken that the caller
   * has to wait for the clock.
   * @param nowSeconds The time to sign by. Where it has been set back, it begins again from there.
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
