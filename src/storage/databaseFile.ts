import { t } from "@vscode/l10n";
import { existsSync, renameSync, statSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { createPrivateFile } from "./privateFile.ts";
import { databaseSuffixes } from "./readableCopy.ts";
import { copyReadableRows } from "./recovery.ts";
import { checkSchema, createSchema } from "./schema.ts";
import type { Sqlite } from "./sqlite.ts";
import { DamagedError, sqliteTrouble } from "./sqliteTrouble.ts";

/** The whole file is checked at opening up to this size (bytes): about 10 ms. Damage in a larger one shows at use. */
const checkedSize = 16 * 1024 * 1024;

/** An open database, and the identity of its file. */
export interface OpenDatabase {
  readonly database: DatabaseSync;
  readonly fileId: string;
}

/** The file of the conversations: opened, checked, and set aside when it is damaged. */
export class DatabaseFile {
  readonly #sqlite: Sqlite;
  readonly #path: string;
  readonly #now: () => number;
  readonly #onProblem: (sentence: string) => void;

  constructor(sqlite: Sqlite, path: string, options: { now(): number; onProblem(sentence: string): void }) {
    this.#sqlite = sqlite;
    this.#path = path;
    this.#now = () => options.now();
    this.#onProblem = (sentence) => options.onProblem(sentence);
  }

  get path(): string {
    return this.#path;
  }

  /** Creates the file where there is none; replaces a damaged one. Throws what SQLite throws for anything else. */
  open(): OpenDatabase {
    createPrivateFile(this.#path);
    const fileId = this.#fileId();
    try {
      return { database: this.#openSound(), fileId };
    } catch (error) {
      if (sqliteTrouble(error) !== "damaged") throw error;
      return this.#replace(fileId);
    }
  }

  /** False once the file was deleted or replaced, as another window does with a damaged one. */
  isCurrent(open: OpenDatabase): boolean {
    return this.#fileId() === open.fileId;
  }

  /** Sets the damaged file aside and opens a fresh one with what could be read. */
  replace(damaged: OpenDatabase): OpenDatabase {
    closeQuietly(damaged.database);
    return this.#replace(damaged.fileId);
  }

  #replace(damagedId: string): OpenDatabase {
    // Another window may have been faster: its fresh file must stay.
    if (this.#fileId() !== damagedId) return this.open();
    const aside = this.#setAside();
    createPrivateFile(this.#path);
    const database = this.#openSound();
    const count = copyReadableRows(this.#sqlite, aside, database);
    this.#onProblem(
      t(
        "The file with the conversations was damaged and has been set aside as {0}. {1}",
        aside,
        keptOf(count),
      ),
    );
    return { database, fileId: this.#fileId() };
  }

  #setAside(): string {
    const time = new Date(this.#now()).toISOString().replace(/[:.]/gu, "-");
    const aside = `${this.#path}.damaged-${time}`;
    // The log goes first: a fresh database must never meet the log of the old one.
    for (const suffix of databaseSuffixes.toReversed()) {
      if (existsSync(this.#path + suffix)) renameSync(this.#path + suffix, aside + suffix);
    }
    return aside;
  }

  #openSound(): DatabaseSync {
    const database = new this.#sqlite.DatabaseSync(this.#path, { enableForeignKeyConstraints: true });
    try {
      createSchema(database);
      checkSchema(database);
      if (statSync(this.#path).size <= checkedSize) check(database);
      return database;
    } catch (error) {
      closeQuietly(database);
      throw error;
    }
  }

  #fileId(): string {
    const stat = statSync(this.#path, { bigint: true, throwIfNoEntry: false });
    return stat === undefined ? "" : `${stat.dev}:${stat.ino}`;
  }
}

function keptOf(messageCount: number): string {
  if (messageCount === 0) return t("No message could be read from it.");
  return messageCount === 1
    ? t("One message could be read from it and is kept.")
    : t("{0} messages could be read from it and are kept.", messageCount);
}

function check(database: DatabaseSync): void {
  const answer = database.prepare("PRAGMA quick_check(1)").get()?.["quick_check"];
  if (answer !== "ok") throw new DamagedError(String(answer));
}

function closeQuietly(database: DatabaseSync): void {
  try {
    database.close();
  } catch {
    // It was closed already, or is too damaged to be closed in order.
  }
}
