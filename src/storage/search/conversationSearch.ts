import type { ConversationSummary } from "../../core/conversation/conversation.ts";
import { SearchCollector } from "../../core/conversation/searchResult.ts";
import type { SearchExtent, SearchResult } from "../../core/conversation/searchResult.ts";
import { parseSearchQuery } from "../../core/conversation/searchTerms.ts";
import { sqliteTrouble } from "../database/sqliteTrouble.ts";
import type { SearchIndex } from "./searchIndex.ts";
import type { SearchTables } from "./searchTables.ts";

/** Milliseconds until a changed message is made searchable, because the end of a response takes several writes. */
const delayMs = 1_000;
/** Milliseconds between two slices of a long list, so that the host has time for everything else. */
const pauseMs = 25;
/** Milliseconds until the next attempt while another window is using the file. */
const busyPauseMs = 250;

/** Milliseconds until the traces of removed messages are removed from the index, which requires reading all of it. */
const scrubDelayMs = 30_000;

/** The parts of the work. Each returns whether there is more to do. */
interface IndexingSteps {
  indexBatch(): boolean;
  scrubSome(): boolean;
}

/**
 * Makes messages searchable in the background once there are enough of them, a slice at a time, and removes the traces
 * of removed ones. A search itself makes the remaining ones searchable.
 */
export class SearchIndexer {
  readonly #steps: IndexingSteps;
  #timer: NodeJS.Timeout | undefined;
  #scrubTimer: NodeJS.Timeout | undefined;

  constructor(steps: IndexingSteps) {
    this.#steps = steps;
  }

  /** Called when something may have changed. */
  wake(): void {
    this.#schedule(delayMs);
  }

  dispose(): void {
    clearTimeout(this.#timer);
    clearTimeout(this.#scrubTimer);
    this.#timer = undefined;
    this.#scrubTimer = undefined;
  }

  #schedule(ms: number): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      const next = this.#run(() => this.#steps.indexBatch());
      if (next === undefined) this.#scheduleScrub(scrubDelayMs);
      else this.#schedule(next);
    }, ms).unref();
  }

  #scheduleScrub(ms: number): void {
    this.#scrubTimer ??= setTimeout(() => {
      this.#scrubTimer = undefined;
      const next = this.#run(() => this.#steps.scrubSome());
      if (next !== undefined) this.#scheduleScrub(next);
    }, ms).unref();
  }

  /** Returns the milliseconds until the next step; undefined if there is nothing left to do. */
  #run(step: () => boolean): number | undefined {
    try {
      return step() ? pauseMs : undefined;
    } catch (error) {
      // Problems with the file are reported elsewhere. The next change resumes the work.
      return sqliteTrouble(error) === "busy" ? busyPauseMs : undefined;
    }
  }
}

/** The source of the messages. */
interface SearchSource {
  readonly tables: SearchTables;
  /** Makes the whole change in one transaction; otherwise changes nothing and throws. */
  transact(change: () => void): void;
}

/** Maximum number of conversations found per search, not counting those found by their title. */
const mostFound = 50;
/** Maximum number of messages to examine. */
const mostLookedAt = 1_000;
/** Milliseconds after which no further message is examined, because the user is still typing. */
const searchMs = 35;
/** The part of these milliseconds that may be used to index recent changes. */
const catchUpMs = 10;

/** Finds messages and keeps their index up to date. If the index fails, the search continues without it. */
export class IndexedSearch {
  readonly #index: SearchIndex;
  readonly #source: () => SearchSource;
  readonly #monotonic: () => number;

  /** @param monotonic Monotonic milliseconds, used to limit how long a search takes. */
  constructor(index: SearchIndex, source: () => SearchSource, monotonic: () => number) {
    this.#index = index;
    this.#source = source;
    this.#monotonic = monotonic;
  }

  /** The same as `indexSlice`, but only if it is worth the write or removes something from the index. */
  indexBatch(): boolean {
    const { tables } = this.#source();
    return this.#prepare(tables) && this.#isBatchDue(tables) && this.indexSlice();
  }

  #isBatchDue(tables: SearchTables): boolean {
    return tables.isBatchDue((seq) => this.#isIndexed(seq));
  }

  /** True if it can't be determined: writing to a damaged index replaces it. */
  #isIndexed(seq: number): boolean {
    try {
      return this.#index.has(seq);
    } catch (error) {
      if (sqliteTrouble(error) === "busy") throw error;
      return true;
    }
  }

  /**
   * Makes some more messages searchable; returns whether there are more. Throws errors of the conversations' file, and
   * if that file or the index is busy.
   */
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

  /** Removes some of the traces that removed messages have left in the index; returns whether there are more. */
  scrubSome(): boolean {
    const { tables } = this.#source();
    if (!this.#prepare(tables) || this.#isBatchDue(tables) || !this.#index.hasTraces) return false;
    try {
      return this.#index.scrubSome();
    } catch (error) {
      if (sqliteTrouble(error) === "busy") throw error;
      this.#recover(error);
      return false;
    }
  }

  /** Returns within 50 ms, regardless of the number of conversations, because of the limits defined in this file. */
  search(query: string, summaries: readonly ConversationSummary[]): SearchResult {
    const parsed = parseSearchQuery(query);
    if (parsed === undefined) return { hits: [], extent: "all" };
    const { terms } = parsed;
    const collector = new SearchCollector(parsed, summaries);
    if (terms.length === 0) return { hits: collector.hits(), extent: "all" };
    const start = this.#monotonic();
    let extent: SearchExtent = this.#catchUp(start + catchUpMs) ? "all" : "indexed";
    const { tables } = this.#source();
    const end = start + searchMs;
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

  /**
   * Returns whether everything is in the index now. Adds recent changes until this time; while there are many, such as
   * after an import, that is left to the background.
   */
  #catchUp(end: number): boolean {
    let hasMore = !this.#source().tables.hasManyPending;
    while (hasMore && this.#monotonic() < end) {
      try {
        hasMore = this.indexSlice();
      } catch (error) {
        // Another window is using it, or the disk is full. Any worse problem shows up at the next read.
        if (["busy", "refused"].includes(sqliteTrouble(error))) return false;
        throw error;
      }
    }
    return !this.#source().tables.hasPending;
  }

  /** Uses the index and, if it doesn't contain all messages yet, the latest messages as well. */
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

  /** Opens the index, replacing a damaged one. */
  #prepare(tables: SearchTables): boolean {
    for (let attempt = 0; attempt < 2; attempt++) {
      try {
        this.#index.prepare(() => tables.pendAll());
        return true;
      } catch (error) {
        // Another window is using it: the caller tries again, or searches without the index.
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
      throw new IndexError("The messages couldn't be indexed.", { cause: error });
    }
  }

  #recover(error: unknown): void {
    if (sqliteTrouble(error) === "busy" || sqliteTrouble(error) === "refused") return;
    this.#index.discard();
  }
}

/** Distinguishes a failure of the index from one of the conversations' file. */
class IndexError extends Error {}
