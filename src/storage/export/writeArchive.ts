import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { pipeline } from "node:stream/promises";
import { removeFile, renameFile } from "../files/heldFile.ts";
import { zipChunks } from "../files/zip.ts";
import type { ZipInput } from "../files/zip.ts";

/**
 * Writes an archive with one file for each conversation, which only its owner can read. It gets its name when it is
 * complete and on disk: if it can't be written, which rejects, or is canceled, whatever had the name before is kept.
 * @param conversations The texts of each. The next one is taken when the one before it is written.
 * @returns False if it was canceled.
 */
export async function writeArchive(
  path: string,
  conversations: AsyncIterable<Iterable<string>>,
  signal: AbortSignal,
): Promise<boolean> {
  const part = `${path}.${randomUUID().slice(0, 8)}.part`;
  const file = createWriteStream(part, { flags: "wx", mode: 0o600, flush: true });
  try {
    await pipeline(zipChunks(filesOf(conversations), new Date()), file, { signal });
    renameFile(part, path);
    return true;
  } catch (error) {
    // Windows can't remove it while it is open.
    if (!file.closed) await new Promise<void>((resolve) => file.once("close", resolve));
    removeFile(part);
    if (signal.aborted) return false;
    throw error;
  }
}

/** Files with a name that the import expects to contain conversations, so that it counts those that are damaged. */
async function* filesOf(conversations: AsyncIterable<Iterable<string>>): AsyncGenerator<ZipInput> {
  let count = 0;
  for await (const texts of conversations) {
    count++;
    yield { name: `conversations-${String(count).padStart(5, "0")}.json`, texts };
  }
}
