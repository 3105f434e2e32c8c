import { randomUUID } from "node:crypto";
import {
  closeSync,
  existsSync,
  ftruncateSync,
  openSync,
  readFileSync,
  readdirSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { isRecord, numberField, stringField } from "../../core/kernel/json.ts";
import { classifyWriter, createLease, isForgotten } from "../database/streamLease.ts";
import { GrowthFormat, formatOwner, largestJournal, parseJournal } from "./growthFormat.ts";
import type { JournaledGrowth } from "./growthFormat.ts";

/** How the names of a database's journals begin. */
export function journalPrefix(database: string): string {
  return `${basename(database)}.growth-`;
}

/** The journal of another window. */
interface OtherJournal {
  readonly path: string;
  /** Whether its window no longer exists, so that no one else will write its growth to the database. */
  readonly isLeft: boolean;
  readonly growths: readonly JournaledGrowth[];
  /** Its current state, because its window may have written all of it to the database and replaced the message. */
  readAgain(): readonly JournaledGrowth[];
}

/**
 * Milliseconds after which growth can't belong to an active window, because an active window adds to its journal or
 * writes it to the database more often. If the machine was only asleep, the window continues with a new journal.
 */
const abandonedMs = 60_000;
/** Milliseconds after which a journal without a readable owner can't belong to a window that is still creating it. */
const createdWithinMs = 10_000;

/**
 * Keeps what streaming messages have grown by until it is written to the database in larger pieces, because every
 * transaction writes several whole pages, however little it changes. It is one file for each window next to the
 * database. Any window may write the pieces of any journal to the database, any number of times: each says where it
 * begins.
 */
export class GrowthJournal {
  readonly #folder: string;
  readonly #prefix: string;
  readonly #name: string;
  readonly #now: () => number;
  #file: number | undefined;
  /** Length of the first line. */
  #start = 0;
  /** The position after the last piece. */
  #end = 0;
  #isBroken = false;
  readonly #format = new GrowthFormat();

  /**
   * @param database The path of the database.
   * @param now Milliseconds since 1970.
   */
  constructor(database: string, now: () => number) {
    this.#folder = dirname(database);
    this.#prefix = journalPrefix(database);
    this.#name = `${this.#prefix}${randomUUID()}`;
    this.#now = now;
  }

  /** Adds a piece, which then survives the end of the process. Returns false if that is impossible. */
  append(growth: JournaledGrowth): boolean {
    if (this.#isBroken || this.#end > largestJournal / 2 || this.#isRemoved()) return false;
    try {
      this.#file ??= this.#create();
      this.#end += this.#write(this.#file, this.#format.format(growth));
      return true;
    } catch {
      // The pieces are written to the database instead, which reports any trouble with the disk.
      this.#isBroken = true;
      return false;
    }
  }

  /** Whether another window has mistaken this one for dead. What was added must then be written to the database. */
  #isRemoved(): boolean {
    if (this.#file === undefined || existsSync(join(this.#folder, this.#name))) return false;
    closeSync(this.#file);
    this.#file = undefined;
    this.#end = 0;
    this.#format.restart();
    return true;
  }

  /** Everything that was added is now in the database. */
  clear(): void {
    if (this.#file === undefined || this.#end === this.#start) return;
    this.#end = this.#start;
    this.#format.restart();
    try {
      ftruncateSync(this.#file, this.#start);
    } catch {
      // What remains is ignored, because the database already has it.
    }
  }

  /**
   * The journals of all other windows: of those that no longer exist, everything; of the others, what belongs to the
   * conversation. Never throws.
   */
  readOthers(conversationId?: string): readonly OtherJournal[] {
    try {
      return readdirSync(this.#folder)
        .filter((name) => name.startsWith(this.#prefix) && name !== this.#name)
        .flatMap((name) => this.#readOther(join(this.#folder, name), conversationId) ?? []);
    } catch {
      return [];
    }
  }

  /** @param isWritten Whether everything is in the database. Otherwise, the next window writes it. */
  close(isWritten: boolean): void {
    this.#isBroken = true;
    if (this.#file === undefined) return;
    closeSync(this.#file);
    this.#file = undefined;
    if (isWritten) removeJournal(join(this.#folder, this.#name));
  }

  #create(): number {
    const path = join(this.#folder, this.#name);
    const file = openSync(path, "wx", 0o600);
    this.#end = 0;
    try {
      this.#start = this.#write(file, formatOwner(createLease(this.#now())));
    } catch (error) {
      closeSync(file);
      removeJournal(path);
      throw error;
    }
    this.#end = this.#start;
    return file;
  }

  /** Returns the number of bytes written. */
  #write(file: number, bytes: Buffer): number {
    for (let done = 0; done < bytes.length;)
      done += writeSync(file, bytes, done, bytes.length - done, this.#end + done);
    return bytes.length;
  }

  #readOther(path: string, conversationId: string | undefined): OtherJournal | undefined {
    try {
      const { size, mtimeMs } = statSync(path);
      if (size > largestJournal) return undefined;
      const { owner, growths } = parseJournal(readFileSync(path));
      const isLeft = this.#isLeft(owner, mtimeMs, growths.length > 0);
      const select = (all: readonly JournaledGrowth[]): readonly JournaledGrowth[] =>
        all.filter((growth) => isLeft || growth.conversationId === conversationId);
      return {
        ...{ path, isLeft, growths: select(growths) },
        readAgain: () => select(readAgain(path, growths)),
      };
    } catch {
      // Its window has just removed it.
      return undefined;
    }
  }

  #isLeft(owner: unknown, modifiedAt: number, hasGrowth: boolean): boolean {
    const now = this.#now();
    if (!isRecord(owner)) return Math.abs(Date.now() - modifiedAt) > createdWithinMs;
    const lease = {
      host: stringField(owner, "host") ?? "",
      processId: numberField(owner, "processId") ?? 0,
      process: stringField(owner, "process") ?? "",
      aliveAt: modifiedAt,
    };
    const state = classifyWriter(lease, now);
    if (state !== "unknown") return state === "dead";
    return hasGrowth ? Math.abs(now - modifiedAt) > abandonedMs : isForgotten(lease, now);
  }
}

/** Deletes a journal whose pieces are all in the database. */
export function removeJournal(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Another window is reading it. The next one removes it.
  }
}

function readAgain(path: string, before: readonly JournaledGrowth[]): readonly JournaledGrowth[] {
  try {
    return parseJournal(readFileSync(path)).growths;
  } catch {
    // The window that has removed it has already written it to the database.
    return existsSync(path) ? before : [];
  }
}
