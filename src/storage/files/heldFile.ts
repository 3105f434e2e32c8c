import { renameSync, rmSync } from "node:fs";
import { systemCodeOf } from "../../core/kernel/thrown.ts";

/** How the system changes files. Tests replace it. */
interface FileChanges {
  readonly platform: NodeJS.Platform;
  rename(from: string, to: string): void;
  remove(path: string): void;
}

const system: FileChanges = {
  platform: process.platform,
  rename: renameSync,
  remove: (path) => rmSync(path, { force: true }),
};

/** How Windows refuses to replace or remove a file that another program has open. */
const heldCodes: ReadonlySet<string | undefined> = new Set(["EPERM", "EACCES", "EBUSY"]);
/** Milliseconds between two attempts, a second altogether. */
const pausesMs = [5, 15, 30, 50, 100, 200, 300, 300] as const;

/**
 * Renames a file, replacing the one that has the name. On Windows, a virus scanner, a sync client or another window may
 * have either of them open for a moment, so it is tried again for a second. Throws the system's error.
 */
export function renameFile(from: string, to: string, changes = system): void {
  whileHeld(() => changes.rename(from, to), changes);
}

/** Removes a file if it exists, and waits in the same way. Throws the system's error, also for a folder. */
export function removeFile(path: string, changes = system): void {
  whileHeld(() => changes.remove(path), changes);
}

/** Blocks this thread. Only use it for a moment in which nothing else could be done, or while VS Code exits. */
export function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}

function whileHeld(change: () => void, { platform }: FileChanges): void {
  for (const pause of platform === "win32" ? pausesMs : []) {
    try {
      change();
      return;
    } catch (error) {
      if (!heldCodes.has(systemCodeOf(error))) throw error;
      // The callers can't be interrupted between two steps, because another window would see only one of them.
      sleep(pause);
    }
  }
  change();
}
