import { on } from "node:events";
import { open, readFile, stat } from "node:fs/promises";
import { Worker } from "node:worker_threads";
import type { ImportProblem } from "../../core/library/import/importTally.ts";
import type { Imported, ImportFile } from "../../core/library/import/imported.ts";
import { parseImportText } from "../../core/library/import/parseImport.ts";
import { decodeText, readImportArchive } from "./importArchive.ts";

/** What was imported from one file, or why nothing was. */
export type ImportedFile = { readonly path: string } & (
  { readonly imported: Imported } | { readonly problem: ImportProblem }
);

/** In bytes. Parsing takes several times as much memory, which is shared with the other extensions. */
const largestFile = 300_000_000;

/** Reads one file at a time. A large archive yields several pieces. */
export async function* readImportSources(paths: readonly string[]): AsyncGenerator<ImportedFile> {
  for (const path of paths) {
    try {
      for await (const result of readSource(path))
        yield typeof result === "string" ? { path, problem: result } : { path, imported: result };
    } catch {
      yield { path, problem: "unreadable" };
    }
  }
}

async function* readSource(path: string): AsyncGenerator<Imported | ImportProblem> {
  const { mtimeMs, size } = await stat(path);
  const file = { modifiedAt: Math.round(mtimeMs) };
  if (await isZip(path)) yield* readImportArchive(path, file);
  else if (size > largestFile) yield "tooLarge";
  else yield parseBytes(await readFile(path), file);
}

async function isZip(path: string): Promise<boolean> {
  const file = await open(path);
  try {
    const { buffer } = await file.read(Buffer.alloc(4), 0, 4, 0);
    return buffer.equals(Buffer.from([0x50, 0x4b, 0x03, 0x04]));
  } finally {
    await file.close();
  }
}

function parseBytes(bytes: Buffer, file: ImportFile): Imported | ImportProblem {
  const text = decodeText(bytes);
  if (text === undefined) return "notText";
  return text.trim() === "" ? "empty" : (parseImportText(text, file) ?? "unknown");
}

/** A message from the thread: the path that it starts to read, or a piece of the contents. */
export type ImportNews = { readonly reading: string } | ImportedFile;

/**
 * Reads files in a separate thread, which ends after the last piece or when no more are needed. A large
 * file arrives in several pieces. A file that is too large for the thread's memory is rejected, and the next one is
 * read.
 * @param thread Path of the built `importThread`.
 */
export async function* readImportsInThread(
  thread: string | URL,
  paths: readonly string[],
): AsyncGenerator<ImportedFile> {
  if (paths.length === 0) return;
  const worker = new Worker(thread, { workerData: paths, execArgv: [] });
  let reading = paths[0] ?? "";
  try {
    for await (const news of newsOf(worker)) {
      if ("reading" in news) ({ reading } = news);
      else yield news;
      worker.postMessage("next");
    }
  } catch {
    yield { path: reading, problem: "tooLarge" };
    yield* readImportsInThread(thread, paths.slice(paths.indexOf(reading) + 1));
  } finally {
    await worker.terminate();
  }
}

async function* newsOf(worker: Worker): AsyncGenerator<ImportNews> {
  // Fails with the thread's error, for example when it runs out of memory.
  const messages: AsyncIterable<readonly ImportNews[]> = on(worker, "message", { close: ["exit"] });
  for await (const told of messages) yield* told;
}
