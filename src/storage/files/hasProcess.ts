import { systemCodeOf } from "../../core/kernel/thrown.ts";

/** Whether there is a process with this ID, of any user. */
export function hasProcess(processId: number): boolean {
  // Zero and negative IDs would address whole groups of processes.
  if (!Number.isInteger(processId) || processId <= 0) return false;
  try {
    process.kill(processId, 0);
    return true;
  } catch (error) {
    // EPERM: the process exists but belongs to another user.
    return systemCodeOf(error) === "EPERM";
  }
}
