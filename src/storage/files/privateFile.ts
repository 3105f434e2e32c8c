import { chmodSync, closeSync, existsSync, mkdirSync, mkdtempSync, openSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/**
 * Makes sure that the database file exists and that only its owner can read it, and its folder if it is created here: a
 * folder that was there may belong to others as well. SQLite gives the log and its index the same mode. An existing file is never opened here, because
 * closing it would release the locks that another connection of this process holds on it.
 */
export function createPrivateFile(path: string): void {
  mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
  if (existsSync(path)) restrict(path);
  else closeSync(openSync(path, "a", 0o600));
}

/** Creates a folder for files that are needed for a moment. Only its owner can read what is in it. */
export function createPrivateFolder(): string {
  return mkdtempSync(join(tmpdir(), "inference-gateway-"));
}

/** Whether one of our own files exists. */
export function hasPrivateFile(path: string): boolean {
  return existsSync(path);
}

function restrict(path: string): void {
  if ((statSync(path).mode & 0o077) === 0) return;
  try {
    chmodSync(path, 0o600);
  } catch {
    // Not every file system supports modes, and what can't be restricted must still work.
  }
}
