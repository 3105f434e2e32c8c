import type { ConversationSummary } from "../../core/conversation/conversation.ts";
import { SearchCollector } from "../../core/conversation/searchResult.ts";
import type { SearchExtent, SearchResult } from "../../core/conversation/searchResult.ts";
import { parseSearchQuery } from "../../core/conversation/searchTerms.ts";
import { sqliteTrouble } from "../database/sqliteTrouble.ts";
import type { SearchIndex } from "./searchIndex.ts";

/** Maximum number of conversations found per search, not counting those found by their title. */
const mostFound = 50;
/** Maximum number of messages to examine. */
const mostLookedAt = 1_000;
/** Milliseconds after which no further message is examined, because the user is still typing. */
const searchMs = 35;

/**
 * Finds messages. Returns within 50 ms, regardless of the number of conversations, because of the limits defined in this
 * file.
 * @param read Reads from the index that is open.
 * @param monotonic Monotonic milliseconds.
 */
export function searchConversations(
  query: string,
  summaries: readonly ConversationSummary[],
  read: (collect: (index: SearchIndex) => SearchExtent) => SearchExtent,
  monotonic: () => number,
): SearchResult {
  const parsed = parseSearchQuery(query);
  if (parsed === undefined) return { hits: [], extent: "all" };
  const { terms } = parsed;
  const collector = new SearchCollector(parsed, summaries);
  const end = monotonic() + searchMs;
  const isOver = (): boolean => monotonic() > end;
  const extent = terms.length === 0 ? "all" : read((index) => collect(index, terms, collector, isOver));
  return { hits: collector.hits(), extent };
}

function collect(
  index: SearchIndex,
  terms: readonly string[],
  collector: SearchCollector,
  isOver: () => boolean,
): SearchExtent {
  let lookedAt = 0;
  for (const seq of candidates(index, terms)) {
    if (collector.foundCount >= mostFound || lookedAt++ >= mostLookedAt || isOver()) return "cut";
    const message = index.message(seq);
    if (message !== undefined) collector.look(message);
  }
  return index.hasPending(mostLookedAt) ? "indexed" : "all";
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
