import type { ConversationSummary } from "./conversation.ts";
import { hasTags } from "./conversationTags.ts";
import { fold, hasAllTerms } from "./searchTerms.ts";
import type { SearchQuery } from "./searchTerms.ts";

/** UTF-16 units of context before and after a match. */
const before = 40;
const after = 110;

/** Maximum number of matches of a word to consider: more of them don't improve the snippet. */
const maxMatches = 200;

/** One line of the text where most of the terms are close together; from the start if none occurs. */
export function snippetOf(text: string, terms: readonly string[]): string {
  const [start, end] = rangeAround(text, findBest(text, terms));
  const line = text.slice(start, end).replace(/\s+/gu, " ").trim();
  return `${start > 0 ? "…" : ""}${line}${end < text.length ? "…" : ""}`;
}

/** The position where the rarest term has most of the others around it. */
function findBest(text: string, terms: readonly string[]): number {
  const folded = fold(text);
  // A few letters change their length with their case, which makes offsets useless.
  if (folded.length !== text.length) return 0;
  const matches = terms.map((term) => matchesOf(term, folded)).filter((found) => found.length > 0);
  const rarest = matches.toSorted((left, right) => left.length - right.length)[0] ?? [];
  let [best, most] = [rarest[0] ?? 0, 0];
  for (const place of rarest) {
    const around = folded.slice(Math.max(0, place - before), place + after);
    const count = terms.filter((term) => around.includes(term)).length;
    if (count > most) [best, most] = [place, count];
  }
  return best;
}

function matchesOf(term: string, folded: string): readonly number[] {
  const matches: number[] = [];
  for (
    let at = folded.indexOf(term);
    at >= 0 && matches.length < maxMatches;
    at = folded.indexOf(term, at + 1)
  )
    matches.push(at);
  return matches;
}

/** Cut between words if one ends nearby, and never inside a surrogate pair. */
function rangeAround(text: string, place: number): readonly [number, number] {
  const earliest = Math.max(0, place - before);
  const space = earliest === 0 ? -1 : text.slice(earliest, place).search(/\s/u);
  const start = space < 0 ? earliest : earliest + space + 1;
  const end = Math.min(text.length, place + after);
  return [start + (isLowSurrogate(text, start) ? 1 : 0), end - (isLowSurrogate(text, end) ? 1 : 0)];
}

function isLowSurrogate(text: string, index: number): boolean {
  const unit = text.charCodeAt(index);
  return unit >= 0xdc00 && unit <= 0xdfff;
}

/** A message that contains all search terms. */
export interface MessageHit {
  readonly messageId: string;
  /** One line around the match. */
  readonly snippet: string;
}

/** A conversation with matches in its title, in its messages, or in both. */
export interface SearchHit {
  readonly conversation: ConversationSummary;
  readonly isInTitle: boolean;
  /** The latest come first; possibly truncated. */
  readonly messages: readonly MessageHit[];
}

/**
 * How much was searched: everything, everything except older messages that are still being indexed, or as much as one
 * search may.
 */
export type SearchExtent = "all" | "indexed" | "cut";

/** The matches of a search, and how much of the conversations they cover. */
export interface SearchResult {
  /** The best matches come first. */
  readonly hits: readonly SearchHit[];
  readonly extent: SearchExtent;
}

/** A message as read by the search. */
export interface SearchedMessage {
  readonly conversationId: string;
  readonly id: string;
  readonly text: string;
}

const hitsPerConversation = 3;

/** Collects the hits of one search. */
export class SearchCollector {
  readonly #terms: readonly string[];
  readonly #summaries: ReadonlyMap<string, ConversationSummary>;
  readonly #titles = new Set<string>();
  readonly #messages = new Map<string, MessageHit[]>();

  /** @param summaries Every conversation that can be found if it has the tags. */
  constructor({ terms, tags }: SearchQuery, summaries: readonly ConversationSummary[]) {
    this.#terms = terms;
    const tagged = summaries.filter((summary) => hasTags(summary.tags, tags));
    this.#summaries = new Map(tagged.map((summary) => [summary.id, summary]));
    for (const { id, title } of tagged) if (hasAllTerms(title, terms)) this.#titles.add(id);
  }

  /** Number of conversations that contain a matching message. */
  get foundCount(): number {
    return this.#messages.size;
  }

  /** Adds the message if it contains all terms, because an index may return too much. */
  look({ conversationId, id, text }: SearchedMessage): void {
    const found = this.#messages.get(conversationId) ?? [];
    if (found.length === hitsPerConversation || !this.#summaries.has(conversationId)) return;
    if (!hasAllTerms(text, this.#terms)) return;
    found.push({ messageId: id, snippet: snippetOf(text, this.#terms) });
    this.#messages.set(conversationId, found);
  }

  /** Matching titles come before matching messages, then pinned conversations before others, then the latest first. */
  hits(): readonly SearchHit[] {
    const ids = new Set([...this.#titles, ...this.#messages.keys()]);
    const hits = [...ids].flatMap((id) => {
      const conversation = this.#summaries.get(id);
      if (conversation === undefined) return [];
      const messages = this.#messages.get(id) ?? [];
      return [{ conversation, isInTitle: this.#titles.has(id), messages }];
    });
    return hits.toSorted(
      (left, right) =>
        Number(right.isInTitle) - Number(left.isInTitle) ||
        Number(right.conversation.isPinned === true) - Number(left.conversation.isPinned === true) ||
        right.conversation.updatedAt - left.conversation.updatedAt,
    );
  }
}
