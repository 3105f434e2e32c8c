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
    if (!this.#source.read((index) => index.hasPending())) return false;
    return this.#transact((index) => {
      index.indexSlice();
      return index.hasPending();
    });
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
    const end = this.#monotonic() + searchMs;
    const extent = this.#source.read((index) => this.#collect(index, terms, collector, end));
    return { hits: collector.hits(), extent };
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
    return index.hasPending(mostLookedAt) ? "indexed" : "all";
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

/** What the index finds, and the messages that it doesn't have in their current form. */
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
  for (const seq of index.pending(mostLookedAt)) if (!found.has(seq)) yield seq;
}
