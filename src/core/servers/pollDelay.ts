import type { ServerListSnapshot } from "./serverListState.ts";

const fastMs = 5_000;
/** A change that takes longer is not waited for at the fast pace any more. */
const longestFastMs = 10 * 60_000;
const longestBackoffMs = 5 * 60_000;

export interface PollSituation {
  readonly snapshot: ServerListSnapshot;
  /** What the user set, in milliseconds; 0 turns polling off. */
  readonly intervalMs: number;
  /** How long servers have been starting or stopping, in milliseconds; undefined while none is. */
  readonly changingForMs?: number;
  /** From 0 up to 1. */
  readonly random: number;
}

/**
 * Milliseconds until the next poll; undefined where none is due: polling is off, or nobody is signed in any more,
 * which only a new credential changes. After failures 5 s to 5 min with full jitter, never sooner than without failures or than the server allows.
 */
export function pollDelay({
  snapshot,
  intervalMs,
  changingForMs,
  random,
}: PollSituation): number | undefined {
  if (!(intervalMs > 0) || snapshot.state === "signedOut") return undefined;
  if (snapshot.error?.reason === "stsToken" || snapshot.error?.reason === "sessionToken") return undefined;
  const isChanging = changingForMs !== undefined && changingForMs < longestFastMs;
  const healthyMs = isChanging ? Math.min(fastMs, intervalMs) : intervalMs;
  return snapshot.failures > 0 ? backoff(snapshot, healthyMs, random) : healthyMs;
}

/** A gateway that fails must not be asked more often than one that doesn't. */
function backoff({ failures, error }: ServerListSnapshot, healthyMs: number, random: number): number {
  const cap = Math.min(longestBackoffMs, fastMs * 2 ** (failures - 1));
  return Math.max(healthyMs, Math.round(random * cap), error?.retryAfterMs ?? 0);
}
