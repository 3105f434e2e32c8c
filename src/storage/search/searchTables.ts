import type { DatabaseSync } from "node:sqlite";
import type { SearchedMessage } from "../../core/conversation/searchResult.ts";
import { numberColumn, parseRole, textColumn } from "../database/messageRow.ts";
import type { Row } from "../database/messageRow.ts";
import type { IndexEntry } from "./searchIndex.ts";

/** UTF-16 code units made searchable at once, unless a single message is longer. Takes about 10 ms. */
const sliceLength = 50_000;
const sliceCount = 100;
/**
 * Bytes or number of new messages for which the index is written without a search for them. Each write changes about
 * 12 pages, even for a single word. Leaves a search little to do: a few milliseconds.
 */
const batchLength = 16_000;
const batchCount = 50;

/** The tables that the search needs in an open database of conversations. */
export class SearchTables {
  readonly #statements: ReturnType<typeof prepareSearch>;

  constructor(database: DatabaseSync) {
    this.#statements = prepareSearch(database);
  }

  get hasPending(): boolean {
    return this.#statements.anyPending.get() !== undefined;
  }

  /** Whether more messages are pending than are made searchable at once. */
  get hasManyPending(): boolean {
    return numberColumn(this.#statements.somePending.get(sliceCount + 1) ?? {}, "count") > sliceCount;
  }

  /**
   * Whether it is time to write the pending messages to the index: they are many, or some of them must replace what it
   * contains.
   * @param isIndexed Whether the index contains the message with this number in any form.
   */
  isBatchDue(isIndexed: (seq: number) => boolean): boolean {
    const rows = this.#statements.pendingLengths.all(batchCount);
    const length = rows.reduce((sum, row) => sum + numberColumn(row, "length"), 0);
    return (
      length >= batchLength ||
      rows.length >= batchCount ||
      rows.some((row) => isIndexed(numberColumn(row, "message_seq")))
    );
  }

  /** Marks every message to be made searchable again. */
  pendAll(): void {
    this.#statements.pendAll.run();
  }

  /** The messages, latest first, that were written or removed since they were made searchable. */
  takePending(): readonly IndexEntry[] {
    const entries: IndexEntry[] = [];
    let length = 0;
    for (const row of this.#statements.pending.iterate(sliceCount)) {
      const { text } = row;
      entries.push({
        seq: numberColumn(row, "message_seq"),
        text: typeof text === "string" ? text : undefined,
      });
      length += typeof text === "string" ? text.length : 0;
      if (length > sliceLength) break;
    }
    for (const { seq } of entries) this.#statements.deletePending.run(seq);
    return entries;
  }

  message(seq: number): SearchedMessage | undefined {
    const row = this.#statements.message.get(seq);
    return row === undefined ? undefined : parseSearched(row);
  }

  /** Numbers of the latest messages, whether they are in the index or not. */
  *latest(count: number): Iterable<number> {
    for (const row of this.#statements.latest.iterate(count)) yield numberColumn(row, "seq");
  }
}

function parseSearched(row: Row): SearchedMessage {
  return {
    conversationId: textColumn(row, "conversation_id"),
    id: textColumn(row, "id"),
    role: parseRole(row["role"]),
    text: textColumn(row, "text"),
  };
}

function prepareSearch(database: DatabaseSync) {
  return {
    anyPending: database.prepare("SELECT 1 FROM search_pending LIMIT 1"),
    somePending: database.prepare("SELECT count(*) AS count FROM (SELECT 1 FROM search_pending LIMIT ?)"),
    pendAll: database.prepare("INSERT OR IGNORE INTO search_pending SELECT seq FROM message"),
    pending: database.prepare(`
      SELECT message_seq, text FROM search_pending
      LEFT JOIN message ON seq = message_seq AND status <> 'streaming'
      ORDER BY message_seq DESC LIMIT ?`),
    // These lengths are read without the texts themselves.
    pendingLengths: database.prepare(`
      SELECT message_seq, octet_length(text) AS length FROM search_pending
      LEFT JOIN message ON seq = message_seq LIMIT ?`),
    deletePending: database.prepare("DELETE FROM search_pending WHERE message_seq = ?"),
    message: database.prepare("SELECT conversation_id, id, role, text FROM message WHERE seq = ?"),
    latest: database.prepare("SELECT seq FROM message ORDER BY seq DESC LIMIT ?"),
  };
}
