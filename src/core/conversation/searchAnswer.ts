import type { Role } from "./completion.ts";
import type { ConversationSummary } from "./conversation.ts";
import { hasAllTerms } from "./searchTerms.ts";
import { snippetOf } from "./snippet.ts";

/** A message that has all that was looked for. */
export interface MessageHit {
  readonly messageId: string;
  readonly role: Role;
  /** One line around what was found. */
  readonly snippet: string;
}

/** A conversation with what was looked for in its title, in messages, or in both. */
export interface SearchHit {
  readonly conversation: ConversationSummary;
  readonly isInTitle: boolean;
  /** The latest first; not all of them. */
  readonly messages: readonly MessageHit[];
}

/** How much was looked through: all, all but older messages that are still being indexed, or as much as one search may. */
export type SearchExtent = "all" | "indexed" | "cut";

export interface SearchAnswer {
  /** The best first. */
  readonly hits: readonly SearchHit[];
  readonly extent: SearchExtent;
}

/** A message as the search reads it. */
export interface SearchedMessage {
  readonly conversationId: string;
  readonly id: string;
  readonly role: Role;
  readonly text: string;
}

const hitsPerConversation = 3;

/** Collects hits of one search. */
export class SearchCollector {
  readonly #terms: readonly string[];
  readonly #summaries: ReadonlyMap<string, ConversationSummary>;
  readonly #titles = new Set<string>();
  readonly #messages = new Map<string, MessageHit[]>();

  /** @param summaries Every conversation that may be found. */
  constructor(terms: readonly string[], summaries: readonly ConversationSummary[]) {
    this.#terms = terms;
    this.#summaries = new Map(summaries.map((summary) => [summary.id, summary]));
    for (const { id, title } of summaries) if (hasAllTerms(title, terms)) this.#titles.add(id);
  }

  /** How many conversations have a message that was found. */
  get foundCount(): number {
    return this.#messages.size;
  }

  /** Takes the message where it has all terms: an index may have promised too much. */
  look({ conversationId, id, role, text }: SearchedMessage): void {
    const found = this.#messages.get(conversationId) ?? [];
    if (found.length === hitsPerConversation || !this.#summaries.has(conversationId)) return;
    if (!hasAllTerms(text, this.#terms)) return;
    found.push({ messageId: id, role, snippet: snippetOf(text, this.#terms) });
    this.#messages.set(conversationId, found);
  }

  /** Titles come before bodies, what is pinned before the rest, then the latest first. */
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
