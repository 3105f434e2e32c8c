import { fold } from "./searchTerms.ts";

/** UTF-16 units of context before and after what was found. */
const before = 40;
const after = 110;

/** Places of a word that are looked at: more of them make no better line. */
const mostPlaces = 200;

/** One line of the text where most of the terms are together; from the start where none is. */
export function snippetOf(text: string, terms: readonly string[]): string {
  const [start, end] = rangeAround(text, findBest(text, terms));
  const line = text.slice(start, end).replace(/\s+/gu, " ").trim();
  return `${start > 0 ? "…" : ""}${line}${end < text.length ? "…" : ""}`;
}

/** Where the rarest of the terms has most of the others around it. */
function findBest(text: string, terms: readonly string[]): number {
  const folded = fold(text);
  // Few letters change their length with their case; offsets are of no use then.
  if (folded.length !== text.length) return 0;
  const places = terms.map((term) => placesOf(term, folded)).filter((found) => found.length > 0);
  const rarest = places.toSorted((left, right) => left.length - right.length)[0] ?? [];
  let [best, most] = [rarest[0] ?? 0, 0];
  for (const place of rarest) {
    const around = folded.slice(Math.max(0, place - before), place + after);
    const count = terms.filter((term) => around.includes(term)).length;
    if (count > most) [best, most] = [place, count];
  }
  return best;
}

function placesOf(term: string, folded: string): readonly number[] {
  const places: number[] = [];
  for (
    let at = folded.indexOf(term);
    at >= 0 && places.length < mostPlaces;
    at = folded.indexOf(term, at + 1)
  )
    places.push(at);
  return places;
}

/** Cut between words where one ends nearby, never inside a surrogate pair. */
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
