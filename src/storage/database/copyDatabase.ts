import { copyFile, rm } from "node:fs/promises";
import { databaseSuffixes } from "./readableCopy.ts";

/**
 * Copies a database with its logs, which may be in use. Rejects if there is none. No program may have the copy open.
 * @param copy Where to copy it; an older copy there is replaced.
 */
export async function copyDatabase(path: string, copy: string): Promise<void> {
  for (const suffix of databaseSuffixes) {
    await rm(copy + suffix, { force: true });
    // The log's index is only valid for those who have the file open.
    if (suffix === "-shm") continue;
    const copied = copyFile(path + suffix, copy + suffix);
    // Only the database itself is always there.
    await (suffix === "" ? copied : copied.catch(() => undefined));
  }
}
