import { hostname } from "node:os";

/** Who writes a streaming message, and when that one was last known to be alive (milliseconds since 1970). */
export interface StreamLease {
  readonly host: string;
  readonly processId: number;
  readonly aliveAt: number;
}

/** A live writer says so this often, deltas or not: a model may think for minutes. In milliseconds. */
export const leaseRenewalMs = 2_000;

/** Longer than any healthy process is silent. */
const leaseMs = 5 * leaseRenewalMs;

export function createLease(now: number): StreamLease {
  return { host: hostname(), processId: process.pid, aliveAt: now };
}

/**
 * Whether the message is still being written. Its process being gone tells so at once, which is what counts when
 * VS Code restarts a killed extension host within seconds; the age tells about other machines that share the folder
 * and about process ids that were given away again.
 */
export function isLeaseAlive(lease: StreamLease, now: number): boolean {
  if (Math.abs(now - lease.aliveAt) > leaseMs) return false;
  return lease.host !== hostname() || isProcessAlive(lease.processId);
}

function isProcessAlive(processId: number): boolean {
  // Zero and negative ids would ask for whole groups of processes.
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM: it is there, but another user's.
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
}
