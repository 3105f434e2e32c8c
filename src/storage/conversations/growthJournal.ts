import { randomUUID } from "node:crypto";
import {
  closeSync,
  copyFileSync,
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
import { isRecord, numberField, parseJson, stringField } from "../../core/kernel/json.ts";
import { storable } from "../database/messageRow.ts";
import { classifyWriter, createLease, isForgotten } from "../database/streamLease.ts";

/** A piece of a streaming message, and where it begins. */
export interface JournaledGrowth {
  readonly conversationId: string;
  readonly messageId: string;
  /** Number of UTF-8 bytes of the message's text and reasoning that precede the piece. */
  readonly at: { readonly text: number; readonly reasoning: number };
  readonly text: string;
  readonly reasoning: string;
}

/** The journal of another window. */
export interface OtherJournal {
  readonly path: string;
  /** Whether its window no longer exists, so that nobody else will write its growth to the database. */
  readonly isLeft: boolean;
  readonly growths: readonly JournaledGrowth[];
  /** The same as it is now, because its window may have written all of it to the database and replaced the message. */
  readAgain(): readonly JournaledGrowth[];
}

/** No window collects more than this many bytes before it writes them to the database. */
const largestFile = 16_000_000;
/**
 * Milliseconds after which growth belongs to no window that is still there, because each adds to its journal or
 * writes it to the database more often. If its machine was only asleep, it continues with a new journal.
 */
const abandonedMs = 60_000;
/** Milliseconds after which a journal without a readable owner belongs to no window that is just creating it. */
const createdWithinMs = 10_000;

/**
 * Keeps what streaming messages have grown by until it is written to the database in larger pieces, because every
 * transaction writes several whole pages, however little it changes. It is one file for each window next to the
 * database: a line about its owner, and a line of JSON for each piece, in order. Any window may write the pieces of any
 * journal to the database, any number of times: each says where it begins.
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

  /**
   * @param database The path of the database.
   * @param now Milliseconds since 1970.
   */
  constructor(database: string, now: () => number) {
    this.#folder = dirname(database);
    this.#prefix = `${basename(database)}.growth-`;
    this.#name = this.#prefix + randomUUID();
    this.#now = now;
  }

  /** Adds a piece, which then survives the end of the process. Returns false if that is impossible. */
  append(growth: JournaledGrowth): boolean {
    if (this.#isBroken || this.#end > largestFile / 2 || this.#isRemoved()) return false;
    try {
      this.#file ??= this.#create();
      this.#end += this.#write(this.#file, growth);
      return true;
    } catch {
      // The pieces are written to the database instead, which reports any trouble with the disk.
      this.#isBroken = true;
      return false;
    }
  }

  /** Whether another window has taken this one for dead. What was added must then be written to the database. */
  #isRemoved(): boolean {
    if (this.#file === undefined || existsSync(join(this.#folder, this.#name))) return false;
    closeSync(this.#file);
    this.#file = undefined;
    this.#end = 0;
    return true;
  }

  /** Everything that was added is now in the database. */
  clear(): void {
    if (this.#file === undefined || this.#end === this.#start) return;
    this.#end = this.#start;
    try {
      ftruncateSync(this.#file, this.#start);
    } catch {
      // What stays is ignored, because the database has it.
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
      this.#start = this.#write(file, createLease(this.#now()));
    } catch (error) {
      closeSync(file);
      removeJournal(path);
      throw error;
    }
    this.#end = this.#start;
    return file;
  }

  /** Returns the number of bytes written. */
  #write(file: number, value: unknown): number {
    const line = Buffer.from(`${JSON.stringify(value)}\n`);
    for (let done = 0; done < line.length;)
      done += writeSync(file, line, done, line.length - done, this.#end + done);
    return line.length;
  }

  #readOther(path: string, conversationId: string | undefined): OtherJournal | undefined {
    try {
      const { size, mtimeMs } = statSync(path);
      if (size > largestFile) return undefined;
      const { owner, growths } = readJournal(path);
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

export function removeJournal(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Another window is reading it. The next one removes it.
  }
}

/** Copies the journals of a database. Done before the database is copied, nothing is missing in the copy. */
export function copyJournals(database: string, copy: string): void {
  const prefix = `${basename(database)}.growth-`;
  try {
    for (const name of readdirSync(dirname(database)).filter((each) => each.startsWith(prefix)))
      copyJournal(join(dirname(database), name), `${copy}.growth-${name.slice(prefix.length)}`);
  } catch {
    // The folder can't be listed.
  }
}

function copyJournal(path: string, copy: string): void {
  try {
    if (statSync(path).size <= largestFile) copyFileSync(path, copy);
  } catch {
    // Its window has just removed it.
  }
}

function readJournal(path: string): {
  readonly owner: unknown;
  readonly growths: readonly JournaledGrowth[];
} {
  const [first = "", ...lines] = readFileSync(path, "utf8").split("\n");
  return { owner: parseJson(first), growths: lines.flatMap((line) => parseGrowth(line) ?? []) };
}

function readAgain(path: string, before: readonly JournaledGrowth[]): readonly JournaledGrowth[] {
  try {
    return readJournal(path).growths;
  } catch {
    // The window that has removed it has written it to the database.
    return existsSync(path) ? before : [];
  }
}

/** The text without its first bytes, in UTF-8. */
export function withoutBytes(text: string, count: number): string {
  if (count <= 0) return text;
  return Buffer.from(storable(text)).subarray(count).toString();
}

/** Undefined for a line that was cut off when its writer was killed. */
function parseGrowth(line: string): JournaledGrowth | undefined {
  const value = parseJson(line);
  if (!isRecord(value) || !isRecord(value["at"])) return undefined;
  const [conversationId, messageId] = [stringField(value, "conversationId"), stringField(value, "messageId")];
  if (conversationId === undefined || messageId === undefined) return undefined;
  const { at } = value;
  return {
    ...{ conversationId, messageId },
    at: { text: numberField(at, "text") ?? 0, reasoning: numberField(at, "reasoning") ?? 0 },
    text: stringField(value, "text") ?? "",
    reasoning: stringField(value, "reasoning") ?? "",
  };
}
