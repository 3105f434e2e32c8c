/** More would only slow the search down, and no one remembers that much of what they search for. */
const mostTerms = 8;
/** In UTF-16 units. */
const longestTerm = 100;

/** What a user looks for: words, or phrases in quotes, all of which must be there. In lower case, never empty. */
export function parseSearchTerms(query: string): readonly string[] {
  const found = query.matchAll(/"([^"]+)"|[^\s"]+/gu);
  const terms = [...found].map(([whole, phrase]) =>
    fold(phrase ?? whole)
      .trim()
      .slice(0, longestTerm),
  );
  return [...new Set(terms)].filter((term) => term !== "").slice(0, mostTerms);
}

/** @param terms As `parseSearchTerms` gives them. */
export function hasAllTerms(text: string, terms: readonly string[]): boolean {
  const folded = fold(text);
  return terms.every((term) => folded.includes(term));
}

/** Upper and lower case count as the same. */
export function fold(text: string): string {
  return text.toLowerCase();
}
