import { existsSync, rmSync } from "node:fs";
import type { DatabaseSync } from "node:sqlite";
import { passageSnippet, vectorOf } from "../../core/library/meaning/passages.ts";
import type { Passage, Vector } from "../../core/library/meaning/passages.ts";
import { closeQuietly, openJournaled } from "../database/journal.ts";
import { numberColumn, storable, textColumn } from "../database/messageRow.ts";
import { databaseSuffixes } from "../database/readableCopy.ts";
import type { Sqlite } from "../database/sqlite.ts";
import { sqliteTrouble } from "../database/sqliteTrouble.ts";
import { createPrivateFile } from "../files/privateFile.ts";
import { systemCodeOf } from "../../core/kernel/thrown.ts";

/** A passage with its vector, as stored. */
interface IndexedPassage {
  readonly conversationId: string;
  readonly messageId: string;
  readonly snippet: string;
  readonly vector: Vector;
}

/** A window that hasn't renewed its claim for this long (in milliseconds) no longer indexes. */
const claimMs = 60_000;
/** Number of passages read at once, which takes a few milliseconds. */
const scannedAtOnce = 400;

interface OpenIndex {
  readonly database: DatabaseSync;
  readonly statements: ReturnType<typeof prepareIndex>;
}

/**
 * The vectors of conversations in a separate file on this machine, which all windows share. It can be recreated at any
 * time, at the cost of the requests for it. What is removed is overwritten.
 */
export class MeaningIndex {
  readonly #sqlite: Sqlite;
  readonly #path: string;
  #open: OpenIndex | undefined;

  constructor(sqlite: Sqlite, path: string) {
    this.#sqlite = sqlite;
    this.#path = path;
  }

  /**
   * Opens the file. It starts over if it belongs to another source, or if it is damaged. Throws SQLite's error if it
   * can't be opened or is in use.
   * @param source The service and the model that the vectors come from.
   */
  open(source: string): void {
    try {
      this.#prepare(source);
    } catch (error) {
      if (sqliteTrouble(error) !== "damaged") throw error;
      this.delete();
      this.#prepare(source);
    }
  }

  /** How far each conversation is indexed, by its ID: the value given to `finish`; empty if it isn't finished. */
  states(): ReadonlyMap<string, string> {
    const rows = this.#statements.states.all();
    return new Map(rows.map((row) => [textColumn(row, "id"), textColumn(row, "state")]));
  }

  /** Number of passages. */
  get count(): number {
    return numberColumn(this.#statements.count.get() ?? {}, "count");
  }

  /** The hashes of the conversation's passages by message and part. */
  hashes(conversationId: string): ReadonlyMap<string, string> {
    const rows = this.#statements.hashes.all(conversationId);
    return new Map(
      rows.map((row) => [
        `${textColumn(row, "message_id")} ${numberColumn(row, "part")}`,
        textColumn(row, "hash"),
      ]),
    );
  }

  /** Adds or replaces passages. What was added stays if the process is killed before the conversation is finished. */
  put(conversationId: string, passages: readonly (Passage & { readonly vector: Vector })[]): void {
    this.#transact(({ begin, put }) => {
      begin.run(conversationId);
      for (const { messageId, part, text, hash, vector } of passages)
        put.run(conversationId, messageId, part, hash, storable(passageSnippet(text)), vector.values);
    });
  }

  /** The conversation has exactly these passages now. */
  finish(conversationId: string, state: string, passages: readonly Passage[]): void {
    const kept = new Set(passages.map(({ messageId, part }) => `${messageId} ${part}`));
    const gone = [...this.hashes(conversationId).keys()].filter((key) => !kept.has(key));
    this.#transact(({ begin, finish, removePassage }) => {
      begin.run(conversationId);
      for (const key of gone) {
        const space = key.lastIndexOf(" ");
        removePassage.run(conversationId, key.slice(0, space), Number(key.slice(space + 1)));
      }
      finish.run(state, conversationId);
    });
    if (gone.length > 0) this.#forgetLog();
  }

  /** Removes everything about these conversations. */
  remove(conversationIds: readonly string[]): void {
    if (conversationIds.length === 0) return;
    this.#transact(({ remove }) => {
      for (const id of conversationIds) remove.run(id);
    });
    this.#forgetLog();
  }

  /** All passages, a few at a time. What other windows add in the meantime may be missing. */
  *scan(): Generator<readonly IndexedPassage[]> {
    for (let after = 0; ;) {
      const rows = this.#statements.scan.all(after);
      if (rows.length === 0) return;
      yield rows.flatMap((row): readonly IndexedPassage[] => {
        const { vector } = row;
        if (!(vector instanceof Uint8Array)) return [];
        return [
          {
            conversationId: textColumn(row, "conversation_id"),
            messageId: textColumn(row, "message_id"),
            snippet: textColumn(row, "snippet"),
            vector: vectorOf(new Int8Array(vector.buffer, vector.byteOffset, vector.byteLength)),
          },
        ];
      });
      after = numberColumn(rows.at(-1) ?? {}, "seq");
    }
  }

  /**
   * Lets one window at a time index. Returns whether it is this one.
   * @param now Milliseconds since 1970.
   */
  claim(owner: string, now: number): boolean {
    const { changes } = this.#statements.claim.run({ owner, now, oldest: now - claimMs });
    return Number(changes) > 0;
  }

  /**
   * Closes the file and deletes it. Other windows create it again when they find it missing. On Windows, a file that
   * another window has open stays: the last window that deletes it succeeds.
   */
  delete(): void {
    this.close();
    for (const suffix of databaseSuffixes) {
      try {
        rmSync(this.#path + suffix, { force: true });
      } catch (error) {
        if (systemCodeOf(error) !== "EBUSY") throw error;
      }
    }
  }

  /** Whether the file was deleted, by this or by another window. */
  get isGone(): boolean {
    return this.#open === undefined || !existsSync(this.#path);
  }

  close(): void {
    if (this.#open !== undefined) closeQuietly(this.#open.database);
    this.#open = undefined;
  }

  #prepare(source: string): void {
    this.close();
    createPrivateFile(this.#path);
    const database = openJournaled(this.#sqlite, this.#path);
    try {
      database.exec(tables);
      this.#open = { database, statements: prepareIndex(database) };
      this.#transact(({ source: read }) => {
        if (read.get()?.["source"] === source) return;
        database.exec("DELETE FROM conversation; DELETE FROM about");
        database.prepare("INSERT INTO about (source, owner, claimed_at) VALUES (?, '', 0)").run(source);
      });
    } catch (error) {
      closeQuietly(database);
      this.#open = undefined;
      throw error;
    }
  }

  #transact(change: (statements: ReturnType<typeof prepareIndex>) => void): void {
    const { database } = this.#opened;
    database.exec("BEGIN IMMEDIATE");
    try {
      change(this.#statements);
      database.exec("COMMIT");
    } catch (error) {
      if (database.isTransaction) database.exec("ROLLBACK");
      throw error;
    }
  }

  /** Removed data must not stay in the log. If another window is reading from it, that window clears it. */
  #forgetLog(): void {
    this.#opened.database.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  }

  get #statements(): ReturnType<typeof prepareIndex> {
    return this.#opened.statements;
  }

  get #opened(): OpenIndex {
    if (this.#open === undefined) throw new Error("The index isn't open.");
    return this.#open;
  }
}

const tables = `
  CREATE TABLE IF NOT EXISTS about (source TEXT NOT NULL, owner TEXT NOT NULL, claimed_at INTEGER NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS conversation (id TEXT PRIMARY KEY, state TEXT NOT NULL) STRICT;
  CREATE TABLE IF NOT EXISTS passage (
    seq INTEGER PRIMARY KEY,
    conversation_id TEXT NOT NULL REFERENCES conversation (id) ON DELETE CASCADE,
    message_id TEXT NOT NULL,
    part INTEGER NOT NULL,
    hash TEXT NOT NULL,
    snippet TEXT NOT NULL,
    vector BLOB NOT NULL,
    UNIQUE (conversation_id, message_id, part)
  ) STRICT;`;

function prepareIndex(database: DatabaseSync) {
  return {
    source: database.prepare("SELECT source FROM about"),
    claim: database.prepare(`
      UPDATE about SET owner = $owner, claimed_at = $now
      WHERE owner = $owner OR claimed_at NOT BETWEEN $oldest AND $now`),
    states: database.prepare("SELECT id, state FROM conversation"),
    count: database.prepare("SELECT count(*) AS count FROM passage"),
    hashes: database.prepare("SELECT message_id, part, hash FROM passage WHERE conversation_id = ?"),
    begin: database.prepare("INSERT OR IGNORE INTO conversation (id, state) VALUES (?, '')"),
    put: database.prepare(`
      INSERT OR REPLACE INTO passage (conversation_id, message_id, part, hash, snippet, vector)
      VALUES (?, ?, ?, ?, ?, ?)`),
    finish: database.prepare("UPDATE conversation SET state = ? WHERE id = ?"),
    removePassage: database.prepare(
      "DELETE FROM passage WHERE conversation_id = ? AND message_id = ? AND part = ?",
    ),
    remove: database.prepare("DELETE FROM conversation WHERE id = ?"),
    scan: database.prepare(`
      SELECT seq, conversation_id, message_id, snippet, vector FROM passage
      WHERE seq > ? ORDER BY seq LIMIT ${scannedAtOnce}`),
  };
}
