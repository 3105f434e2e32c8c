import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes sure that the database file exists and that only its owner can read it and its folder, unless that is one of
 * the user's own. SQLite gives the log and its index the same mode. An existing file is never opened here, because
 * closing it would release the locks that another connection of this process holds on it.
 */
export function createPrivateFile(path: string, isOwnFolder = true): void {
  const folder = dirname(path);
  if (isOwnFolder) {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    restrict(folder, 0o700);
  }
  if (existsSync(path)) restrict(path, 0o600);
  else closeSync(openSync(path, "a", 0o600));
}

/** Whether one of our own files exists. */
export function hasPrivateFile(path: string): boolean {
  return existsSync(path);
}

/** A folder that is shared on purpose, such as the one for temporary files, is left unchanged. */
const stickyBit = 0o1000;

function restrict(path: string, mode: number): void {
  const current = statSync(path).mode;
  if ((current & 0o077) === 0 || (current & stickyBit) !== 0) return;
  try {
    chmodSync(path, mode);
  } catch {
    // Not every file system supports modes, and what can't be restricted must still work.
  }
}
