/** The position of a secret in a text, in UTF-16 units, and its kind. */
export interface SecretSpan {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
}

/**
 * How closely a text is checked. `careful`: source code and prose, where a false alarm costs the user's attention.
 * `strict`: anything shown or logged, where whatever follows the name of a secret is redacted.
 */
export type Scrutiny = "careful" | "strict";

/** One way to find secrets, in time proportional to the length of the text. */
export type FindSpans = (text: string, scrutiny: Scrutiny) => readonly SecretSpan[];

/** Sorts the spans and merges overlapping ones, which get the kind of the longest. */
export function mergeSpans(spans: readonly SecretSpan[]): readonly SecretSpan[] {
  const merged: SecretSpan[] = [];
  for (const span of spans.toSorted((left, right) => left.start - right.start || right.end - left.end)) {
    const last = merged.at(-1);
    if (last === undefined || span.start >= last.end) merged.push(span);
    else {
      const kind = span.end - span.start > last.end - last.start ? span.kind : last.kind;
      merged[merged.length - 1] = { kind, start: last.start, end: Math.max(last.end, span.end) };
    }
  }
  return merged;
}

/** The text without any `characters` at its end. */
export function withoutTail(text: string, characters: string): string {
  let end = text.length;
  while (end > 0 && characters.includes(text.charAt(end - 1))) end--;
  return text.slice(0, end);
}

/** A name of a secret in a text, from `start` to `end`. */
export interface NamePlace {
  readonly text: string;
  readonly name: string;
  readonly start: number;
  readonly end: number;
}
