import { once } from "node:events";
import { Worker } from "node:worker_threads";

/** Milliseconds after opening: the first conversation is shown, and nothing waits for this. */
const delayMs = 20_000;

/** Writes a file from before deletions were overwritten afresh, so that nothing of what was deleted is left in it. */
export class Vacuum {
  readonly #thread: string | URL;
  #timer: NodeJS.Timeout | undefined;
  #worker: Worker | undefined;

  /** @param thread Path of the built `vacuumThread`. */
  constructor(thread: string | URL) {
    this.#thread = thread;
  }

  /** Runs once, later; a failure leaves the file as it is, and the next window tries it again. */
  schedule(path: string, onDone: () => void): void {
    this.#timer ??= setTimeout(() => void this.run(path).then(onDone, () => undefined), delayMs).unref();
  }

  /** Rejects with the thread's error, such as that the disk is full. */
  async run(path: string): Promise<void> {
    this.#worker = new Worker(this.#thread, { workerData: path, execArgv: [] });
    this.#worker.unref();
    await once(this.#worker, "exit");
  }

  dispose(): void {
    clearTimeout(this.#timer);
    void this.#worker?.terminate();
  }
}
