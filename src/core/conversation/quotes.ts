import { escapeInvisible } from "../kernel/foreignText.ts";
import { isRecord, numberField, stringField } from "../kernel/json.ts";

/** Text that was put into the composer without being typed, and where it came from, for display. */
export interface ForeignText {
  readonly place: string;
  readonly text: string;
}

/** A part of a message that the user didn't type. Offsets are in UTF-16 units. */
export interface Quote {
  readonly place: string;
  readonly start: number;
  readonly end: number;
}

/** UTF-16 units without spaces that make two texts the same text. Fewer are a coincidence. */
const shortest = 10;
/** Pasted texts of one conversation. More than anyone pastes before sending. */
const mostTexts = 100;
/** An ID or an address isn't an instruction. */
const singleToken = /^[!-~]{1,64}$/;

/** The texts that may be in the composer, including this one. */
export function addForeignText(
  texts: readonly ForeignText[],
  { place, text }: ForeignText,
): readonly ForeignText[] {
  if (text.length < shortest || singleToken.test(text.trim())) return texts;
  return [...texts, { place, text: escapeInvisible(text) }].slice(-mostTexts);
}

interface Passage {
  readonly key: string;
  readonly start: number;
  readonly end: number;
}

/** From every word on, as many words as are needed to recognize them. A Chinese or Japanese character is a word. */
function* passagesOf(text: string): Generator<Passage> {
  const words = [...text.matchAll(/[^\s\u2e80-\uffff]+|[\u2e80-\uffff]/g)];
  for (const [first, { index: start }] of words.entries()) {
    let [key, last] = ["", first];
    while (key.length < shortest && last < words.length) key += words[last++]?.[0] ?? "";
    const end = words[last - 1];
    if (key.length < shortest || end === undefined) return;
    yield { key, start, end: end.index + end[0].length };
  }
}

/**
 * The parts of the message that come from these texts, also if some words of them were changed. Each passage of a text
 * is found only as often as the text has it, so that what the user types once more is still typed.
 */
export function findQuotes(text: string, sources: readonly ForeignText[]): readonly Quote[] {
  if (sources.length === 0) return [];
  const passages = [...passagesOf(text)];
  return sources.flatMap((source) => {
    const counts = new Map<string, number>();
    for (const { key } of passagesOf(source.text)) counts.set(key, (counts.get(key) ?? 0) + 1);
    const quotes: Quote[] = [];
    for (const { key, start, end } of passages) {
      const count = counts.get(key) ?? 0;
      if (count === 0) continue;
      counts.set(key, count - 1);
      const last = quotes.at(-1);
      if (last === undefined || text.slice(last.end, start).trim() !== "")
        quotes.push({ place: source.place, start, end });
      else quotes[quotes.length - 1] = { ...last, end: Math.max(last.end, end) };
    }
    return quotes;
  });
}

/** What the user typed, and what they didn't. */
export function splitQuotes({
  text,
  quotes = [],
}: {
  readonly text: string;
  readonly quotes?: readonly Quote[];
}): {
  readonly typed: string;
  readonly foreign: readonly ForeignText[];
} {
  const typed: string[] = [];
  let at = 0;
  for (const { start, end } of quotes.toSorted((left, right) => left.start - right.start)) {
    typed.push(text.slice(at, Math.max(at, start)));
    at = Math.max(at, end);
  }
  const foreign = quotes.map(({ place, start, end }) => ({ place, text: text.slice(start, end) }));
  return { typed: [...typed, text.slice(at)].join("\n"), foreign };
}

/** Parses the quotes of a stored message as far as they are readable. */
export function parseQuotes(value: unknown): readonly Quote[] | undefined {
  if (!Array.isArray(value)) return undefined;
  const quotes = value.filter(isRecord).flatMap((record) => {
    const [start, end] = [numberField(record, "start"), numberField(record, "end")];
    const place = stringField(record, "place");
    return start === undefined || end === undefined || place === undefined ? [] : [{ place, start, end }];
  });
  return quotes.length === 0 ? undefined : quotes;
}
