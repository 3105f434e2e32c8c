/**
 * Who writes a streaming message. A message left `streaming` is a crash when its writer's process is gone or has
 * been silent for longer than a live one would be.
 */
export interface StreamLease {
  readonly writer: string;
  /** Milliseconds since 1970 of the last write. */
  readonly writtenAt: number;
}

/** A live writer renews its lease this often, deltas or not. */
export const leaseRenewalMs = 5_000;

const leaseMs = 4 * leaseRenewalMs;

/** The name of this process as a writer. `distinction` tells apart what runs in the same process. */
export function writerName(processId: number, distinction: string): string {
  return `${processId}:${distinction}`;
}

export function isLeaseAlive(lease: StreamLease, now: number): boolean {
  const processId = Number(lease.writer.split(":")[0]);
  return now - lease.writtenAt < leaseMs && isProcessAlive(processId);
}

function isProcessAlive(processId: number): boolean {
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, but another user's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
