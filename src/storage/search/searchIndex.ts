import type { DatabaseSync, StatementSync } from "node:sqlite";
import { fold } from "../../core/conversation/searchTerms.ts";
import type { SearchedMessage } from "../../core/conversation/searchResult.ts";
import { statementsOf } from "../database/journal.ts";
import { numberColumn, textColumn } from "../database/messageRow.ts";
import { indexTables } from "../database/schema.ts";
import { sqliteTrouble } from "../database/sqliteTrouble.ts";

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

/** UTF-16 code units made searchable at once, unless a single message is longer. Takes about 10 ms. */
const sliceLength = 50_000;
const sliceCount = 100;
/** Pages of the index that are merged at once, which takes a few milliseconds. */
const mergedPages = 16;

/**
 * The search index in an open database of conversations. It contains no texts, only which characters are in which
 * message. Changes to messages mark them as pending; call its methods that write inside a transaction.
 */
export class SearchIndex {
  readonly #database: DatabaseSync;
  readonly #sql: ReturnType<typeof statementsOf>;
  #scrubbing: Iterator<void> | undefined;
  /** Whether something was removed since the merge began, which may have passed its segment already. */
  #isScrubbingOutdated = false;

  constructor(database: DatabaseSync) {
    this.#database = database;
    this.#sql = statementsOf(database);
  }

  /** Numbers of the messages that may contain all terms, latest first. */
  find(terms: readonly string[]): Iterable<number> {
    const long = terms.filter((term) => !isShort(term));
    const [name, queries] =
      long.length > 0 ? ["search_grams", long.map(gramQuery)] : ["search_words", terms.map(shortQuery)];
    const found = this.#sql(`SELECT rowid AS seq FROM ${name} WHERE ${name} MATCH ? ORDER BY rowid DESC`);
    return numbers(found, queries.join(" AND "));
  }

  message(seq: number): SearchedMessage | undefined {
    const row = this.#sql("SELECT conversation_id, id, text FROM message WHERE seq = ?").get(seq);
    if (row === undefined) return undefined;
    return {
      conversationId: textColumn(row, "conversation_id"),
      id: textColumn(row, "id"),
      text: textColumn(row, "text"),
    };
  }

  /** Numbers of the messages that the index doesn't have in their current form, latest first. */
  pending(count: number): Iterable<number> {
    const pending = this.#sql("SELECT message_seq AS seq FROM search_pending ORDER BY seq DESC LIMIT ?");
    return numbers(pending, count);
  }

  /** Whether there are more of them than this. */
  hasPending(count = 0): boolean {
    return this.#sql("SELECT 1 FROM search_pending LIMIT 1 OFFSET ?").get(count) !== undefined;
  }

  /**
   * Makes some pending messages searchable and removes the traces of removed ones, which takes a few milliseconds.
   * Returns whether there is more to do.
   */
  maintain(): boolean {
    try {
      this.#indexSlice();
      return this.hasPending() || this.#scrubSome();
    } catch (error) {
      if (sqliteTrouble(error) !== "damagedIndex") throw error;
      this.#rebuild();
      return true;
    }
  }

  /** The latest messages come first. Those that no longer exist are removed. */
  #indexSlice(): void {
    const pending = this.#sql(
      `
      SELECT message_seq, text FROM search_pending LEFT JOIN message ON seq = message_seq
      ORDER BY message_seq DESC LIMIT ?`,
    ).all(sliceCount);
    let length = 0;
    for (const row of pending) {
      const seq = numberColumn(row, "message_seq");
      const { text } = row;
      if (this.#has(seq)) {
        this.#sql("INSERT OR IGNORE INTO search_removal VALUES (1)").run();
        this.#isScrubbingOutdated = true;
      }
      for (const name of indexNames) this.#sql(`DELETE FROM ${name} WHERE rowid = ?`).run(seq);
      if (typeof text === "string") {
        this.#sql("INSERT INTO search_grams (rowid, text) VALUES (?, ?)").run(seq, text);
        this.#sql("INSERT INTO search_words (rowid, text) VALUES (?, ?)").run(seq, shortTokens(text));
        length += text.length;
      }
      this.#sql("DELETE FROM search_pending WHERE message_seq = ?").run(seq);
      if (length > sliceLength) break;
    }
  }

  /**
   * Removed messages stay in the segments of the index, without their numbers, until the segments are merged, and their
   * contents could be pieced together. This merges a part in a few milliseconds and returns whether there is more.
   * FTS5's own `secure-delete` needs 30 ms for each message.
   */
  #scrubSome(): boolean {
    if (this.#scrubbing === undefined) {
      if (this.#sql("SELECT 1 FROM search_removal").get() === undefined) return false;
      this.#scrubbing = this.#mergeSegments();
      this.#isScrubbingOutdated = false;
    }
    if (this.#scrubbing.next().done !== true) return true;
    this.#scrubbing = undefined;
    if (this.#isScrubbingOutdated) return true;
    this.#sql("DELETE FROM search_removal").run();
    return false;
  }

  /** Replaces a damaged index by an empty one, to which all messages are added again. The messages are intact. */
  #rebuild(): void {
    this.#database.exec(`
      DROP TABLE search_grams; DROP TABLE search_words; ${indexTables}
      INSERT OR IGNORE INTO search_pending SELECT seq FROM message WHERE text <> '';`);
    this.#scrubbing = undefined;
  }

  /** Whether the index contains this message, possibly in an earlier form. */
  #has(seq: number): boolean {
    return this.#sql("SELECT 1 FROM search_words_docsize WHERE id = ?").get(seq) !== undefined;
  }

  /** Merges a part with each step. */
  *#mergeSegments(): Iterator<void> {
    const changes = this.#sql("SELECT total_changes() AS count");
    const count = (): number => numberColumn(changes.get() ?? {}, "count");
    for (const name of indexNames) {
      // A negative number starts merging all segments. Each further step continues with this many pages.
      for (let pages = -mergedPages; ; pages = mergedPages) {
        const before = count();
        this.#sql(`INSERT INTO ${name} (${name}, rank) VALUES ('merge', ?)`).run(pages);
        if (count() - before < 2) break;
        yield;
      }
    }
  }
}

const indexNames = ["search_grams", "search_words"] as const;

function* numbers(statement: StatementSync, value: string | number): Iterable<number> {
  for (const row of statement.iterate(value)) yield numberColumn(row, "seq");
}
