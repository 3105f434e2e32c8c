import { t } from "@vscode/l10n";
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, DatabaseSyncOptions } from "node:sqlite";
import { createPrivateFile } from "../files/privateFile.ts";
import { listBackups } from "./backups.ts";
import { copyConversations } from "./copyConversations.ts";
import { closeQuietly, databaseSuffixes, openJournaled } from "./journal.ts";
import { recoverySentence, ThreadedRecovery } from "./recovery.ts";
import type { Recovery } from "./recovery.ts";
import { checkSchema, createSchema } from "./schema.ts";
import { isSetAside, listSetAside, recoveryMark, setAsideDays, setAsidePath } from "./setAsideFiles.ts";
import type { Sqlite } from "./sqlite.ts";
import { BusyError, DamagedError, HeldError, readOnlyMessage, sqliteTrouble } from "./sqliteTrouble.ts";
import { systemCodeOf } from "../../core/kernel/thrown.ts";

/**
 * Files up to this size (in bytes) are checked completely when opened, which takes about 10 ms. Damage in larger ones
 * shows up in use.
 */
const checkedSize = 16 * 1024 * 1024;

/** Bytes of the file and its log that are recovered at once: about 30 ms. A larger file is recovered in a thread. */
const largestAtOnce = 1_000_000;

/** Milliseconds without a sign of life from the window that is recovering the file, after which it must have ended. */
const abandonedMarkMs = 30_000;

/** An open database, and the identity of its file. */
export interface OpenDatabase {
  readonly database: DatabaseSync;
  readonly fileId: string;
}

interface DatabaseFileOptions {
  /** Milliseconds since 1970. */
  now(): number;
  /** Called with a sentence for the user when the file had to be recovered. */
  onProblem(sentence: string): void;
  /** Called instead of `onProblem` when the file was recovered. */
  onRecovery?(this: void, recovery: Recovery): void;
  /** Path of the built `storageThread`. Without one, large files are recovered at once, too. */
  readonly thread?: string | URL;
  /** Renames a file. Defaults to Node's function. */
  move?(this: void, from: string, to: string): void;
}

/** The conversations' file. It is opened and checked, and set aside if it is damaged. */
export class DatabaseFile {
  readonly #sqlite: Sqlite;
  readonly #path: string;
  readonly #move: (from: string, to: string) => void;
  readonly #now: () => number;
  readonly #onRecovery: (recovery: Recovery) => void;
  readonly #threaded: ThreadedRecovery | undefined;

  constructor(sqlite: Sqlite, path: string, options: DatabaseFileOptions) {
    this.#sqlite = sqlite;
    this.#path = path;
    this.#move = options.move ?? renameSync;
    this.#now = () => options.now();
    this.#onRecovery =
      options.onRecovery ?? ((recovery) => options.onProblem(recoverySentence(recovery, setAsideDays)));
    const { thread } = options;
    this.#threaded = thread === undefined ? undefined : new ThreadedRecovery(thread);
  }

  get #mark(): string {
    return recoveryMark(this.#path);
  }

  /**
   * Creates the file if it doesn't exist; replaces one that is damaged, or that is missing or empty although there was
   * one. If another file is in its place, what only the former one has is added. Throws SQLite's errors in all other
   * cases.
   * @param previous The database that was open before its file was moved, deleted or replaced.
   */
  open(previous?: OpenDatabase): OpenDatabase {
    if (this.#threaded?.isRunning === true) throw beingRecovered();
    switch (this.#markState()) {
      case "held":
        throw beingRecovered();
      case "abandoned":
        return this.#recover("");
      case "none":
        if (this.#isLost(previous)) return this.#recover("", previous);
        return previous === undefined ? this.#openNow() : this.#openReplacement(previous);
    }
  }

  #openNow(previous?: OpenDatabase): OpenDatabase {
    createPrivateFile(this.#path);
    const fileId = this.#fileId();
    try {
      return { database: this.#openSound(), fileId };
    } catch (error) {
      if (sqliteTrouble(error) !== "damaged") throw error;
      return this.#recover(fileId, previous);
    }
  }

  /** Unless another window has recovered the file, it was replaced by one that may not have everything. */
  #openReplacement(previous: OpenDatabase): OpenDatabase {
    const opened = this.#openNow(previous);
    if (listSetAside(this.#path).some(({ path }) => fileIdOf(path) === previous.fileId)) return opened;
    try {
      const recovered = copyReadable(previous.database, opened.database);
      if (recovered > 0) this.#onRecovery({ recovered, restored: [], isReplaced: true });
      return opened;
    } catch (error) {
      closeQuietly(opened.database);
      throw error;
    }
  }

  /** Whether the file is missing or empty although there was one. */
  #isLost(previous?: OpenDatabase): boolean {
    const size = statSync(this.#path, { throwIfNoEntry: false })?.size ?? 0;
    return size === 0 && (previous !== undefined || this.#hasLog() || listBackups(this.#path).length > 0);
  }

  #hasLog(): boolean {
    return (statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0) > 0;
  }

  /** False once the file was deleted, emptied, or replaced, which another window does if it is damaged. */
  isCurrent(open: OpenDatabase): boolean {
    return this.#fileId() === open.fileId && statSync(this.#path).size > 0;
  }

  /** Sets the damaged file aside and opens a new one with everything that could be read. */
  replace(damaged: OpenDatabase): OpenDatabase {
    closeQuietly(damaged.database);
    return this.#recover(damaged.fileId);
  }

  /** Recovers the damaged file, in this thread and to the end. Does nothing if another window was faster. */
  recover(damagedId: string): void {
    closeQuietly(this.#alone((aside) => this.#recoverNow(damagedId, aside, undefined)).database);
  }

  /** Recovers a small file at once. For a large one, throws a BusyError until a thread has recovered it. */
  #recover(damagedId: string, previous?: OpenDatabase): OpenDatabase {
    if (this.#threaded !== undefined && this.#size() > largestAtOnce)
      this.#threaded.start(this.#path, damagedId, this.#mark, this.#onRecovery);
    return this.#alone((aside) => this.#recoverNow(damagedId, aside, previous));
  }

  /** @param unfinished The file that a window which has ended was recovering. */
  #recoverNow(
    damagedId: string,
    unfinished: string | undefined,
    previous: OpenDatabase | undefined,
  ): OpenDatabase {
    const isLost = unfinished === undefined && this.#isLost(previous);
    // Another window may have been faster: its fresh file must stay.
    if (unfinished === undefined && !isLost && this.#fileId() !== damagedId) return this.#openNow();
    const aside = unfinished ?? setAsidePath(this.#path, this.#now());
    // Written first: whoever continues after this window was killed has to know where the files are.
    writeFileSync(this.#mark, aside);
    if (!existsSync(aside)) this.#setAside(aside);
    createPrivateFile(this.#path);
    const database = this.#openSound();
    const recovered = previous === undefined ? 0 : copyReadable(previous.database, database);
    const read = this.#copyFile(aside, database);
    // The latest backup comes first, so that the older one adds only what is missing there.
    const restored = listBackups(this.#path).map(({ path, madeAt }) => ({
      madeAt,
      count: this.#copyFile(path, database),
    }));
    this.#onRecovery({ ...(isLost ? {} : { aside }), recovered: recovered + read, restored });
    return { database, fileId: this.#fileId() };
  }

  /** Returns the number of messages; 0 if the file isn't a database, or isn't one of ours. */
  #copyFile(path: string, target: DatabaseSync): number {
    if (!existsSync(path) || statSync(path).size === 0) return 0;
    const source = new this.#sqlite.DatabaseSync(path, notDefensive);
    try {
      // Lets SQLite read what is left of a file that was cut off.
      source.exec("PRAGMA writable_schema = ON");
      return copyReadable(source, target);
    } finally {
      closeQuietly(source);
    }
  }

  /** Bytes of the file and its log. */
  #size(): number {
    const sizes = ["", "-wal"].map((end) => statSync(this.#path + end, { throwIfNoEntry: false })?.size ?? 0);
    return sizes.reduce((sum, size) => sum + size, 0);
  }

  /** Another window is recovering the file, or has ended while doing so. */
  #markState(): "none" | "held" | "abandoned" {
    const since = statSync(this.#mark, { throwIfNoEntry: false })?.mtimeMs;
    if (since === undefined) return "none";
    return Math.abs(Date.now() - since) > abandonedMarkMs ? "abandoned" : "held";
  }

  /** Two windows must not set the file aside at the same time: the second would move the new file of the first. */
  #alone(run: (unfinished: string | undefined) => OpenDatabase): OpenDatabase {
    let unfinished: string | undefined;
    if (this.#markState() === "abandoned") {
      const aside = this.#readMark();
      const isBegun =
        isSetAside(aside, this.#path) && databaseSuffixes.some((end) => existsSync(aside + end));
      unfinished = isBegun ? aside : undefined;
      rmSync(this.#mark, { force: true });
    }
    try {
      // The folder may have been removed under an open window.
      mkdirSync(dirname(this.#path), { recursive: true, mode: 0o700 });
      writeFileSync(this.#mark, unfinished ?? "", { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (existsSync(this.#mark)) throw beingRecovered(error);
      throw error;
    }
    try {
      const opened = run(unfinished);
      rmSync(this.#mark, { force: true });
      return opened;
    } catch (error) {
      // Once the file is set aside, the next attempt has to continue with what was set aside.
      if (this.#readMark() === "") rmSync(this.#mark, { force: true });
      else utimesSync(this.#mark, 0, 0);
      throw error;
    }
  }

  /** Empty if it can't be read. */
  #readMark(): string {
    return existsSync(this.#mark) ? readFileSync(this.#mark, "utf8") : "";
  }

  /** Another window may have moved some of the files before it was killed. */
  #setAside(aside: string): void {
    // The log is moved first: a new database must never be combined with the log of the old one.
    for (const suffix of databaseSuffixes.toReversed()) {
      const [from, to] = [this.#path + suffix, aside + suffix];
      if (existsSync(from) && !existsSync(to)) this.#moveAway(from, to);
    }
  }

  #moveAway(from: string, to: string): void {
    try {
      this.#move(from, to);
    } catch (error) {
      if (!heldCodes.includes(systemCodeOf(error))) throw error;
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
      // SQLite only says that the file can't be opened, because the log can't be created beside it.
      if (sqliteTrouble(error) === "refused" && !isWritable(this.#path))
        throw new HeldError(readOnlyMessage(), { cause: error });
      throw error;
    }
  }

  #fileId(): string {
    return fileIdOf(this.#path);
  }
}

/** Empty if there is no such file. */
function fileIdOf(path: string): string {
  const stat = statSync(path, { bigint: true, throwIfNoEntry: false });
  return stat === undefined ? "" : `${stat.dev}:${stat.ino}`;
}

/** A database in memory, with the same tables as a file. */
export class MemoryFile {
  readonly #sqlite: Sqlite;

  constructor(sqlite: Sqlite) {
    this.#sqlite = sqlite;
  }

  open(): OpenDatabase {
    const database = new this.#sqlite.DatabaseSync(":memory:", { enableForeignKeyConstraints: true });
    createSchema(database);
    return { database, fileId: "memory" };
  }

  isCurrent(): boolean {
    return true;
  }

  replace(): OpenDatabase {
    return this.open();
  }
}

/** Some versions of Node open databases as defensive unless they are told otherwise, which disables `writable_schema`. */
const notDefensive: DatabaseSyncOptions & { readonly defensive: false } = { defensive: false };

/** Returns the number of messages that could be copied; 0 if the source can't be read at all. */
function copyReadable(source: DatabaseSync, target: DatabaseSync): number {
  try {
    checkSchema(source);
  } catch {
    return 0;
  }
  return copyConversations(source, target);
}

/** Windows can't move a file that another window has open, and reports it with one of these codes. */
const heldCodes: readonly (string | undefined)[] = ["EBUSY", "EPERM", "EACCES"];

function beingRecovered(cause?: unknown): BusyError {
  return new BusyError(t("the damaged file is being recovered"), { cause });
}

function check(database: DatabaseSync): void {
  const answer = database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
  if (answer !== "ok") throw new DamagedError(String(answer));
}

/** Header bytes that SQLite trusts blindly: if they are wrong, it misreads texts or can no longer write. */
function checkHeader(database: DatabaseSync): void {
  const encoding = database.prepare("PRAGMA encoding").get()?.["encoding"];
  if (encoding !== "UTF-8") throw new DamagedError(`The encoding is ${String(encoding)}.`);
  const { user_version: version } = database.prepare("PRAGMA user_version").get() ?? {};
  try {
    // If a file is marked read-only, SQLite begins a read transaction instead.
    database.exec(`BEGIN IMMEDIATE; PRAGMA user_version = ${Number(version)}`);
  } catch (error) {
    if (sqliteTrouble(error) !== "busy") throw error;
  } finally {
    if (database.isTransaction) database.exec("ROLLBACK");
  }
}

/** SQLITE_READONLY itself. Its extended codes have causes outside the file. */
function isCalledReadOnly(error: unknown): boolean {
  return error instanceof Error && "errcode" in error && error.errcode === 8;
}

/** Whether the file and its folder are writable. */
function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
