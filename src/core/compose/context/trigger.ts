import type { SuggestionTrigger } from "./contextProtocol.ts";

/** A `#` or `/` that is being written. Offsets are in UTF-16 units. */
export interface Trigger {
  readonly trigger: SuggestionTrigger;
  readonly start: number;
  readonly end: number;
  /** What stands between the trigger and the caret. */
  readonly query: string;
}

/** No name that users search for is this long. */
const longestQuery = 200;

/** The trigger whose word ends at the caret: `/` only at the very beginning, `#` at the beginning of any word. */
export function findTrigger(text: string, caret: number): Trigger | undefined {
  const before = text.slice(Math.max(0, caret - longestQuery), caret);
  const word = /(?<!\S)\S*$/.exec(before)?.[0] ?? "";
  if (word.length === caret && word.startsWith("/")) return trigger("/", word, caret);
  const hash = /(?:^|[([{"'])(#\S*)$/.exec(word)?.[1];
  return hash === undefined ? undefined : trigger("#", hash, caret);
}

function trigger(kind: SuggestionTrigger, word: string, end: number): Trigger {
  return { trigger: kind, start: end - word.length, end, query: word.slice(1) };
}
