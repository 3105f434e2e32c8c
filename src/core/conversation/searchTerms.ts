/** More terms would only slow down the search, and no one remembers that much of what they search for. */
const mostTerms = 8;
/** In UTF-16 units. */
const longestTerm = 100;

/**
 * What a user searches for: `terms` in the texts and titles, and `tags`, which only have to match the start of a tag.
 */
export interface SearchQuery {
  readonly terms: readonly string[];
  readonly tags: readonly string[];
}

/**
 * Words, or phrases in quotes, all of which must occur, and tags such as `tag:work` or `tag:"to do"`. All are in lower
 * case and none is empty. Undefined if there is nothing to search for.
 */
export function parseSearchQuery(query: string): SearchQuery | undefined {
  const terms: string[] = [];
  const tags: string[] = [];
  for (const [whole, tagPhrase, tag, phrase] of query.matchAll(
    /(?<![^\s"])tag:(?:"([^"]*)"?|([^\s"]*))|"([^"]+)"|[^\s"]+/giu,
  )) {
    const named = tagPhrase ?? tag;
    (named === undefined ? terms : tags).push(
      fold(named ?? phrase ?? whole)
        .trim()
        .slice(0, longestTerm),
    );
  }
  const bounded = (list: readonly string[]): readonly string[] =>
    [...new Set(list)].filter((term) => term !== "").slice(0, mostTerms);
  const search = { terms: bounded(terms), tags: bounded(tags.map(tagText)) };
  return search.terms.length === 0 && search.tags.length === 0 ? undefined : search;
}

/** What is left of a tag in its normal form: these characters separate words, quotes and tags. */
export function tagText(text: string): string {
  return text.replace(/[",#\s]+/gu, " ").trim();
}

/** The terms of a query, without its tags. */
export function parseSearchTerms(query: string): readonly string[] {
  return parseSearchQuery(query)?.terms ?? [];
}

/** @param terms As returned by `parseSearchTerms`. */
export function hasAllTerms(text: string, terms: readonly string[]): boolean {
  const folded = fold(text);
  return terms.every((term) => folded.includes(term));
}

/** Makes upper and lower case equal. */
export function fold(text: string): string {
  return text.toLowerCase();
}
