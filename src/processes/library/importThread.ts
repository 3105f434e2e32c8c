// The thread that reads potentially huge files, so that the caller can continue with other work.
import { once } from "node:events";
import { parentPort, workerData } from "node:worker_threads";
import { importSlices } from "../../core/library/import/imported.ts";
import { readImportSources } from "./importSources.ts";
import type { ImportedFile, ImportNews } from "./importSources.ts";

const paths: readonly unknown[] = Array.isArray(workerData) ? workerData : [];

void readAll();

/** An error ends the thread, which the host then reports. */
async function readAll(): Promise<void> {
  for (const path of paths) {
    if (typeof path !== "string") continue;
    await post({ reading: path });
    for await (const file of readImportSources([path])) {
      for (const piece of piecesOf(file)) await post(piece);
    }
  }
}

function* piecesOf(file: ImportedFile): Generator<ImportedFile> {
  if ("problem" in file) yield file;
  else for (const imported of importSlices(file.imported)) yield { path: file.path, imported };
}

/** Continues when a piece has been taken: reading ahead would fill the memory. */
async function post(news: ImportNews): Promise<void> {
  if (parentPort === null) return;
  parentPort.postMessage(news);
  await once(parentPort, "message");
}
