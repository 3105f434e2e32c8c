import type { SqliteTrouble } from "../database/sqliteTrouble.ts";

/** One change of the database. It may run again after a transaction that failed, so it must not keep state. */
export type Change = () => void;

/** What a text grew by since it was last written. */
export interface Growth {
  text: string;
  reasoning: string;
  /** How many times the text had grown with the last of it. */
  count: number;
}

/** Where the queue writes. */
export interface WriteTarget {
  /**
   * All of it in one transaction, or nothing and an error.
   * @param isSynced Whether it has to survive a failure of power, not just the end of the process.
   */
  write(changes: readonly Change[], isSynced: boolean): void;
  /** What an error of `write` asks for. */
  trouble(error: unknown): SqliteTrouble;
  /** A change, or all of them for the time being, can't be written. */
  onFailure(error: unknown, isLost: boolean): void;
  /** What could not be written for the time being is written. */
  onRecovery(): void;
}

/** Milliseconds between the first change and its transaction: what a kill can lose, with some reserve to 250. */
const writeDelayMs = 150;
/** Milliseconds until the next tries while another window holds the file: the first ones soon, as it seldom does so for long. */
const busyDelaysMs: readonly number[] = [2, 5, 10, 20, 50];
const lastBusyDelayMs = 50;
/** Milliseconds until the next try while the disk refuses. */
const refusedDelayMs = 5_000;

/** How often the last changes are tried while another window holds the file, and milliseconds in between. */
const lastWrites = 60;
const lastWritePauseMs = 25;

/** Changes of the database, written together in one transaction a moment after the first of them. */
export class WriteQueue {
  readonly #target: WriteTarget;
  #changes: Change[] = [];
  /** The growths that wait in the queue, by message: later text joins them instead of becoming a row of its own. */
  #growths = new Map<string, Growth>();
  #timer: NodeJS.Timeout | undefined;
  #isRefused = false;
  /** Tries in a row that found the file busy. */
  #busyTries = 0;
  /** Who waits until all that is in the queue is on disk. */
  #waiting: ((isWritten: boolean) => void)[] = [];

  constructor(target: WriteTarget) {
    this.#target = target;
  }

  get isEmpty(): boolean {
    return this.#changes.length === 0;
  }

  add(change: Change): void {
    this.#changes.push(change);
    this.#schedule(writeDelayMs);
  }

  /** Appends to what waits under this key; `write` is called with all that came together. */
  addGrowth(
    key: string,
    { text, reasoning, count }: Readonly<Growth>,
    write: (growth: Readonly<Growth>) => void,
  ): void {
    const waiting = this.#growths.get(key);
    if (waiting !== undefined) {
      waiting.text += text;
      waiting.reasoning += reasoning;
      waiting.count = count;
      return;
    }
    const growth = { text, reasoning, count };
    this.#growths.set(key, growth);
    this.add(() => write(growth));
  }

  /** What grows under this key from now on comes after every change so far. */
  endGrowth(key: string): void {
    this.#growths.delete(key);
  }

  endAllGrowths(): void {
    this.#growths.clear();
  }

  /**
   * Writes what waits now, or as soon as another window lets go of the file. Resolves with true once it would survive a
   * failure of power; with false if it can't be written, or not for now.
   */
  persist(): Promise<boolean> {
    const written = new Promise<boolean>((resolve) => this.#waiting.push(resolve));
    this.flush();
    return written;
  }

  /** Writes what waits now. Nothing is thrown: what can't be written stays and is tried again. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    // What was written already may still have to be synced.
    if (this.#changes.length === 0 && this.#waiting.length === 0) return;
    try {
      this.#target.write(this.#changes, this.#waiting.length > 0);
      this.#changes = [];
      this.#growths.clear();
      if (this.#isRefused) this.#target.onRecovery();
      this.#isRefused = false;
      this.#busyTries = 0;
      this.#answer(true);
    } catch (error) {
      this.#handle(error);
    }
  }

  /** VS Code ends: what another window keeps us from writing now would be lost. */
  flushLast(): void {
    this.flush();
    for (let tries = lastWrites; tries > 0 && !this.isEmpty; tries--) {
      sleep(lastWritePauseMs);
      this.flush();
    }
  }

  /** Gives up what waits. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#changes = [];
    this.#growths.clear();
    this.#answer(false);
  }

  #answer(isWritten: boolean): void {
    for (const resolve of this.#waiting.splice(0)) resolve(isWritten);
  }

  #handle(error: unknown): void {
    const trouble = this.#target.trouble(error);
    if (trouble === "other") return this.#writeOneByOne();
    if (trouble === "busy") return this.#schedule(busyDelaysMs[this.#busyTries++] ?? lastBusyDelayMs);
    if (!this.#isRefused) this.#target.onFailure(error, false);
    this.#isRefused = true;
    this.#answer(false);
    this.#schedule(refusedDelayMs);
  }

  /** One change that can't be written must not hold up the others forever. */
  #writeOneByOne(): void {
    const changes = this.#changes;
    let isLost = false;
    this.#changes = [];
    this.#growths.clear();
    for (const [index, change] of changes.entries()) {
      try {
        this.#target.write([change], this.#waiting.length > 0);
      } catch (error) {
        if (this.#target.trouble(error) === "other") {
          this.#target.onFailure(error, true);
          isLost = true;
          continue;
        }
        this.#changes = changes.slice(index);
        return this.#handle(error);
      }
    }
    this.#answer(!isLost);
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.flush();
    }, ms);
  }
}

/** Blocks this thread: only for a few milliseconds in which nothing else could be done, or while VS Code ends. */
export function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
