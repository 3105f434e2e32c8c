import type { SqliteTrouble } from "./sqliteTrouble.ts";

/** One change of the database. It may run again after a transaction that failed, so it must not keep state. */
export type Change = () => void;

/** What a text grew by since it was last written. */
export interface Growth {
  text: string;
  reasoning: string;
}

/** Where the queue writes. */
export interface WriteTarget {
  /** All of it in one transaction, or nothing and an error. */
  write(changes: readonly Change[]): void;
  /** What an error of `write` asks for. */
  trouble(error: unknown): SqliteTrouble;
  /** A change, or all of them for the time being, can't be written. */
  onFailure(error: unknown, isLost: boolean): void;
}

/** Milliseconds between the first change and its transaction: what a kill can lose, with some reserve to 250. */
const writeDelayMs = 150;
/** Milliseconds until the next tries while another window holds the file: the first ones soon, as it seldom does so for long. */
const busyDelaysMs: readonly number[] = [2, 5, 10, 20, 50];
const lastBusyDelayMs = 50;
/** Milliseconds until the next try while the disk refuses. */
const refusedDelayMs = 5_000;

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
    { text, reasoning }: Readonly<Growth>,
    write: (growth: Readonly<Growth>) => void,
  ): void {
    const waiting = this.#growths.get(key);
    if (waiting !== undefined) {
      waiting.text += text;
      waiting.reasoning += reasoning;
      return;
    }
    const growth = { text, reasoning };
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

  /** Writes what waits now. Nothing is thrown: what can't be written stays and is tried again. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#changes.length === 0) return;
    try {
      this.#target.write(this.#changes);
      this.#changes = [];
      this.#growths.clear();
      this.#isRefused = false;
      this.#busyTries = 0;
    } catch (error) {
      this.#handle(error);
    }
  }

  /** Gives up what waits. */
  dispose(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#changes = [];
    this.#growths.clear();
  }

  #handle(error: unknown): void {
    const trouble = this.#target.trouble(error);
    if (trouble === "other") return this.#writeOneByOne();
    if (trouble === "busy") return this.#schedule(busyDelaysMs[this.#busyTries++] ?? lastBusyDelayMs);
    if (!this.#isRefused) this.#target.onFailure(error, false);
    this.#isRefused = true;
    this.#schedule(refusedDelayMs);
  }

  /** One change that can't be written must not hold up the others for ever. */
  #writeOneByOne(): void {
    const changes = this.#changes;
    this.#changes = [];
    this.#growths.clear();
    for (const [index, change] of changes.entries()) {
      try {
        this.#target.write([change]);
      } catch (error) {
        if (this.#target.trouble(error) === "other") {
          this.#target.onFailure(error, true);
          continue;
        }
        this.#changes = changes.slice(index);
        return this.#handle(error);
      }
    }
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.flush();
    }, ms);
  }
}
