import { t } from "@vscode/l10n";
import {
  accessSync,
  constants,
  existsSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import { hasLog } from "../files/logFile.ts";
import { createPrivateFile } from "../files/privateFile.ts";
import { closeQuietly, databaseSuffixes, openJournaled } from "./journal.ts";
import { copyReadableRows, recoverySentence, ThreadedRecovery } from "./recovery.ts";
import type { Recovery } from "./recovery.ts";
import { checkSchema, createSchema } from "./schema.ts";
import { deleteOldSetAside, isSetAside, recoveryMark, setAsideDays, setAsidePath } from "./setAsideFiles.ts";
import type { Sqlite } from "./sqlite.ts";
import { BusyError, DamagedError, HeldError, sqliteTrouble } from "./sqliteTrouble.ts";
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
  /** Path of the built `recoveryThread`. Without one, large files are recovered at once, too. */
  readonly recoveryThread?: string | URL;
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
    const { recoveryThread } = options;
    this.#threaded = recoveryThread === undefined ? undefined : new ThreadedRecovery(recoveryThread);
  }

  get #mark(): string {
    return recoveryMark(this.#path);
  }

  get path(): string {
    return this.#path;
  }

  /** Creates the file if it doesn't exist; replaces a damaged one. Throws SQLite's errors in all other cases. */
  open(): OpenDatabase {
    if (this.#threaded?.isRunning === true) throw beingRecovered();
    switch (this.#markState()) {
      case "held":
        throw beingRecovered();
      case "abandoned":
        return this.#recover("");
      case "none":
        return this.#isLost() ? this.#recover("") : this.#openNow();
    }
  }

  #openNow(): OpenDatabase {
    createPrivateFile(this.#path);
    const fileId = this.#fileId();
    try {
      return { database: this.#openSound(), fileId };
    } catch (error) {
      if (sqliteTrouble(error) !== "damaged") throw error;
      return this.#recover(fileId);
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
    return this.#recover(damaged.fileId);
  }

  /** Deletes old set-aside files that are no longer needed, because they may contain data deleted since then. */
  forgetSetAside(): void {
    deleteOldSetAside(this.#path, this.#now());
  }

  /** Recovers the damaged file, in this thread and to the end. Does nothing if another window was faster. */
  recover(damagedId: string): void {
    closeQuietly(this.#alone((aside) => this.#recoverNow(damagedId, aside)).database);
  }

  /** Recovers a small file at once. For a large one, throws a BusyError until a thread has recovered it. */
  #recover(damagedId: string): OpenDatabase {
    if (this.#threaded !== undefined && this.#size() > largestAtOnce)
      this.#threaded.start(this.#path, damagedId, this.#mark, this.#onRecovery);
    return this.#alone((aside) => this.#recoverNow(damagedId, aside));
  }

  /** @param unfinished The file that a window which has ended was recovering. */
  #recoverNow(damagedId: string, unfinished: string | undefined): OpenDatabase {
    const isUnfinished =
      unfinished !== undefined && databaseSuffixes.some((end) => existsSync(unfinished + end));
    // Another window may have been faster: its fresh file must stay.
    if (!isUnfinished && !this.#isLost() && this.#fileId() !== damagedId) return this.#openNow();
    const isLost = !isUnfinished && this.#isLost();
    const aside = isUnfinished ? unfinished : this.#setAside();
    writeFileSync(this.#mark, aside);
    createPrivateFile(this.#path);
    const database = this.#openSound();
    const count = copyReadableRows(this.#sqlite, aside, database);
    this.#onRecovery({ aside, count, isLost });
    return { database, fileId: this.#fileId() };
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
      const aside = readFileSync(this.#mark, "utf8");
      unfinished = isSetAside(aside, this.#path) ? aside : undefined;
      rmSync(this.#mark, { force: true });
    }
    try {
      writeFileSync(this.#mark, unfinished ?? "", { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (existsSync(this.#mark)) throw beingRecovered(error);
      throw error;
    }
    try {
      return run(unfinished);
    } finally {
      rmSync(this.#mark, { force: true });
    }
  }

  #setAside(): string {
    const aside = setAsidePath(this.#path, this.#now());
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
      throw error;
    }
  }

  #fileId(): string {
    const stat = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? "" : `${stat.dev}:${stat.ino}`;
  }
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
export function isWritable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK);
    accessSync(dirname(path), constants.W_OK);
    return true;
  } catch {
    return false;
  }
}
