/** How well the query matches: its letters occur in the candidate in this order. Undefined if they don't. */
export function fuzzyScore(query: string, candidate: string): number | undefined {
  if (query === "") return 0;
  const wanted = query.toLowerCase();
  const text = candidate.toLowerCase();
  const nameStart = text.lastIndexOf("/") + 1;
  const inName = text.indexOf(wanted, nameStart);
  // As a whole in the name, the nearer to its beginning the better; then as a whole in the path; then letter by letter.
  if (inName >= 0) {
    return (
      4_000 -
      Math.min(inName - nameStart, 500) -
      lengthCost(text) +
      (isWordStart(candidate, inName) ? 500 : 0)
    );
  }
  if (text.includes(wanted)) return 2_500 - lengthCost(text);
  const scattered = scatteredScore(wanted, candidate, text);
  return scattered === undefined ? undefined : scattered - lengthCost(text);
}

/** The matching candidates, best first; equal matches keep their order. */
export function fuzzyFilter<Item>(
  query: string,
  items: readonly Item[],
  textOf: (item: Item) => string,
): readonly Item[] {
  return items
    .map((item) => ({ item, score: fuzzyScore(query, textOf(item)) }))
    .filter((scored): scored is { item: Item; score: number } => scored.score !== undefined)
    .sort((a, b) => b.score - a.score)
    .map(({ item }) => item);
}

function scatteredScore(wanted: string, candidate: string, text: string): number | undefined {
  let score = 0;
  let at = -1;
  for (const letter of wanted) {
    const next = text.indexOf(letter, at + 1);
    if (next < 0) return undefined;
    score += next === at + 1 ? 15 : isWordStart(candidate, next) ? 10 : 1;
    at = next;
  }
  return score;
}

function isWordStart(text: string, index: number): boolean {
  const [before, here] = [text[index - 1] ?? "/", text[index] ?? ""];
  return /[^A-Za-z0-9]/.test(before) || (/[A-Z]/.test(here) && /[a-z]/.test(before));
}

function lengthCost(text: string): number {
  return Math.min(text.length, 300) / 300;
}
