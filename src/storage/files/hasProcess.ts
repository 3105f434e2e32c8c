import { readFileSync } from "node:fs";
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

/**
 * When the process was started, which distinguishes it from others that get its ID later. Empty if there is no such
 * process, or if the system doesn't tell.
 */
export function processStart(processId: number): string {
  try {
    const stat = readFileSync(`/proc/${processId}/stat`, "utf8");
    // The name, in parentheses, may contain anything. The state is the first field after it, the start time the
    // twentieth.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return fields[0] === "Z" || fields[0] === "X" ? "" : (fields[19] ?? "");
  } catch {
    return "";
  }
}
