import { chmodSync, closeSync, existsSync, mkdirSync, openSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Makes sure that the file of a database exists and that only its owner may read it and its folder, which is one of
 * ours; SQLite gives its log and the log's index the same mode. A file that exists is never opened here: closing it
 * would release the locks that another connection of this process holds on it.
 */
export function createPrivateFile(path: string): void {
  const folder = dirname(path);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  restrict(folder, 0o700);
  if (existsSync(path)) restrict(path, 0o600);
  else closeSync(openSync(path, "a", 0o600));
}

/** A folder that is shared on purpose, such as that for temporary files, stays as it is. */
const stickyBit = 0o1000;

function restrict(path: string, mode: number): void {
  const current = statSync(path).mode;
  if ((current & 0o077) === 0 || (current & stickyBit) !== 0) return;
  try {
    chmodSync(path, mode);
  } catch {
    // Not every file system knows modes, and what can't be restricted must still work.
  }
}
