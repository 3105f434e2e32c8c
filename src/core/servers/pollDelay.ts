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
 * which only a new credential changes. After failures 5 s to 5 min with full jitter, never sooner than the server allows.
 */
export function pollDelay({
  snapshot,
  intervalMs,
  changingForMs,
  random,
}: PollSituation): number | undefined {
  if (!(intervalMs > 0) || snapshot.state === "signedOut") return undefined;
  if (snapshot.error?.reason === "stsToken" || snapshot.error?.reason === "sessionToken") return undefined;
  if (snapshot.failures > 0) return backoff(snapshot, random);
  const isChanging = changingForMs !== undefined && changingForMs < longestFastMs;
  return isChanging ? Math.min(fastMs, intervalMs) : intervalMs;
}

function backoff({ failures, error }: ServerListSnapshot, random: number): number {
  const cap = Math.min(longestBackoffMs, fastMs * 2 ** (failures - 1));
  return Math.max(1_000, Math.round(random * cap), error?.retryAfterMs ?? 0);
}
