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
import { deflateRawSync, inflateRawSync } from "node:zlib";
import { isRecord, numberField, parseJson, stringField } from "../../core/kernel/json.ts";
import { classifyWriter, createLease, isForgotten } from "../database/streamLease.ts";

/** Identifies a message within its conversation. */
export interface MessagePlace {
  readonly conversationId: string;
  readonly messageId: string;
}

/** The IDs come from the caller and can't contain the separator by accident. */
export function messageKey({ conversationId, messageId }: MessagePlace): string {
  return `${conversationId}\n${messageId}`;
}

/** A piece of a streaming message, and where it begins. */
export interface JournaledGrowth extends MessagePlace {
  /** Number of UTF-8 bytes of the message's text and reasoning that precede the piece. */
  readonly at: { readonly text: number; readonly reasoning: number };
  readonly text: string;
  readonly reasoning: string;
}

/** How the names of a database's journals begin, those of earlier versions included. */
export function journalPrefix(database: string): string {
  return `${basename(database)}.growth`;
}

/** The journal of another window. */
export interface OtherJournal {
  readonly path: string;
  /** Whether its window no longer exists, so that no one else will write its growth to the database. */
  readonly isLeft: boolean;
  readonly growths: readonly JournaledGrowth[];
  /** Its current state, because its window may have written all of it to the database and replaced the message. */
  readAgain(): readonly JournaledGrowth[];
}

/** A window writes its journal to the database before it reaches this many bytes. */
export const largestJournal = 16_000_000;
/**
 * Milliseconds after which growth can't belong to an active window, because an active window adds to its journal or
 * writes it to the database more often. If the machine was only asleep, the window continues with a new journal.
 */
const abandonedMs = 60_000;
/** A piece of this length in UTF-16 units or more is compressed, to about half. */
const longestPlain = 500;
/** Milliseconds after which a journal without a readable owner can't belong to a window that is still creating it. */
const createdWithinMs = 10_000;

/**
 * Keeps what streaming messages have grown by until it is written to the database in larger pieces, because every
 * transaction writes several whole pages, however little it changes. It is one file for each window next to the
 * database. Each line is JSON: first its owner, then in order the messages and their pieces, which begin with the
 * number of the message. The bytes of a compressed piece follow its line. Any window may write the pieces of any
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
   * The numbers of the messages in the file. None is used twice: what can't be cut off must not seem to be another's.
   */
  readonly #numbers = new Map<string, number>();
  #nextNumber = 0;

  /**
   * @param database The path of the database.
   * @param now Milliseconds since 1970.
   */
  constructor(database: string, now: () => number) {
    this.#folder = dirname(database);
    this.#prefix = journalPrefix(database);
    // A window of an earlier version, which knows only "growth-", would find nothing in it and delete it.
    this.#name = `${this.#prefix}2-${randomUUID()}`;
    this.#now = now;
  }

  /** Adds a piece, which then survives the end of the process. Returns false if that is impossible. */
  append(growth: JournaledGrowth): boolean {
    if (this.#isBroken || this.#end > largestJournal / 2 || this.#isRemoved()) return false;
    try {
      this.#file ??= this.#create();
      this.#end += this.#write(this.#file, this.#format(growth));
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
    this.#numbers.clear();
    return true;
  }

  #format({ conversationId, messageId, at, text, reasoning }: JournaledGrowth): Buffer {
    const key = messageKey({ conversationId, messageId });
    const known = this.#numbers.get(key);
    const number = known ?? this.#nextNumber++;
    this.#numbers.set(key, number);
    const message = known === undefined ? line({ number, conversationId, messageId }) : "";
    const isPlain = text.length + reasoning.length < longestPlain;
    const packed = isPlain ? Buffer.alloc(0) : deflateRawSync(JSON.stringify([text, reasoning]));
    const content = isPlain ? [text, reasoning] : [packed.length];
    return Buffer.concat([Buffer.from(message + line([number, at.text, at.reasoning, ...content])), packed]);
  }

  /** Everything that was added is now in the database. */
  clear(): void {
    if (this.#file === undefined || this.#end === this.#start) return;
    this.#end = this.#start;
    this.#numbers.clear();
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
      this.#start = this.#write(file, Buffer.from(line(createLease(this.#now()))));
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

/** Deletes a journal whose pieces are all in the database. */
export function removeJournal(path: string): void {
  try {
    rmSync(path, { force: true });
  } catch {
    // Another window is reading it. The next one removes it.
  }
}

function line(value: unknown): string {
  return `${JSON.stringify(value)}\n`;
}

function readJournal(path: string): {
  readonly owner: unknown;
  readonly growths: readonly JournaledGrowth[];
} {
  const bytes = readFileSync(path);
  const places = new Map<unknown, MessagePlace>();
  const growths: JournaledGrowth[] = [];
  let owner: unknown;
  let start = 0;
  for (let end = bytes.indexOf("\n"); end !== -1; end = bytes.indexOf("\n", start)) {
    const value = parseJson(bytes.toString("utf8", start, end));
    if (start === 0) owner = value;
    start = end + 1;
    if (Array.isArray(value)) {
      const [number, text, reasoning, ...content]: readonly unknown[] = value;
      const packed = typeof content[0] === "number" ? bytes.subarray(start, start + content[0]) : undefined;
      start += packed?.length ?? 0;
      const piece = packed === undefined ? content : unpack(packed);
      growths.push(...parsePiece(places.get(number), { text, reasoning }, piece));
    } else if (isRecord(value)) {
      const place = parsePlace(value);
      if (place !== undefined) places.set(value["number"], place);
      // One line with everything, as earlier versions wrote it.
      if (isRecord(value["at"]))
        growths.push(...parsePiece(place, value["at"], [value["text"] ?? "", value["reasoning"] ?? ""]));
    }
  }
  return { owner, growths };
}

function readAgain(path: string, before: readonly JournaledGrowth[]): readonly JournaledGrowth[] {
  try {
    return readJournal(path).growths;
  } catch {
    // The window that has removed it has already written it to the database.
    return existsSync(path) ? before : [];
  }
}

/** Empty for a piece that was cut off when its writer was killed. */
function parsePiece(
  place: MessagePlace | undefined,
  at: Readonly<Record<string, unknown>>,
  [text, reasoning]: readonly unknown[],
): readonly JournaledGrowth[] {
  if (place === undefined || typeof text !== "string" || typeof reasoning !== "string") return [];
  const start = { text: numberField(at, "text") ?? 0, reasoning: numberField(at, "reasoning") ?? 0 };
  return [{ ...place, at: start, text, reasoning }];
}

function unpack(packed: Buffer): readonly unknown[] {
  try {
    const texts = parseJson(inflateRawSync(packed, { maxOutputLength: largestJournal }).toString());
    return Array.isArray(texts) ? texts : [];
  } catch {
    return [];
  }
}

function parsePlace(value: Readonly<Record<string, unknown>>): MessagePlace | undefined {
  const [conversationId, messageId] = [stringField(value, "conversationId"), stringField(value, "messageId")];
  return conversationId === undefined || messageId === undefined ? undefined : { conversationId, messageId };
}
