import { t } from "@vscode/l10n";
import { utimesSync } from "node:fs";
import { isRecord, numberField, stringField } from "../../core/kernel/json.ts";
import { formatDate, formatNumber } from "../../core/kernel/formatTime.ts";
import { runStorageThread } from "./runStorageThread.ts";
import { BusyError } from "./sqliteTrouble.ts";

/** Milliseconds between two signs of life of a running recovery. */
const signMs = 5_000;

/** Recovers a damaged file in a thread, so that the extension host stays responsive. */
export class ThreadedRecovery {
  readonly #thread: string | URL;
  #isRunning = false;
  /** Why the last attempt failed, until a caller has received the error. */
  #failure: unknown;

  /** @param thread Path of the built `storageThread`. */
  constructor(thread: string | URL) {
    this.#thread = thread;
  }

  get isRunning(): boolean {
    return this.#isRunning;
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
    if (!this.#isRunning) this.#run({ path, damagedId }, mark, onRecovery);
    throw new BusyError(t("the damaged file is being recovered"));
  }

  #run(
    task: { readonly path: string; readonly damagedId: string },
    mark: string,
    onRecovery: (recovery: Recovery) => void,
  ): void {
    const timer = setInterval(() => touch(mark), signMs);
    this.#isRunning = true;
    void runStorageThread(this.#thread, { name: "recover", ...task })
      .then((result) => {
        const recovery = parseRecovery(result);
        if (recovery !== undefined) onRecovery(recovery);
      })
      .catch((error: unknown) => (this.#failure = error))
      .finally(() => {
        clearInterval(timer);
        this.#isRunning = false;
      });
  }
}

function parseRecovery(value: unknown): Recovery | undefined {
  if (!isRecord(value)) return undefined;
  const { restored } = value;
  const recovered = numberField(value, "recovered");
  const aside = stringField(value, "aside");
  if (recovered === undefined || !Array.isArray(restored)) return undefined;
  return {
    ...(aside === undefined ? {} : { aside }),
    recovered,
    restored: restored.filter(isRecord).map((backup) => ({
      madeAt: numberField(backup, "madeAt") ?? 0,
      count: numberField(backup, "count") ?? 0,
    })),
  };
}

function touch(mark: string): void {
  const now = new Date();
  try {
    utimesSync(mark, now, now);
  } catch {
    // The thread has just finished.
  }
}

/** How a damaged, empty or missing file was replaced. Messages are counted. */
export interface Recovery {
  /** Path of the file that was set aside, without the suffix of its log; undefined if nothing was left of it. */
  readonly aside?: string;
  /** What could be read of the file, or was still open in this window. */
  readonly recovered: number;
  /** What was only in the backups, which are named by when they were made (milliseconds since 1970). */
  readonly restored: readonly { readonly madeAt: number; readonly count: number }[];
  /** Whether another file, with its own messages, had taken the place of the one that was open. */
  readonly isReplaced?: true;
}

/** @param days How long the file that was set aside is kept. */
export function recoverySentence({ aside, recovered, restored, isReplaced }: Recovery, days: number): string {
  const kept = [
    ...(aside === undefined && recovered === 0 ? [] : [recoveredSentence(recovered)]),
    ...restored
      .filter(({ count }) => count > 0)
      .map(({ madeAt, count }) => restoredSentence(count, formatDate(madeAt))),
  ].join(" ");
  if (isReplaced === true)
    return t(
      "The conversation file was replaced by another one while it was in use. {0} messages that were only in the former file have been added to it.",
      formatNumber(recovered),
    );
  return aside === undefined
    ? t("The conversation file was missing or empty, so a new one was created. {0}", kept)
    : t(
        "The conversation file was damaged and has been set aside as {0}. {1} The damaged file is deleted after {2} days, because it may contain content that you delete in the meantime.",
        ...[aside, kept, String(days)],
      );
}

function recoveredSentence(count: number): string {
  if (count === 0) return t("No messages could be recovered from it.");
  return count === 1
    ? t("1 message was recovered from it.")
    : t("{0} messages were recovered from it.", formatNumber(count));
}

function restoredSentence(count: number, madeAt: string): string {
  return count === 1
    ? t("1 message was restored from the backup of {0}.", madeAt)
    : t("{0} messages were restored from the backup of {1}.", formatNumber(count), madeAt);
}
