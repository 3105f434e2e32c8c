import { t } from "@vscode/l10n";
import {
  accessSync,
  closeSync,
  constants,
  existsSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { hasLog } from "../files/logFile.ts";
import { createPrivateFile } from "../files/privateFile.ts";
import { closeQuietly, openJournaled } from "./journal.ts";
import { databaseSuffixes } from "./readableCopy.ts";
import { copyReadableRows } from "./recovery.ts";
import { checkSchema, createSchema } from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";
import { BusyError, DamagedError, HeldError, sqliteTrouble } from "./sqliteTrouble.ts";

/**
 * Files up to this size (in bytes) are checked completely when opened, which takes about 10 ms. Damage in larger ones
 * shows up in use.
 */
const checkedSize = 16 * 1024 * 1024;

/** If a recovery takes longer than this (in milliseconds), the window that started it has exited. */
const abandonedMarkMs = 300_000;

/** Days for which a damaged file is kept, because an expert may find more in it than was recovered. */
const setAsideDays = 14;
/** Separates the file's name from the time at which it was set aside. */
const setAsideMark = ".damaged-";

/** An open database, and the identity of its file. */
export interface OpenDatabase {
  readonly database: DatabaseSync;
  readonly fileId: string;
}

export interface DatabaseFileOptions {
  /** Milliseconds since 1970. */
  now(): number;
  /** Called with a sentence for the user when the file had to be recovered. */
  onProblem(sentence: string): void;
  /** Renames a file. Defaults to Node's function. */
  move?(this: void, from: string, to: string): void;
}

/** The conversations' file. It is opened and checked, and set aside if it is damaged. */
export class DatabaseFile {
  readonly #sqlite: Sqlite;
  readonly #path: string;
  readonly #move: (from: string, to: string) => void;
  readonly #now: () => number;
  readonly #onProblem: (sentence: string) => void;

  constructor(sqlite: Sqlite, path: string, options: DatabaseFileOptions) {
    this.#sqlite = sqlite;
    this.#path = path;
    this.#move = options.move ?? renameSync;
    this.#now = () => options.now();
    this.#onProblem = (sentence) => options.onProblem(sentence);
  }

  get path(): string {
    return this.#path;
  }

  /** Creates the file if it doesn't exist; replaces a damaged one. Throws SQLite's errors in all other cases. */
  open(): OpenDatabase {
    if (this.#isLost()) return this.#recoverFromLog();
    createPrivateFile(this.#path);
    const fileId = this.#fileId();
    try {
      return { database: this.#openSound(), fileId };
    } catch (error) {
      if (sqliteTrouble(error) !== "damaged") throw error;
      return this.#replace(fileId);
    }
  }

  /**
   * Whether the file is missing or empty although it has a log, which SQLite would discard. No window leaves them in
   * that state: when one creates the file, it writes the first page before there is a log.
   */
  #isLost(): boolean {
    const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    return size === 0 && hasLog(`${this.#path}-wal`);
  }

  /** False once the file was deleted or replaced, which another window does if it is damaged. */
  isCurrent(open: OpenDatabase): boolean {
    return this.#fileId() === open.fileId;
  }

  /** Sets the damaged file aside and opens a new one with everything that could be read. */
  replace(damaged: OpenDatabase): OpenDatabase {
    closeQuietly(damaged.database);
    return this.#replace(damaged.fileId);
  }

  /** Deletes old set-aside files that are no longer needed, because they may contain data deleted since then. */
  forgetSetAside(): void {
    const folder = dirname(this.#path);
    const prefix = `${basename(this.#path)}${setAsideMark}`;
    for (const name of existsSync(folder) ? readdirSync(folder) : []) {
      if (!name.startsWith(prefix)) continue;
      const day = Date.parse(name.slice(prefix.length, prefix.length + "2026-01-31".length));
      if (this.#now() - day > setAsideDays * 86_400_000) rmSync(join(folder, name), { force: true });
    }
  }

  #replace(damagedId: string): OpenDatabase {
    return this.#alone(() => {
      // Another window may have been faster: its fresh file must stay.
      if (this.#fileId() !== damagedId) return this.open();
      const { open, aside, count } = this.#startAfresh();
      this.#onProblem(
        t(
          "The conversation file was damaged and has been set aside as {0}. {1} The damaged file is deleted after {2} days, because it may contain content that you delete in the meantime.",
          ...[aside, keptOf(count), setAsideDays],
        ),
      );
      return open;
    });
  }

  #recoverFromLog(): OpenDatabase {
    return this.#alone(() => {
      if (!this.#isLost()) return this.open();
      const { open, aside, count } = this.#startAfresh();
      this.#onProblem(
        t(
          "The conversation file was missing or empty, but its log wasn't. The log has been set aside as {0}. {1} It is deleted after {2} days, because it may contain content that you delete in the meantime.",
          ...[`${aside}-wal`, keptOf(count), setAsideDays],
        ),
      );
      return open;
    });
  }

  #startAfresh(): { readonly open: OpenDatabase; readonly aside: string; readonly count: number } {
    const aside = this.#setAside();
    createPrivateFile(this.#path);
    const database = this.#openSound();
    const count = copyReadableRows(this.#sqlite, aside, database);
    return { open: { database, fileId: this.#fileId() }, aside, count };
  }

  /** Two windows must not set the file aside at the same time: the second would move the new file of the first. */
  #alone<Result>(run: () => Result): Result {
    const mark = `${this.#path}.recovering`;
    const since = statSync(mark, { throwIfNoEntry: false })?.mtimeMs;
    if (since !== undefined && Math.abs(Date.now() - since) > abandonedMarkMs) rmSync(mark, { force: true });
    try {
      closeSync(openSync(mark, "wx", 0o600));
    } catch (error) {
      if (existsSync(mark))
        throw new BusyError("Another window is recovering the conversations.", { cause: error });
      throw error;
    }
    try {
      return run();
    } finally {
      rmSync(mark, { force: true });
    }
  }

  #setAside(): string {
    const time = new Date(this.#now()).toISOString().replace(/[:.]/gu, "-");
    const aside = `${this.#path}${setAsideMark}${time}`;
    // The log is moved first: a new database must never be combined with the log of the old one.
    for (const suffix of databaseSuffixes.toReversed()) {
      if (existsSync(this.#path + suffix)) this.#moveAway(this.#path + suffix, aside + suffix);
    }
    return aside;
  }

  #moveAway(from: string, to: string): void {
    try {
      this.#move(from, to);
    } catch (error) {
      if (!(error instanceof Error && "code" in error && heldCodes.includes(error.code))) throw error;
      throw new HeldError(
        t("another program has {0} open; close the other VS Code windows so that it can be set aside", from),
        { cause: error },
      );
    }
  }

  #openSound(): DatabaseSync {
    let database: DatabaseSync | undefined;
    try {
      database = openJournaled(this.#sqlite, this.#path);
      createSchema(database);
      checkSchema(database);
      checkHeader(database);
      if (statSync(this.#path).size <= checkedSize) check(database);
      return database;
    } catch (error) {
      if (database !== undefined) closeQuietly(database);
      if (isCalledReadOnly(error) && isWritable(this.#path))
        throw new DamagedError("The header says that the file is read-only.", { cause: error });
      throw error;
    }
  }

  #fileId(): string {
    const stat = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? "" : `${stat.dev}:${stat.ino}`;
  }
}

/** Windows can't move a file that another window has open, and reports it with one of these codes. */
const heldCodes: readonly unknown[] = ["EBUSY", "EPERM", "EACCES"];

function keptOf(messageCount: number): string {
  if (messageCount === 0) return t("No messages could be recovered from it.");
  return messageCount === 1
    ? t("1 message was recovered from it.")
    : t("{0} messages were recovered from it.", messageCount);
}

function check(database: DatabaseSync): void {
  const answer = database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
  if (answer !== "ok") throw new DamagedError(String(answer));
}

/** Header bytes that SQLite trusts blindly: if they are wrong, it misreads texts or can no longer write. */
function checkHeader(database: DatabaseSync): void {
  const encoding = database.prepare("PRAGMA encoding").get()?.["encoding"];
  if (encoding !== "UTF-8") throw new DamagedError(`The encoding is ${String(encoding)}.`);
  try {
    database.exec("BEGIN IMMEDIATE; ROLLBACK");
  } catch (error) {
    if (sqliteTrouble(error) !== "busy") throw error;
  }
}

/** SQLITE_READONLY itself. Its extended codes have causes outside the file. */
function isCalledReadOnly(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 8;
}

/** Whether the file and its folder are writable. */
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
