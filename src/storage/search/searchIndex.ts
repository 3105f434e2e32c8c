import { existsSync, rmSync, statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { numberColumn } from "../messageRow.ts";
import { createPrivateFile } from "../privateFile.ts";
import { databaseSuffixes } from "../readableCopy.ts";
import type { Sqlite } from "../sqlite.ts";
import { gramQuery, isShort, shortQuery, shortTokens } from "./searchTokens.ts";

/** A message's number in the conversations' file, and its text; without one the message is gone. */
export interface IndexEntry {
  readonly seq: number;
  readonly text: string | undefined;
}

interface OpenIndex {
  readonly database: DatabaseSync;
  readonly fileId: string;
  readonly statements: ReturnType<typeof prepareIndex>;
}

/**
 * What the messages can be found by, in a file of its own: it can be made anew from the conversations at any time, so
 * that neither its size nor its damage is ever theirs. It has no texts, only which characters are in which message.
 */
export class SearchIndex {
  readonly #sqlite: Sqlite;
  readonly #path: string;
  #open: OpenIndex | undefined;

  constructor(sqlite: Sqlite, path: string) {
    this.#sqlite = sqlite;
    this.#path = path;
  }

  /** To be called before the others. `onFresh` runs where the index is empty, before anyone can take it for whole. */
  prepare(onFresh: () => void): void {
    if (this.#open !== undefined && this.#open.fileId === this.#fileId()) return;
    this.close();
    createPrivateFile(this.#path);
    const database = new this.#sqlite.DatabaseSync(this.#path);
    try {
      database.exec(
        "PRAGMA busy_timeout = 0; PRAGMA secure_delete = ON; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL",
      );
      if (database.prepare("PRAGMA user_version").get()?.["user_version"] === 0) {
        onFresh();
        database.exec(tables);
      }
      this.#open = { database, fileId: this.#fileId(), statements: prepareIndex(database) };
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Numbers of the messages that may have all terms, the latest first. */
  find(terms: readonly string[]): Iterable<number> {
    const { grams, words } = this.#statements();
    const long = terms.filter((term) => !isShort(term));
    const [statement, queries] =
      long.length > 0 ? [grams.find, long.map(gramQuery)] : [words.find, terms.map(shortQuery)];
    return numbers(statement, queries.join(" AND "));
  }

  /** All of them, or none and an error. */
  put(entries: readonly IndexEntry[]): void {
    const { grams, words } = this.#statements();
    const database = this.#open?.database;
    database?.exec("BEGIN IMMEDIATE");
    try {
      for (const { seq, text } of entries) {
        for (const { remove } of [grams, words]) remove.run(seq);
        if (text === undefined) continue;
        grams.add.run(seq, text);
        words.add.run(seq, shortTokens(text));
      }
      database?.exec("COMMIT");
    } catch (error) {
      if (database?.isTransaction === true) database.exec("ROLLBACK");
      throw error;
    }
  }

  /** Gives a damaged index up: the next `prepare` makes a fresh one. */
  discard(): void {
    this.close();
    for (const suffix of databaseSuffixes) rmSync(this.#path + suffix, { force: true });
  }

  close(): void {
    this.#open?.database.close();
    this.#open = undefined;
  }

  #statements(): ReturnType<typeof prepareIndex> {
    if (this.#open === undefined) throw new Error("The index of the messages is not open.");
    return this.#open.statements;
  }

  #fileId(): string {
    if (!existsSync(this.#path)) return "";
    const { dev, ino } = statSync(this.#path, { bigint: true });
    return `${dev}:${ino}`;
  }
}

const tables = `
  BEGIN IMMEDIATE;
  CREATE VIRTUAL TABLE IF NOT EXISTS grams
    USING fts5(text, content = '', contentless_delete = 1, detail = none, tokenize = 'trigram');
  CREATE VIRTUAL TABLE IF NOT EXISTS words
    USING fts5(text, content = '', contentless_delete = 1, detail = none, tokenize = 'ascii');
  PRAGMA user_version = 1;
  COMMIT;`;

function prepareIndex(database: DatabaseSync) {
  const prepareTable = (name: "grams" | "words") => ({
    find: database.prepare(`SELECT rowid FROM ${name} WHERE ${name} MATCH ? ORDER BY rowid DESC`),
    add: database.prepare(`INSERT INTO ${name} (rowid, text) VALUES (?, ?)`),
    remove: database.prepare(`DELETE FROM ${name} WHERE rowid = ?`),
  });
  return { grams: prepareTable("grams"), words: prepareTable("words") };
}

function* numbers(statement: StatementSync, query: string): Iterable<number> {
  for (const row of statement.iterate(query)) yield numberColumn(row, "rowid");
}
