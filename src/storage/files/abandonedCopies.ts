import { readdir, rm, stat } from "node:fs/promises";
import { join } from "node:path";

/** The start of the names of our folders for copies of files, each of which is deleted when its use is over. */
export const copiesPrefix = "copies-";
/** Copies that were made this many milliseconds ago belong to a window that was killed. */
const longestUseMs = 6 * 3_600_000;

/**
 * Deletes the copies of windows that were killed.
 * @param storagePath The folder that contains them.
 * @param now Milliseconds since 1970.
 */
export async function removeAbandonedCopies(storagePath: string, now: number): Promise<void> {
  const names = await readdir(storagePath).catch(() => []);
  for (const name of names.filter((each) => each.startsWith(copiesPrefix))) {
    const path = join(storagePath, name);
    const { mtimeMs = now } = await stat(path).catch(() => ({ mtimeMs: undefined }));
    if (now - mtimeMs > longestUseMs) await rm(path, { recursive: true, force: true }).catch(() => undefined);
  }
}
