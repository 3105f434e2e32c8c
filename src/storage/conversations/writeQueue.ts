import type { MessageDelta } from "../../core/conversation/conversation.ts";
import type { SqliteTrouble } from "../database/sqliteTrouble.ts";

/** One change to the database. It may run again after a failed transaction, so it must not keep state. */
export type Change = () => void;

/** The text added since the last write. */
export interface Growth {
  text: string;
  reasoning: string;
  /** The growth count that includes this text. */
  count: number;
}

/** The target of the queue's writes. */
interface WriteTarget {
  /**
   * Writes all changes in one transaction; otherwise writes nothing and throws.
   * @param isSynced Whether the changes must survive a power failure, not just the end of the process.
   */
  write(changes: readonly Change[], isSynced: boolean): void;
  /** Classifies an error of `write`. */
  trouble(error: unknown): SqliteTrouble;
  /** Called if one change, or for now all of them, can't be written. */
  onFailure(error: unknown, isLost: boolean): void;
  /** Called when changes that couldn't be written have been written. */
  onRecovery(): void;
  /** Called after every successful write. @param isAll Whether everything that was added so far has been written. */
  onWritten?(isAll: boolean): void;
}

/** How pending growth is written, and how it is kept until then. */
export interface GrowthTarget {
  /** Writes all of the growth. Runs inside a transaction. */
  write(growth: Readonly<Growth>): void;
  /** Puts the new part of the growth in the journal. Returns false if it must be written to the database now. */
  keep(growth: Readonly<Growth>): boolean;
}

interface PendingGrowth {
  readonly growth: Growth;
  /** Writes it. */
  readonly change: Change;
  /** Whether a later change writes everything that the growth is a part of. */
  isCovered: boolean;
  readonly target: GrowthTarget;
}

/**
 * Milliseconds between the first change and its transaction. This is what can be lost if the process is killed; the
 * limit is 250. Every transaction writes some whole pages, however little it changes, so more of them cost more.
 */
const writeDelayMs = 200;
/**
 * Milliseconds for which growth is only kept in the journal, which other windows read as well. Most responses end
 * before that, and their text is then written to the database only once.
 */
const keptGrowthMs = 30_000;
/**
 * Milliseconds until each of the next attempts while another window locks the file. The first are short because locks
 * are seldom held for long.
 */
const busyDelaysMs: readonly number[] = [2, 5, 10, 20, 50];
const lastBusyDelayMs = 50;
/** Milliseconds until the next attempt while the disk refuses writes. */
const refusedDelayMs = 5_000;

/**
 * How often the final changes are attempted while another window locks the file, and the milliseconds between attempts.
 */
const lastWrites = 60;
const lastWritePauseMs = 25;

/** Database changes, written together in one transaction shortly after the first of them. */
export class WriteQueue {
  readonly #target: WriteTarget;
  #changes: Change[] = [];
  /** Pending growth by message: later text is added to it instead of becoming a separate row. */
  #growths = new Map<string, PendingGrowth>();
  #timer: NodeJS.Timeout | undefined;
  /** Writes growth that is in the journal. */
  #growthTimer: NodeJS.Timeout | undefined;
  #isRefused = false;
  /** Whether each change is written in a transaction of its own. */
  #isOneByOne = false;
  /** Number of consecutive attempts at which the file was busy. */
  #busyTries = 0;
  /** Callbacks waiting until everything in the queue is on disk. */
  #waiting: ((isWritten: boolean) => void)[] = [];

  constructor(target: WriteTarget) {
    this.#target = target;
  }

  get isEmpty(): boolean {
    return this.#changes.length === 0;
  }

  /** Whether nothing but growth is pending, which is in the journal or will be in time. */
  get hasOnlyGrowth(): boolean {
    return this.#changes.length === this.#growths.size && this.#waiting.length === 0;
  }

  add(change: Change): void {
    this.#changes.push(change);
    this.#schedule(writeDelayMs);
  }

  /** Writes the change, which depends on no other, without the growth that is in the journal. */
  addApart(change: Change): void {
    if (this.hasOnlyGrowth && this.#busyTries === 0 && !this.#isRefused) {
      try {
        this.#target.write([change], false);
        return;
      } catch {
        // It is tried again with everything else.
      }
    }
    this.add(change);
  }

  /**
   * Appends to the growth pending under this key. Called for every token, so it creates as little as possible.
   * @param count The growth count that includes this delta.
   * @param createTarget Returns what is called with all of the growth.
   */
  addGrowth(key: string, delta: MessageDelta, count: number, createTarget: () => GrowthTarget): void {
    const { growth } = this.#growths.get(key) ?? this.#beginGrowth(key, createTarget());
    if (delta.kind === "text") growth.text += delta.text;
    else growth.reasoning += delta.text;
    growth.count = count;
    this.#schedule(writeDelayMs);
  }

  #beginGrowth(key: string, target: GrowthTarget): PendingGrowth {
    const growth: Growth = { text: "", reasoning: "", count: 0 };
    const change = (): void => {
      if (!pending.isCovered || this.#isOneByOne) target.write(growth);
    };
    const pending: PendingGrowth = { growth, change, target, isCovered: false };
    this.#growths.set(key, pending);
    this.#changes.push(change);
    return pending;
  }

  /**
   * Orders any further growth under this key after all changes added so far. These must replace or remove what grows:
   * where growth belongs is counted from what was written last.
   */
  endGrowth(key: string): void {
    this.#growths.delete(key);
  }

  /**
   * Called instead of `endGrowth` before a change that writes everything that the growth is a part of. The growth is
   * written only if that change may fail alone.
   */
  coverGrowth(key: string): void {
    const pending = this.#growths.get(key);
    if (pending !== undefined) pending.isCovered = true;
    this.#growths.delete(key);
  }

  /**
   * Writes what is pending now, or as soon as another window releases the file. Resolves with true once it would
   * survive a power failure, and with false if it can't be written, at least for now.
   */
  persist(): Promise<boolean> {
    const written = new Promise<boolean>((resolve) => this.#waiting.push(resolve));
    this.flush();
    return written;
  }

  /** Writes what is pending now. Never throws: what can't be written is kept and retried. */
  flush(): void {
    this.#clearTimers();
    // Changes that have already been written may still have to be synced.
    if (this.#changes.length === 0 && this.#waiting.length === 0) return;
    try {
      this.#target.write(this.#changes, this.#waiting.length > 0);
      this.#changes = [];
      this.#growths.clear();
    } catch (error) {
      return this.#handle(error);
    }
    this.#finish(true);
  }

  /** Called when VS Code exits: anything that another window keeps us from writing now would be lost. */
  flushLast(): void {
    this.flush();
    for (let tries = lastWrites; tries > 0 && !this.isEmpty; tries--) {
      sleep(lastWritePauseMs);
      this.flush();
    }
  }

  /** Discards what is pending. */
  dispose(): void {
    this.#clearTimers();
    this.#changes = [];
    this.#growths.clear();
    this.#answer(false);
  }

  /** Nothing is pending any more. */
  #finish(isWritten: boolean): void {
    if (this.#isRefused) this.#target.onRecovery();
    this.#isRefused = false;
    this.#busyTries = 0;
    this.#target.onWritten?.(true);
    this.#answer(isWritten);
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

  /** A single change that can't be written must not block the others forever. */
  #writeOneByOne(): void {
    this.#isOneByOne = true;
    try {
      this.#writeEach();
    } finally {
      this.#isOneByOne = false;
    }
  }

  #writeEach(): void {
    let isLost = false;
    for (let [change] = this.#changes; change !== undefined; [change] = this.#changes) {
      try {
        this.#target.write([change], this.#waiting.length > 0);
      } catch (error) {
        // What is left stays as it was: growth that arrives meanwhile is added to growth that waits.
        if (this.#target.trouble(error) !== "other") return this.#handle(error);
        this.#remove(change);
        this.#target.onFailure(error, true);
        isLost = true;
        continue;
      }
      this.#remove(change);
      // Further growth of the same message begins after what has just been written.
      this.#target.onWritten?.(false);
    }
    this.#finish(!isLost);
  }

  /** The change is written, or never will be. */
  #remove(change: Change): void {
    this.#changes.shift();
    for (const [key, pending] of this.#growths) if (pending.change === change) this.#growths.delete(key);
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      if (this.#keepGrowths()) this.#growthTimer ??= setTimeout(() => this.flush(), keptGrowthMs);
      else this.flush();
    }, ms);
  }

  /** Puts everything that is pending in the journal, if that is possible. */
  #keepGrowths(): boolean {
    if (!this.hasOnlyGrowth || this.#busyTries > 0 || this.#isRefused) return false;
    return [...this.#growths.values()].every(({ growth, target }) => target.keep(growth));
  }

  #clearTimers(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#growthTimer);
    this.#timer = undefined;
    this.#growthTimer = undefined;
  }
}

/**
 * Blocks this thread. Only use it for a few milliseconds in which nothing else could be done, or while VS Code exits.
 */
export function sleep(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms);
}
