import { t } from "@vscode/l10n";
import { ServiceError } from "../../core/kernel/errors.ts";
import { ConversationReader } from "./conversationReader.ts";
import { ConversationWriter } from "./conversationWriter.ts";
import type { DatabaseFile, OpenDatabase } from "../database/databaseFile.ts";
import { numberColumn } from "../database/messageRow.ts";
import { SearchTables } from "../search/searchTables.ts";
import { sqliteTrouble, troubleMessage } from "../database/sqliteTrouble.ts";
import { sleep } from "./writeQueue.ts";
import type { Change } from "./writeQueue.ts";

/** One open database with its statements. */
interface Connection {
  readonly open: OpenDatabase;
  readonly reader: ConversationReader;
  readonly writer: ConversationWriter;
  readonly search: SearchTables;
}

/**
 * How often a read is attempted while another process locks out all readers, and the milliseconds between attempts.
 * Writers don't lock readers out, except for a moment while a log is being recovered.
 */
const busyReads = 20;
const busyReadPauseMs = 3;

/**
 * The conversations' current database. It is reopened if another window has replaced its file, and replaced if it turns
 * out to be damaged.
 */
export class ConversationDatabase {
  readonly #file: DatabaseFile;
  #connection: Connection;
  #isClosed = false;

  /** Throws SQLite's error if the file can't be opened. */
  constructor(file: DatabaseFile) {
    this.#file = file;
    this.#connection = connect(file.open());
  }

  /** Changes whenever a different file is opened. */
  get fileId(): string {
    return this.#connection.open.fileId;
  }

  /** Only use it inside a change. */
  get writer(): ConversationWriter {
    return this.#connection.writer;
  }

  get search(): SearchTables {
    return this.#connection.search;
  }

  /** `read` may be called several times. Throws a ServiceError if the file can't be read. */
  read<Result>(read: (reader: ConversationReader) => Result): Result {
    for (let attempt = 1; ; attempt++) {
      try {
        this.#keepCurrent();
        return read(this.#connection.reader);
      } catch (error) {
        this.#recoverRead(error, attempt);
      }
    }
  }

  /** Runs a step of background work once. It is retried later instead of waiting, so SQLite's errors are thrown. */
  attempt<Result>(step: () => Result): Result {
    this.#keepCurrent();
    return step();
  }

  /**
   * Applies all changes in one transaction; otherwise applies nothing and throws SQLite's error.
   * @param isSynced Whether these and all earlier changes must survive a power failure.
   */
  write(changes: readonly Change[], isSynced = false): void {
    this.#keepCurrent();
    try {
      if (isSynced) this.#transactSynced(changes);
      else this.transact(changes);
    } catch (error) {
      if (sqliteTrouble(error) !== "damaged") throw error;
      this.#reconnect(() => this.#file.replace(this.#connection.open));
      this.transact(changes);
    }
  }

  /** Applies all changes in the currently open database, whatever has happened to its file. */
  transact(changes: readonly Change[]): void {
    const { database } = this.#connection.open;
    database.exec("BEGIN IMMEDIATE");
    try {
      for (const change of changes) change();
      database.exec("COMMIT");
    } catch (error) {
      // SQLite has already rolled the transaction back if the disk is full.
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }

  /** A commit syncs everything in the log so far. If there is nothing to commit, a checkpoint does. */
  #transactSynced(changes: readonly Change[]): void {
    const { database } = this.#connection.open;
    const usual = numberColumn(database.prepare("PRAGMA synchronous").get() ?? {}, "synchronous");
    database.exec("PRAGMA synchronous = FULL");
    try {
      if (changes.length > 0) this.transact(changes);
      else database.exec("PRAGMA wal_checkpoint(PASSIVE)");
    } finally {
      if (database.isOpen) database.exec(`PRAGMA synchronous = ${usual}`);
    }
  }

  /** Moves the write-ahead log into the file and empties it; returns whether that worked. Throws SQLite's errors. */
  truncateLog(): boolean {
    this.#keepCurrent();
    const { database } = this.#connection.open;
    return database.prepare("PRAGMA wal_checkpoint(TRUNCATE)").get()?.["busy"] !== 1;
  }

  close(): void {
    this.#isClosed = true;
    const { database } = this.#connection.open;
    if (database.isOpen) database.close();
  }

  /** Another window may have replaced the file, or an attempt to do so here may have failed halfway. */
  #keepCurrent(): void {
    if (this.#isClosed) throw new Error("they are closed because VS Code is exiting");
    const { open } = this.#connection;
    if (!open.database.isOpen || !this.#file.isCurrent(open)) this.#reconnect(() => this.#file.open());
  }

  /** Returns if it is worth repeating the read; otherwise, throws. */
  #recoverRead(error: unknown, attempt: number): void {
    const trouble = attempt < busyReads ? sqliteTrouble(error) : "other";
    if (trouble === "busy") return sleep(busyReadPauseMs);
    if (trouble !== "damaged") throw cannotRead(error);
    try {
      this.#reconnect(() => this.#file.replace(this.#connection.open));
    } catch (reason) {
      throw cannotRead(reason);
    }
  }

  #reconnect(open: () => OpenDatabase): void {
    const old = this.#connection.open.database;
    this.#connection = connect(open());
    if (old.isOpen) old.close();
  }
}

function connect(open: OpenDatabase): Connection {
  const { database } = open;
  return {
    open,
    reader: new ConversationReader(database),
    writer: new ConversationWriter(database),
    search: new SearchTables(database),
  };
}

function cannotRead(error: unknown): ServiceError {
  const message = t(
    "The conversations can't be read from disk: {0}. Try again, or see the log.",
    troubleMessage(error),
  );
  return new ServiceError({ reason: "configuration", message }, error);
}
