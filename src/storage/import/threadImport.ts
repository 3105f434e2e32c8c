import { on } from "node:events";
import { Worker } from "node:worker_threads";
import type { ImportedFile } from "./importSources.ts";

/** What the thread sends: the path that it starts with, or a piece of its contents. */
export type ImportNews = { readonly reading: string } | ImportedFile;

/**
 * Reads files and folders in a thread of its own, which ends with the last piece, or when no further one is wanted. A
 * large file comes in several pieces; one that the thread's memory is too small for is refused, and the next one read.
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
  // Fails with the thread's error, such as that it is out of memory.
  const messages: AsyncIterable<readonly ImportNews[]> = on(worker, "message", { close: ["exit"] });
  for await (const told of messages) yield* told;
}
