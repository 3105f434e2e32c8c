import { fold } from "./searchTerms.ts";

/** UTF-16 units of context before and after what was found. */
const before = 40;
const after = 110;

/** One line of the text around the first of the terms that is in it; from the start where none is. */
export function snippetOf(text: string, terms: readonly string[]): string {
  const [start, end] = rangeAround(text, findFirst(text, terms));
  const line = text.slice(start, end).replace(/\s+/gu, " ").trim();
  return `${start > 0 ? "…" : ""}${line}${end < text.length ? "…" : ""}`;
}

function findFirst(text: string, terms: readonly string[]): number {
  const folded = fold(text);
  // Few letters change their length with their case; offsets are of no use then.
  if (folded.length !== text.length) return 0;
  const places = terms.map((term) => folded.indexOf(term)).filter((place) => place >= 0);
  return places.length === 0 ? 0 : Math.min(...places);
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
