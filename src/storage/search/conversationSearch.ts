import type { ConversationSummary } from "../../core/conversation/conversation.ts";
import { SearchCollector } from "../../core/conversation/searchResult.ts";
import type { SearchResult, SearchExtent } from "../../core/conversation/searchResult.ts";
import { parseSearchTerms } from "../../core/conversation/searchTerms.ts";
import { sqliteTrouble } from "../database/sqliteTrouble.ts";
import type { SearchIndex } from "./searchIndex.ts";
import type { SearchTables } from "./searchTables.ts";

/** Where the messages are. */
export interface SearchSource {
  readonly tables: SearchTables;
  /** All of it in one transaction, or nothing and an error. */
  transact(change: () => void): void;
}

/** Conversations that one search gives at most, beside those found by their title. */
const mostFound = 50;
/** Messages that are looked at, and milliseconds that this may take: typing goes on meanwhile. */
const mostLookedAt = 1_000;
const lookingMs = 25;
/** Milliseconds for what was written a moment ago, before a search looks for it. */
const catchUpMs = 10;

/** Finds messages, and keeps their index up with them. The index may break: the search then continues without it. */
export class IndexedSearch {
  readonly #index: SearchIndex;
  readonly #source: () => SearchSource;
  readonly #monotonic: () => number;

  /** @param monotonic Monotonic milliseconds, which measure how long a search may take. */
  constructor(index: SearchIndex, source: () => SearchSource, monotonic: () => number) {
    this.#index = index;
    this.#source = source;
    this.#monotonic = monotonic;
  }

  /** Makes some more messages searchable; returns whether others are left. Throws what the conversations' file throws, and where it or the index is busy. */
  indexSlice(): boolean {
    const { tables, transact } = this.#source();
    if (!this.#prepare(tables) || !tables.hasPending) return false;
    try {
      transact(() => {
        const entries = tables.takePending();
        this.#put(entries);
      });
    } catch (error) {
      if (!(error instanceof IndexError)) throw error;
      if (sqliteTrouble(error.cause) === "busy") throw error.cause;
      this.#recover(error.cause);
      return false;
    }
    return tables.hasPending;
  }

  /** Takes away a part of what the index has of removed messages; returns whether more is left. */
  scrubSome(): boolean {
    const { tables } = this.#source();
    if (!this.#prepare(tables) || tables.hasPending || !this.#index.hasTraces) return false;
    try {
      return this.#index.scrubSome();
    } catch (error) {
      if (sqliteTrouble(error) === "busy") throw error;
      this.#recover(error);
      return false;
    }
  }

  /** Answers within 50 ms, however many conversations there are: see the limits above. */
  search(query: string, summaries: readonly ConversationSummary[]): SearchResult {
    const terms = parseSearchTerms(query);
    if (terms.length === 0) return { hits: [], extent: "all" };
    let extent: SearchExtent = this.#catchUp() ? "all" : "indexed";
    const collector = new SearchCollector(terms, summaries);
    const { tables } = this.#source();
    const end = this.#monotonic() + lookingMs;
    let lookedAt = 0;
    for (const seq of this.#candidates(terms, tables)) {
      if (collector.foundCount >= mostFound || lookedAt++ >= mostLookedAt || this.#monotonic() > end) {
        extent = "cut";
        break;
      }
      const message = tables.message(seq);
      if (message !== undefined) collector.look(message);
    }
    return { hits: collector.hits(), extent };
  }

  close(): void {
    this.#index.close();
  }

  /** Whether everything is in the index now. */
  #catchUp(): boolean {
    const end = this.#monotonic() + catchUpMs;
    let hasMore = true;
    while (hasMore && this.#monotonic() < end) {
      try {
        hasMore = this.indexSlice();
      } catch (error) {
        // Another window is at it; anything worse shows at the next read.
        if (sqliteTrouble(error) === "busy") return false;
        throw error;
      }
    }
    return !this.#source().tables.hasPending;
  }

  /** By the index; where it doesn't have all messages, the latest ones as well. */
  *#candidates(terms: readonly string[], tables: SearchTables): Iterable<number> {
    const found = new Set<number>();
    try {
      if (this.#prepare(tables))
        for (const seq of this.#index.find(terms)) {
          found.add(seq);
          yield seq;
        }
    } catch (error) {
      this.#recover(error);
    }
    if (!tables.hasPending) return;
    for (const seq of tables.latest(mostLookedAt)) if (!found.has(seq)) yield seq;
  }

  /** Opens the index; a damaged one makes room for a fresh one. */
  #prepare(tables: SearchTables): boolean {
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        this.#index.prepare(() => tables.pendAll());
        return true;
      } catch (error) {
        // Another window is at it: the caller tries again, or searches without the index.
        if (sqliteTrouble(error) === "busy") throw error;
        this.#recover(error);
      }
    }
    return false;
  }

  #put(entries: Parameters<SearchIndex["put"]>[0]): void {
    try {
      this.#index.put(entries);
    } catch (error) {
      throw new IndexError("The messages could not be made searchable.", { cause: error });
    }
  }

  #recover(error: unknown): void {
    if (sqliteTrouble(error) === "busy" || sqliteTrouble(error) === "refused") return;
    this.#index.discard();
  }
}

/** Keeps a failure of the index apart from one of the conversations themselves. */
class IndexError extends Error {}
