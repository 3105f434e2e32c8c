import { t } from "@vscode/l10n";
import { accessSync, constants, statSync } from "node:fs";
import { dirname } from "node:path";
import type { DatabaseSync, DatabaseSyncOptions } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { formatDate, formatNumber } from "../../core/kernel/formatTime.ts";
import { createPrivateFile } from "../files/privateFile.ts";
import { listBackups } from "./backups.ts";
import { copyConversations } from "./copyConversations.ts";
import { assertIntact, closeQuietly, openBy, openJournaled } from "./journal.ts";
import { checkSchema, createSchema } from "./schema.ts";
import { fileIdOf, listSetAside, replaceFile, setAsideDays } from "./setAsideFiles.ts";
import type { Sqlite } from "./sqlite.ts";
import { DamagedError, sqliteTrouble } from "./sqliteTrouble.ts";

/**
 * Files up to this size (in bytes) are checked completely when opened, which takes about 10 ms. Damage in larger ones
 * shows up in use.
 */
const checkedSize = 16 * 1024 * 1024;

/** An open database, and the identity of its file. */
export interface OpenDatabase {
  readonly database: DatabaseSync;
  readonly fileId: string;
  /** Whether its disk or folder is read-only, so that it can only be read. */
  readonly isReadOnly?: true;
}

interface DatabaseFileOptions {
  /** Milliseconds since 1970. */
  now(): number;
  /** Called with a sentence for the user when the file had to be recovered. */
  onProblem(sentence: string): void;
}

/** The conversations' file. It is opened and checked, and set aside if it is damaged. */
export class DatabaseFile {
  readonly #sqlite: Sqlite;
  readonly #path: string;
  readonly #options: DatabaseFileOptions;

  constructor(sqlite: Sqlite, path: string, options: DatabaseFileOptions) {
    this.#sqlite = sqlite;
    this.#path = path;
    this.#options = options;
  }

  /**
   * Creates the file if it doesn't exist; replaces one that is damaged, or that is missing or empty although there was
   * one. If another file is in its place, what only the former one has is added. Throws SQLite's errors in all other
   * cases.
   * @param previous The database that was open before its file was moved, deleted or replaced.
   */
  open(previous?: OpenDatabase): OpenDatabase {
    // Its log's index, which all connections of a process share, is read-only, too.
    if (previous?.isReadOnly === true) closeQuietly(previous.database);
    const fileId = fileIdOf(this.#path);
    if (fileId === "" && (previous !== undefined || this.#isLost())) return this.#recover(fileId, previous);
    return previous === undefined || previous.fileId === fileId
      ? this.#openNow()
      : this.#openReplacement(previous);
  }

  /** False once the file was deleted, emptied, or replaced, which another window does if it is damaged. */
  isCurrent({ fileId, isReadOnly }: OpenDatabase): boolean {
    return fileIdOf(this.#path) === fileId && !(isReadOnly === true && isWritable(this.#path));
  }

  /** Sets the damaged file aside and opens a new one with everything that could be read. */
  replace(damaged: OpenDatabase): OpenDatabase {
    closeQuietly(damaged.database);
    return this.#recover(damaged.fileId);
  }

  /** Whether there was a file. */
  #isLost(): boolean {
    const log = statSync(`${this.#path}-wal`, { throwIfNoEntry: false })?.size ?? 0;
    return log > 0 || listBackups(this.#path).length > 0;
  }

  #openNow(previous?: OpenDatabase): OpenDatabase {
    const fileId = fileIdOf(this.#path);
    try {
      return this.#openSound();
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
      const added = copyReadable(previous.database, opened.database);
      if (added > 0) this.#options.onProblem(replacedSentence(added));
      return opened;
    } catch (error) {
      closeQuietly(opened.database);
      throw error;
    }
  }

  /** Replaces the file by a new one with everything that can be read. */
  #recover(formerId: string, previous?: OpenDatabase): OpenDatabase {
    let sentence: string | undefined;
    const [path, now] = [this.#path, this.#options.now()];
    const fill = (next: string, aside: string | undefined): void => {
      const database = openBy(this.#sqlite, next, createSchema);
      try {
        const open = previous === undefined ? 0 : copyReadable(previous.database, database);
        const recovered = open + (aside === undefined ? 0 : this.#copyFile(aside, database));
        // The latest backup comes first, so that the older one adds only what is missing there.
        const restored = listBackups(path).map((backup) => ({
          madeAt: backup.madeAt,
          count: this.#copyFile(backup.path, database),
        }));
        sentence = recoverySentence({
          ...(aside === undefined || formerId === "" ? {} : { aside }),
          ...{ recovered, restored },
        });
      } finally {
        closeQuietly(database);
      }
    };
    replaceFile(this.#sqlite, { path, formerId, now, fill });
    if (sentence !== undefined) this.#options.onProblem(sentence);
    return this.#openSound();
  }

  /** Returns the number of messages; 0 if the file isn't a database, or isn't one of ours. */
  #copyFile(path: string, target: DatabaseSync): number {
    if (fileIdOf(path) === "") return 0;
    const source = new this.#sqlite.DatabaseSync(path, notDefensive);
    try {
      // Lets SQLite read what is left of a file that was cut off.
      source.exec("PRAGMA writable_schema = ON");
      return copyReadable(source, target);
    } finally {
      closeQuietly(source);
    }
  }

  #openSound(): OpenDatabase {
    const path = this.#path;
    let database: DatabaseSync | undefined;
    try {
      createPrivateFile(path);
      const before = fileIdOf(path);
      database = openJournaled(this.#sqlite, path);
      createSchema(database);
      checkSchema(database);
      checkHeader(database);
      if (statSync(path).size <= checkedSize) assertIntact(database);
      // A new file gets its identity with its first page.
      return { database, fileId: before === "" ? fileIdOf(path) : before };
    } catch (error) {
      if (database !== undefined) closeQuietly(database);
      if (sqliteTrouble(error) !== "refused") throw error;
      const isReadOnly = !isWritable(path);
      if (isReadOnly && fileIdOf(path) !== "") return this.#openReadOnly();
      if (isCalledReadOnly(error) && !isReadOnly)
        throw new DamagedError("The header says that the file is read-only.", { cause: error });
      throw error;
    }
  }

  /**
   * What is written to it is refused as on any read-only disk. SQLite opens a database with its log only if it can
   * create the log's index, unless it is told that nothing changes, which is true while nobody can write.
   */
  #openReadOnly(): OpenDatabase {
    const fileId = fileIdOf(this.#path);
    const open = (location: string): OpenDatabase => {
      const database = openBy(this.#sqlite, location, checkSchema, { readOnly: true });
      return { database, fileId, isReadOnly: true };
    };
    try {
      return open(this.#path);
    } catch (error) {
      if (sqliteTrouble(error) !== "refused") throw error;
      return open(`${pathToFileURL(this.#path).href}?immutable=1`);
    }
  }
}

/** A new database in memory, with the same tables as a file. */
export function openInMemory(sqlite: Sqlite): DatabaseSync {
  return openBy(sqlite, ":memory:", createSchema);
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

/** How a damaged, empty or missing file was replaced. Messages are counted. */
interface Recovery {
  /** Path of the file that was set aside, without the suffix of its log; undefined if nothing was left of it. */
  readonly aside?: string;
  /** What could be read of the file, or was still open in this window. */
  readonly recovered: number;
  /** What was only in the backups, which are named by when they were made (milliseconds since 1970). */
  readonly restored: readonly { readonly madeAt: number; readonly count: number }[];
}

/** What came from where, for the user. */
function recoverySentence({ aside, recovered, restored }: Recovery): string {
  const kept = [
    ...(aside === undefined && recovered === 0 ? [] : [recoveredSentence(recovered)]),
    ...restored
      .filter(({ count }) => count > 0)
      .map(({ madeAt, count }) => restoredSentence(count, formatDate(madeAt))),
  ].join(" ");
  return aside === undefined
    ? t("The conversation file was missing or empty, so a new one was created. {0}", kept)
    : t(
        "The conversation file was damaged and has been set aside as {0}. {1} The damaged file is deleted after {2} days, because it may contain content that you delete in the meantime.",
        ...[aside, kept, String(setAsideDays)],
      );
}

/** What was added to a file that has taken the place of the one that was open. */
function replacedSentence(added: number): string {
  return t(
    "The conversation file was replaced by another one while it was in use. {0} messages that were only in the former file have been added to it.",
    formatNumber(added),
  );
}

function recoveredSentence(count: number): string {
  if (count === 0) return t("No messages could be recovered from it.");
  return count === 1
    ? t("1 message was recovered from it.")
    : t("{0} messages were recovered from it.", formatNumber(count));
}

function restoredSentence(count: number, madeAt: string): string {
  return count === 1
    ? t("1 message was restored from the backup of {0}.", madeAt)
    : t("{0} messages were restored from the backup of {1}.", formatNumber(count), madeAt);
}
