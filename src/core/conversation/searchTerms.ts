/** More terms would only slow down the search, and no one remembers that much of what they search for. */
const mostTerms = 8;
/** In UTF-16 units. */
const longestTerm = 100;

/**
 * The terms that a user searches for: words, or phrases in quotes, all of which must occur. In lower case, never empty.
 */
export function parseSearchTerms(query: string): readonly string[] {
  const found = query.matchAll(/"([^"]+)"|[^\s"]+/gu);
  const terms = [...found].map(([whole, phrase]) =>
    fold(phrase ?? whole)
      .trim()
      .slice(0, longestTerm),
  );
  return [...new Set(terms)].filter((term) => term !== "").slice(0, mostTerms);
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
