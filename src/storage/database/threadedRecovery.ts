import { t } from "@vscode/l10n";
import { utimesSync } from "node:fs";
import { Worker } from "node:worker_threads";
import { isRecord } from "../../core/kernel/json.ts";
import type { Recovery } from "./recovery.ts";
import { BusyError } from "./sqliteTrouble.ts";

/** Milliseconds between two signs that the recovery is still running. */
const signMs = 5_000;

/** Recovers a damaged file in a thread, so that the extension host stays responsive. */
export class ThreadedRecovery {
  readonly #thread: string | URL;
  #worker: Worker | undefined;
  /** Why the last attempt failed, until somebody has been told. */
  #failure: unknown;

  /** @param thread Path of the built `recoveryThread`. */
  constructor(thread: string | URL) {
    this.#thread = thread;
  }

  get isRunning(): boolean {
    return this.#worker !== undefined;
  }

  /**
   * Starts the recovery unless it is running, and throws a BusyError: the file can be opened later. Throws the error of
   * the last attempt if it failed.
   * @param mark The file that keeps other windows from recovering at the same time.
   */
  start(path: string, damagedId: string, mark: string, onRecovery: (recovery: Recovery) => void): never {
    const failure = this.#failure;
    this.#failure = undefined;
    if (failure !== undefined) throw failure;
    if (this.#worker === undefined) this.#run({ path, damagedId }, mark, onRecovery);
    throw new BusyError(t("the damaged file is being recovered"));
  }

  #run(
    task: { readonly path: string; readonly damagedId: string },
    mark: string,
    onRecovery: (recovery: Recovery) => void,
  ): void {
    const worker = new Worker(this.#thread, { workerData: task, execArgv: [] });
    const timer = setInterval(() => touch(mark), signMs);
    this.#worker = worker;
    worker.on("message", (message: unknown) => {
      const recovery = parseRecovery(message);
      if (recovery !== undefined) onRecovery(recovery);
    });
    worker.on("error", (error) => (this.#failure = error));
    worker.on("exit", () => {
      clearInterval(timer);
      this.#worker = undefined;
    });
  }
}

function parseRecovery(value: unknown): Recovery | undefined {
  if (!isRecord(value)) return undefined;
  const { aside, count, isLost } = value;
  return typeof aside === "string" && typeof count === "number" && typeof isLost === "boolean"
    ? { aside, count, isLost }
    : undefined;
}

function touch(mark: string): void {
  const now = new Date();
  try {
    utimesSync(mark, now, now);
  } catch {
    // The thread has just finished.
  }
}
