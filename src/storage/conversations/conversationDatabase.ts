import { t } from "@vscode/l10n";
import type { DatabaseSync } from "node:sqlite";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { DatabaseFile, OpenDatabase } from "../database/databaseFile.ts";
import { closeQuietly, durably, transact } from "../database/journal.ts";
import { NewerSchemaError } from "../database/schema.ts";
import { sqliteTrouble, troubleMessage } from "../database/sqliteTrouble.ts";
import { sleep } from "../files/heldFile.ts";
import { Tables } from "./tables.ts";

/** One open database with its statements. */
interface Connection {
  readonly open: OpenDatabase;
  readonly tables: Tables;
}

/**
 * How often a read is attempted while another process locks out all readers, and the milliseconds between attempts.
 * Writers don't lock readers out, except for a moment while a log is being recovered.
 */
const busyReads = 20;
const busyReadPauseMs = 3;

/**
 * The conversations' current database. It is opened at the first use, opened again if its file was moved, deleted or
 * replaced, and replaced if it turns out to be damaged.
 */
export class ConversationDatabase {
  readonly #file: DatabaseFile;
  #connection: Connection | undefined;
  #isClosed = false;

  constructor(file: DatabaseFile) {
    this.#file = file;
  }

  /** Changes whenever a different file is opened. Empty while none is open. */
  get fileId(): string {
    return this.#connection?.open.fileId ?? "";
  }

  /** `read` may be called several times. Throws a ServiceError if the file can't be read. */
  read<Result>(read: (tables: Tables) => Result): Result {
    for (let attempt = 1; ; attempt++) {
      try {
        return read(this.#readable().tables);
      } catch (error) {
        this.#recoverRead(error, attempt);
      }
    }
  }

  /**
   * Makes the whole change in one transaction; otherwise changes nothing and throws SQLite's error.
   * @param isSynced Whether this and all earlier changes must survive a power failure.
   */
  transact<Result>(change: (tables: Tables) => Result, isSynced = false): Result {
    try {
      return this.#transactOnce(change, isSynced);
    } catch (error) {
      if (sqliteTrouble(error) !== "damaged" || this.#connection === undefined) throw error;
      this.#replaceDamaged(this.#connection);
      return this.#transactOnce(change, isSynced);
    }
  }

  /** Reads once, even if the file is gone that is still open here. Throws SQLite's errors. */
  readOnce<Result>(read: (database: DatabaseSync) => Result): Result {
    return read(this.#readable().open.database);
  }

  /** Runs a step of background work once on the database. Throws SQLite's errors. */
  attempt<Result>(step: (database: DatabaseSync) => Result): Result {
    return step(this.#current().open.database);
  }

  close(): void {
    this.#isClosed = true;
    const database = this.#connection?.open.database;
    if (database?.isOpen === true) database.close();
  }

  #transactOnce<Result>(change: (tables: Tables) => Result, isSynced: boolean): Result {
    const { open, tables } = this.#current();
    const { database } = open;
    const run = (): Result => transact(database, () => change(tables));
    return isSynced ? durably(database, run) : run();
  }

  /** If the file is gone or was replaced, and can't be opened for now, what was open before can still be read. */
  #readable(): Connection {
    const known = this.#connection;
    try {
      return this.#current();
    } catch (error) {
      if (this.#isClosed || known?.open.database.isOpen !== true) throw error;
      return known;
    }
  }

  #current(): Connection {
    if (this.#isClosed) throw new Error("they are closed because VS Code is exiting");
    const known = this.#connection;
    if (known?.open.database.isOpen === true && this.#file.isCurrent(known.open)) return known;
    const isUsable = known?.open.database.isOpen === true;
    this.#connection = connect(this.#file.open(isUsable ? known.open : undefined));
    if (isUsable) closeQuietly(known.open.database);
    return this.#connection;
  }

  #replaceDamaged(damaged: Connection): void {
    this.#connection = connect(this.#file.replace(damaged.open));
  }

  /** Returns if it is worth repeating the read; otherwise, throws. */
  #recoverRead(error: unknown, attempt: number): void {
    const trouble = attempt < busyReads ? sqliteTrouble(error) : "other";
    if (trouble === "busy") return sleep(busyReadPauseMs);
    if (trouble !== "damaged" || this.#connection === undefined) throw cannotRead(error);
    try {
      this.#replaceDamaged(this.#connection);
    } catch (reason) {
      throw cannotRead(reason);
    }
  }
}

function connect(open: OpenDatabase): Connection {
  return { open, tables: new Tables(open.database) };
}

/** Why the file can't be used, as a sentence for the user. */
export function newerSentence(): string {
  return t(
    "The conversations were saved by a newer version of Inference Gateway. Update the extension to open them. Nothing was changed.",
  );
}

/** The error for the user when the file can't be read for this reason. */
export function cannotRead(error: unknown): ServiceError {
  const message =
    error instanceof NewerSchemaError
      ? newerSentence()
      : t(
          "The conversations can't be read from disk: {0}. Try again, or see the log.",
          troubleMessage(error),
        );
  return new ServiceError({ reason: "configuration", message }, error);
}
