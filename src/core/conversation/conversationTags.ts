import { sanitizeLabel } from "../kernel/foreignText.ts";
import { fold, tagText } from "./searchTerms.ts";

/** The user's own tags of a conversation. They have one form everywhere, so that equal tags are equal texts. */

/** More tags than this don't fit in a row, and no one assigns them by hand. */
const mostTags = 20;
/** In UTF-16 units. */
const longestTag = 50;

/** The tag in its one form: a single line without `#` at its start; undefined if nothing is left of it. */
export function normalizeTag(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const tag = sanitizeLabel(tagText(value.slice(0, longestTag * 4)), longestTag);
  return tag === "" ? undefined : tag;
}

/**
 * The tags in a list from anywhere: normalized, each once regardless of its case, in alphabetical order, and bounded.
 */
export function parseTags(value: unknown): readonly string[] {
  const values: readonly unknown[] = Array.isArray(value) ? value.slice(0, mostTags * 10) : [];
  const byFolded = new Map<string, string>();
  for (const item of values) {
    const tag = normalizeTag(item);
    if (tag !== undefined && !byFolded.has(fold(tag))) byFolded.set(fold(tag), tag);
  }
  return sortTags([...byFolded.values()].slice(0, mostTags));
}

/** The tags in a line, separated by commas, as they are written in `known` if they are there. */
export function typedTags(line: string, known: readonly string[]): readonly string[] {
  return parseTags(line.split(/[,，、]/)).map(
    (tag) => known.find((other) => fold(other) === fold(tag)) ?? tag,
  );
}

/** In an order that is the same on every machine, whatever its language. */
export function sortTags(tags: readonly string[]): readonly string[] {
  return tags.toSorted((left, right) => (fold(left) < fold(right) ? -1 : 1));
}

/** Whether every wanted text is the start of one of the tags. */
export function hasTags(tags: readonly string[] | undefined, wanted: readonly string[]): boolean {
  return wanted.every((text) => tags?.some((tag) => fold(tag).startsWith(text)) === true);
}
