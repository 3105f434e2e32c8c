import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** Work on the file of the conversations at `path`. */
type StorageTask = { readonly path: string } & (
  | { readonly name: "backUp" | "check" }
  /** @param source The name of the file from which to take over what only it has. */
  | { readonly name: "takeOver"; readonly source: string }
);

/**
 * Runs the task in a thread of its own, and resolves with what it posts. Rejects with its error.
 * @param thread Path of the built `storageThread`.
 */
export async function runStorageThread(thread: string | URL, task: StorageTask): Promise<unknown> {
  const worker = new Worker(thread, { workerData: task, execArgv: [] });
  worker.unref();
  const [result]: readonly unknown[] = await once(worker, "message");
  return result;
}
