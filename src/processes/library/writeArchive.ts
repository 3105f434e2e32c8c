import { randomUUID } from "node:crypto";
import { createWriteStream } from "node:fs";
import { Readable } from "node:stream";
import { finished, pipeline } from "node:stream/promises";
import { ZipFile } from "yazl";
import { removeFile, renameFile } from "../../storage/files/heldFile.ts";

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
  const zip = new ZipFile();
  // The error of a conversation is reported where it is waited for.
  zip.on("error", () => undefined);
  const written = pipeline(zip.outputStream, file, { signal });
  // Reported below, where it is waited for.
  written.catch(() => undefined);
  try {
    let count = 0;
    for await (const texts of conversations) {
      const content = Readable.from(bytesOf(texts));
      // The import expects conversations in files with such names, so it counts those that are damaged.
      zip.addReadStream(content, `conversations-${String(++count).padStart(5, "0")}.json`);
      await Promise.race([finished(content), written]);
    }
    zip.end();
    await written;
    renameFile(part, path);
    return true;
  } catch (error) {
    zip.outputStream.destroy();
    file.destroy();
    // Windows can't remove it while it is open.
    if (!file.closed) await new Promise<void>((resolve) => file.once("close", resolve));
    removeFile(part);
    if (signal.aborted) return false;
    throw error;
  }
}

function* bytesOf(texts: Iterable<string>): Generator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}
