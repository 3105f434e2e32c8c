import { existsSync, rmSync, statSync } from "node:fs";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { fold } from "../../core/conversation/searchTerms.ts";
import { databaseSuffixes, openJournaled, pageSizeOf } from "../database/journal.ts";
import { numberColumn } from "../database/messageRow.ts";
import type { Sqlite } from "../database/sqlite.ts";
import { createPrivateFile } from "../files/privateFile.ts";

/** The three-character index can't find anything shorter. */
const gramLength = 3;

/** Enough of a long phrase to narrow the search down. The text itself is checked in any case. */
const mostGrams = 16;

/** Whether the term is too short for the three-character index. */
function isShort(term: string): boolean {
  return Array.from(term).length < gramLength;
}

/** An FTS5 query that matches all messages containing the term, and a few others. */
function gramQuery(term: string): string {
  const characters = Array.from(term);
  const grams = new Set<string>();
  for (let i = 0; i + gramLength <= characters.length && grams.size < mostGrams; i++)
    grams.add(characters.slice(i, i + gramLength).join(""));
  return [...grams].map((gram) => `"${gram.replaceAll('"', '""')}"`).join(" AND ");
}

/** An FTS5 query for a term of one or two characters in the index of short words. */
function shortQuery(term: string): string {
  const token = encode(Array.from(term));
  // A single character is stored as the start of a pair unless it is the last one of its run.
  return Array.from(term).length === 1 ? `${token} *` : token;
}

/** The words of one or two characters and all character pairs of scripts without spaces, for FTS5. */
function shortTokens(text: string): string {
  const tokens = new Set<string>();
  const folded = fold(text);
  let word = 0;
  for (let at = 0, width = 1; at <= folded.length; at += width) {
    const code = folded.codePointAt(at) ?? space;
    width = code > 0xffff ? 2 : 1;
    const kind = kindOf(code);
    if (kind === "word") word += width;
    if (kind === "word") continue;
    if (word > 0 && word < gramLength) tokens.add(folded.slice(at - word, at));
    word = 0;
    if (kind === "packed") tokens.add(packedPair(folded, at, width));
  }
  return [...tokens].map((token) => encode(Array.from(token))).join(" ");
}

/** The character and the next one if that is also `packed`. */
function packedPair(text: string, at: number, width: number): string {
  const second = text.codePointAt(at + width) ?? space;
  const isPair = kindOf(second) === "packed";
  return text.slice(at, at + width + (isPair ? (second > 0xffff ? 2 : 1) : 0));
}

const space = 0x20;

/** `packed` scripts are written without spaces between words, so one or two characters may be a word. */
function kindOf(code: number): "word" | "packed" | "other" {
  if (code < 0x80) return isAsciiWord(code) ? "word" : "other";
  if (code < 0xc0 || (code >= 0x2000 && code < 0x2e80) || (code >= 0x3000 && code < 0x3040)) return "other";
  const isPacked =
    (code >= 0x2e80 && code < 0xa4d0) ||
    (code >= 0xac00 && code < 0xd7b0) ||
    (code >= 0xf900 && code < 0xfb00) ||
    code >= 0x1f000;
  return isPacked ? "packed" : "word";
}

/** Letters, digits, and the endings of language names: C#, C++. */
function isAsciiWord(code: number): boolean {
  return (
    (code >= 0x61 && code <= 0x7a) ||
    (code >= 0x30 && code <= 0x39) ||
    code === 0x23 ||
    code === 0x2b ||
    (code >= 0x41 && code <= 0x5a)
  );
}

/** Six hexadecimal digits per character, so that the tokenizer's definition of a letter doesn't matter. */
function encode(characters: readonly string[]): string {
  return characters
    .map((character) => `x${(character.codePointAt(0) ?? 0).toString(16).padStart(6, "0")}`)
    .join("");
}

/**
 * Bytes of a page in a new index. Every change writes a page of each of its tables, so small pages make it several times
 * smaller. Indexes of earlier versions have pages of 4,096 bytes.
 */
const pageSize = 1_024;
/** Bytes of a segment's leaf, which fits into one page together with what SQLite adds to it. */
const leafSize = 980;
/** Bytes merged at once, which takes a few milliseconds. */
const mergedSize = 65_536;

/** A message's number in the conversations' file and its text, which is undefined if the message was removed. */
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
 * The search index for messages, in a separate file. It can be rebuilt from the conversations at any time, so that its
 * size or damage never affects them. It contains no texts, only which characters are in which message.
 */
export class SearchIndex {
  readonly #sqlite: Sqlite;
  readonly #path: string;
  #open: OpenIndex | undefined;
  #scrubbing: Iterator<void> | undefined;

  constructor(sqlite: Sqlite, path: string) {
    this.#sqlite = sqlite;
    this.#path = path;
  }

  /** Call this first. `onFresh` runs if the index is empty, before it can be mistaken for a complete one. */
  prepare(onFresh: () => void): void {
    if (this.#open !== undefined && this.#open.fileId === this.#fileId()) return;
    this.close();
    createPrivateFile(this.#path);
    const database = openJournaled(this.#sqlite, this.#path, pageSize);
    try {
      const version = numberColumn(database.prepare("PRAGMA user_version").get() ?? {}, "user_version");
      if (version === 0) {
        onFresh();
        database.exec(tables);
      } else if (version === 1) database.exec(removals);
      this.#open = { database, fileId: this.#fileId(), statements: prepareIndex(database) };
    } catch (error) {
      database.close();
      throw error;
    }
  }

  /** Numbers of the messages that may contain all terms, latest first. */
  find(terms: readonly string[]): Iterable<number> {
    const { grams, words } = this.#statements();
    const long = terms.filter((term) => !isShort(term));
    const [statement, queries] =
      long.length > 0 ? [grams.find, long.map(gramQuery)] : [words.find, terms.map(shortQuery)];
    return numbers(statement, queries.join(" AND "));
  }

  /** Whether the index contains this message, possibly in an earlier form. */
  has(seq: number): boolean {
    return this.#statements().known.get(seq) !== undefined;
  }

  /** Stores all entries; otherwise stores nothing and throws. */
  put(entries: readonly IndexEntry[]): void {
    const { grams, words } = this.#statements();
    const database = this.#open?.database;
    database?.exec("BEGIN IMMEDIATE");
    try {
      for (const { seq, text } of entries) {
        if (this.has(seq)) this.#statements().noteRemoval.run();
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

  /** Whether removed messages have left traces for `scrubSome` to remove. */
  get hasTraces(): boolean {
    return this.#statements().anyRemoval.get() !== undefined;
  }

  /**
   * Removed messages stay in the segments of the index, without their numbers, until the segments are merged, and their
   * contents could be pieced together. This merges a part in a few milliseconds and returns whether there is more.
   * FTS5's own `secure-delete` has no effect on contentless tables.
   */
  scrubSome(): boolean {
    this.#scrubbing ??= mergeSegments(this.#statements());
    if (this.#scrubbing.next().done !== true) return true;
    this.#scrubbing = undefined;
    this.#statements().forgetRemovals.run();
    this.#open?.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
    return false;
  }

  /** Discards a damaged index. The next `prepare` creates a new one. */
  discard(): void {
    this.close();
    for (const suffix of databaseSuffixes) rmSync(this.#path + suffix, { force: true });
  }

  close(): void {
    this.#open?.database.close();
    this.#open = undefined;
    this.#scrubbing = undefined;
  }

  #statements(): ReturnType<typeof prepareIndex> {
    if (this.#open === undefined) throw new Error("The message index isn't open.");
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
  INSERT INTO grams (grams, rank) VALUES ('pgsz', ${leafSize});
  INSERT INTO words (words, rank) VALUES ('pgsz', ${leafSize});
  CREATE TABLE IF NOT EXISTS removal (id INTEGER PRIMARY KEY);
  PRAGMA user_version = 2;
  COMMIT;`;

/**
 * `removal` has a row while the segments may contain traces of removed messages, which is also possible in an older
 * index.
 */
const removals = `
  BEGIN IMMEDIATE;
  CREATE TABLE IF NOT EXISTS removal (id INTEGER PRIMARY KEY);
  INSERT OR IGNORE INTO removal VALUES (1);
  PRAGMA user_version = 2;
  COMMIT;`;

/** Merges a part with each step. */
function* mergeSegments(statements: ReturnType<typeof prepareIndex>): Iterator<void> {
  const { grams, words, changes, mergedPages } = statements;
  const count = (): number => numberColumn(changes.get() ?? {}, "count");
  for (const { merge } of [grams, words]) {
    // A negative number starts merging all segments. Each further step continues with this many pages.
    for (let pages = -mergedPages; ; pages = mergedPages) {
      const before = count();
      merge.run(pages);
      if (count() - before < 2) break;
      yield;
    }
  }
}

function prepareIndex(database: DatabaseSync) {
  const prepareTable = (name: "grams" | "words") => ({
    find: database.prepare(`SELECT rowid FROM ${name} WHERE ${name} MATCH ? ORDER BY rowid DESC`),
    add: database.prepare(`INSERT INTO ${name} (rowid, text) VALUES (?, ?)`),
    remove: database.prepare(`DELETE FROM ${name} WHERE rowid = ?`),
    merge: database.prepare(`INSERT INTO ${name} (${name}, rank) VALUES ('merge', ?)`),
  });
  return {
    grams: prepareTable("grams"),
    words: prepareTable("words"),
    known: database.prepare("SELECT 1 FROM words_docsize WHERE id = ?"),
    noteRemoval: database.prepare("INSERT OR IGNORE INTO removal VALUES (1)"),
    anyRemoval: database.prepare("SELECT 1 FROM removal"),
    forgetRemovals: database.prepare("DELETE FROM removal"),
    changes: database.prepare("SELECT total_changes() AS count"),
    // A leaf takes up a page.
    mergedPages: Math.ceil(mergedSize / pageSizeOf(database)),
  };
}

function* numbers(statement: StatementSync, query: string): Iterable<number> {
  for (const row of statement.iterate(query)) yield numberColumn(row, "rowid");
}
