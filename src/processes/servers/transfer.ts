import { createHash } from "node:crypto";
import { setTimeout as wait } from "node:timers/promises";
import { t } from "@vscode/l10n";
import { formatNumber } from "../../core/kernel/formatTime.ts";
import { sshProblems } from "../../core/servers/connect/sshSession.ts";
import type { RemotePlace } from "../../core/servers/connect/sshSession.ts";
import { digestScript } from "../../core/servers/files/remoteFiles.ts";
import { SshFailure, streamText } from "./runRemote.ts";

/** What watches a transfer, and cancels it. */
export interface TransferHooks {
  readonly signal: AbortSignal;
  /** @param isPaused Whether the connection is lost, and the transfer waits for the server. */
  onProgress(doneBytes: number, isPaused: boolean): void;
}

/** Where files are on a server during a transfer, and what the folder is called that receives them at first. */
export interface TransferPlace {
  readonly place: RemotePlace;
  /** The server's folder. */
  readonly folder: string;
  /** The same on each attempt, so that a later one continues where an earlier one ended. */
  readonly stage: string;
}

/** Files that are handled at the same time: opening each takes longer than reading or writing it. */
const together = 16;

/** Does the same with each item, with several at a time, and yields the results in the order of the items. */
export async function* inOrder<T, R>(
  items: Iterable<T> | AsyncIterable<T>,
  run: (item: T) => Promise<R>,
): AsyncGenerator<R> {
  const running: Promise<R>[] = [];
  try {
    for await (const item of items) {
      if (running.length === together) for (const first of running.splice(0, 1)) yield await first;
      running.push(run(item));
    }
    for (const each of running) yield await each;
  } finally {
    await Promise.allSettled(running);
  }
}

/** Does the same with each item, with several at a time. */
export async function inParallel<T>(
  items: Iterable<T> | AsyncIterable<T>,
  run: (item: T) => Promise<void>,
): Promise<void> {
  for await (const each of inOrder(items, run)) void each;
}

/** Why not everything got its final name. */
export function notInPlace(count: number): Error {
  return new Error(
    t(
      "Files that weren't put in place, because others with their names have appeared there meanwhile: {0}. Transfer them again to decide about them.",
      formatNumber(count),
    ),
  );
}

/** Milliseconds between two attempts while a server can't be reached. */
const pauses = [1_000, 3_000, 10_000, 30_000] as const;

/** A transfer over all its attempts, which wait while the server can't be reached. */
export abstract class RunningTransfer {
  protected readonly hooks: TransferHooks;
  /** Bytes. */
  protected done = 0;

  constructor(hooks: TransferHooks) {
    this.hooks = hooks;
  }

  /**
   * Repeats the attempt while the connection is lost, however long that takes, until the signal aborts. Resolves with the
   * paths of the files that couldn't be read or written. Rejects if something else went wrong; what has arrived by then is
   * used by the next transfer of the same files.
   */
  async run(): Promise<readonly string[]> {
    for (let failures = 0; ; failures++) {
      try {
        return await this.attempt(() => (failures = 0));
      } catch (error) {
        if (!(error instanceof SshFailure) || sshProblems[error.problem].retries !== true) throw error;
      }
      this.report(true);
      await wait(pauses[Math.min(failures, pauses.length - 1)], undefined, { signal: this.hooks.signal });
    }
  }

  /** @param onReached Called when the server has responded. */
  protected abstract attempt(onReached: () => void): Promise<readonly string[]>;

  protected report(isPaused = false): void {
    this.hooks.onProgress(this.done, isPaused);
  }

  /** Counts what is taken. */
  protected async *count(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    for await (const piece of pieces) {
      yield piece;
      this.done += piece.length;
      this.report();
    }
  }
}

/** Incomplete files below this size are sent again as a whole, because asking for their digest takes longer. */
export const leastPart = 1_000_000;

/** Whether it is worth continuing a file whose first bytes are there: whether they are the same on both sides. */
export async function isSameStart(
  { place, folder }: Pick<TransferPlace, "place" | "folder">,
  path: string,
  {
    length,
    bytes,
    signal,
  }: {
    readonly length: number;
    /** The first bytes of the file here, and perhaps more. */
    bytes(): AsyncIterable<Uint8Array>;
    readonly signal: AbortSignal;
  },
): Promise<boolean> {
  const hash = createHash("sha256");
  let left = length;
  for await (const piece of bytes()) {
    hash.update(piece.subarray(0, left));
    left -= Math.min(left, piece.length);
    if (left === 0) break;
  }
  const { text } = await streamText(place, digestScript(folder, path, length), { signal });
  return left === 0 && text.startsWith(`${hash.digest("hex")} `);
}
