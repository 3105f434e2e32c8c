import type { ConversationSummary } from "../../core/conversation/conversation.ts";
import { SearchCollector } from "../../core/conversation/searchResult.ts";
import type { SearchExtent, SearchResult } from "../../core/conversation/searchResult.ts";
import { parseSearchQuery } from "../../core/conversation/searchTerms.ts";
import { sqliteTrouble } from "../database/sqliteTrouble.ts";
import type { SearchIndex } from "./searchIndex.ts";

/** Makes changes to the index that is open at that time. */
interface SearchSource {
  read<Result>(read: (index: SearchIndex) => Result): Result;
  /** Makes the whole change in one transaction; otherwise changes nothing and throws SQLite's errors. */
  transact<Result>(change: (index: SearchIndex) => Result): Result;
}

/** Maximum number of conversations found per search, not counting those found by their title. */
const mostFound = 50;
/** Maximum number of messages to examine. */
const mostLookedAt = 1_000;
/** Milliseconds after which no further message is examined, because the user is still typing. */
const searchMs = 35;
/** The part of these milliseconds that may be used to index recent changes. */
const catchUpMs = 10;

/** Finds messages and keeps their index up to date. */
export class IndexedSearch {
  readonly #source: SearchSource;
  readonly #monotonic: () => number;

  /** @param monotonic Monotonic milliseconds, used to limit how long a search takes. */
  constructor(source: SearchSource, monotonic: () => number) {
    this.#source = source;
    this.#monotonic = monotonic;
  }

  /** Makes some more messages searchable; returns whether there are more. Throws SQLite's errors. */
  indexSome(): boolean {
    return this.#source.read((index) => index.hasPending) && this.#indexSlice();
  }

  /** Removes some of the traces that removed messages have left in the index; returns whether there are more. */
  scrubSome(): boolean {
    return this.#transact((index) => index.scrubSome());
  }

  /** Returns within 50 ms, regardless of the number of conversations, because of the limits defined in this file. */
  search(query: string, summaries: readonly ConversationSummary[]): SearchResult {
    const parsed = parseSearchQuery(query);
    if (parsed === undefined) return { hits: [], extent: "all" };
    const { terms } = parsed;
    const collector = new SearchCollector(parsed, summaries);
    if (terms.length === 0) return { hits: collector.hits(), extent: "all" };
    const start = this.#monotonic();
    const isIndexed = this.#catchUp(start + catchUpMs);
    const extent = this.#source.read((index) => this.#collect(index, terms, collector, start + searchMs));
    return { hits: collector.hits(), extent: extent === "all" && !isIndexed ? "indexed" : extent };
  }

  #collect(
    index: SearchIndex,
    terms: readonly string[],
    collector: SearchCollector,
    end: number,
  ): SearchExtent {
    let lookedAt = 0;
    for (const seq of candidates(index, terms)) {
      if (collector.foundCount >= mostFound || lookedAt++ >= mostLookedAt || this.#monotonic() > end)
        return "cut";
      const message = index.message(seq);
      if (message !== undefined) collector.look(message);
    }
    return "all";
  }

  /**
   * Returns whether everything is in the index now. Adds recent changes until this time; while there are many, such as
   * after an import, that is left to the background.
   */
  #catchUp(end: number): boolean {
    let hasMore = !this.#source.read((index) => index.hasManyPending);
    while (hasMore && this.#monotonic() < end) {
      try {
        hasMore = this.#indexSlice();
      } catch (error) {
        // Another window is using it, or the disk is full. Any worse problem shows up at the next read.
        if (["busy", "refused"].includes(sqliteTrouble(error))) return false;
        throw error;
      }
    }
    return !this.#source.read((index) => index.hasPending);
  }

  #indexSlice(): boolean {
    return this.#transact((index) => {
      index.indexSlice();
      return index.hasPending;
    });
  }

  /** A damaged index is created again. The messages are intact. */
  #transact(change: (index: SearchIndex) => boolean): boolean {
    try {
      return this.#source.transact(change);
    } catch (error) {
      if (sqliteTrouble(error) !== "damagedIndex") throw error;
      this.#source.transact((index) => index.rebuild());
      return true;
    }
  }
}

/** Uses the index and, if it doesn't contain all messages yet, the latest messages as well. */
function* candidates(index: SearchIndex, terms: readonly string[]): Iterable<number> {
  const found = new Set<number>();
  try {
    for (const seq of index.find(terms)) {
      found.add(seq);
      yield seq;
    }
  } catch (error) {
    // The next change to a damaged index replaces it.
    if (sqliteTrouble(error) !== "damagedIndex") throw error;
  }
  if (!index.hasPending) return;
  for (const seq of index.latest(mostLookedAt)) if (!found.has(seq)) yield seq;
}
