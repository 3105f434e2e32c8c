import { on } from "node:events";
import { Worker } from "node:worker_threads";
import type { ImportedFile } from "./importSources.ts";

/** A message from the thread: the path that it starts to read, or a piece of the contents. */
export type ImportNews = { readonly reading: string } | ImportedFile;

/**
 * Reads files and folders in a separate thread, which ends after the last piece or when no more are needed. A large
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
