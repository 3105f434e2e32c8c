import type { CompletionChunk } from "./completionChunk.ts";
import type { DeltaTemplate } from "./deltaTemplate.ts";
import { learnDeltaTemplate } from "./deltaTemplate.ts";

/** A template that is never used costs three parses: a server that changes every chunk gets no more of them. */
const maxIdleTemplates = 8;
const field = "data:";
const space = 32;

/** Reads the events that differ from the last parsed one by their delta only, without parsing them. */
export class DeltaShortcut {
  #template: DeltaTemplate | undefined;
  #isUsed = true;
  #idleTemplates = 0;
  #end = 0;

  /** What the matched delta is. */
  get kind(): DeltaTemplate["kind"] {
    return this.#template?.kind ?? "text";
  }

  /** Index behind the matched event. */
  get end(): number {
    return this.#end;
  }

  /** The delta of the event that begins at `start`; undefined where it has to be parsed. */
  match(text: string, start: number): string | undefined {
    if (this.#template === undefined || !text.startsWith(field, start)) return undefined;
    const { prefix, suffix } = this.#template;
    const dataStart = start + field.length + (text.charCodeAt(start + field.length) === space ? 1 : 0);
    const deltaStart = dataStart + prefix.length;
    // Comparing slices is five times faster than startsWith, which looks at one character at a time.
    if (text.slice(dataStart, deltaStart) !== prefix) return undefined;
    const deltaEnd = findClosingQuote(text, deltaStart);
    const end = deltaEnd + suffix.length;
    if (deltaEnd <= deltaStart || text.slice(deltaEnd, end) !== suffix) return undefined;
    this.#isUsed = true;
    this.#end = end;
    return parseDelta(text.slice(deltaStart, deltaEnd));
  }

  /** To be called with the data of every event that was parsed. */
  learn(data: string, chunk: CompletionChunk): void {
    if (this.#idleTemplates >= maxIdleTemplates) return;
    const template = learnDeltaTemplate(data, chunk);
    if (template === undefined) return;
    this.#idleTemplates = this.#isUsed ? 0 : this.#idleTemplates + 1;
    this.#isUsed = false;
    // The blank line that closes the event belongs to the match.
    this.#template = { ...template, suffix: `${template.suffix}\n\n` };
  }
}

function findClosingQuote(text: string, start: number): number {
  let quote = text.indexOf('"', start);
  while (quote > start && isEscaped(text, quote, start)) quote = text.indexOf('"', quote + 1);
  return quote;
}

const backslash = 92;

/** Behind an odd number of backslashes a quote belongs to the string. */
function isEscaped(text: string, quote: number, start: number): boolean {
  let first = quote;
  while (first > start && text.charCodeAt(first - 1) === backslash) first--;
  return (quote - first) % 2 === 1;
}

/** What a JSON string can't say without an escape; U+2028 and the like may stand there as they are. */
const needsParsing = /[\\\u0000-\u001f]/;

/** The string between the quotes; undefined where it is not valid JSON. */
function parseDelta(raw: string): string | undefined {
  if (!needsParsing.test(raw)) return raw;
  try {
    const text: unknown = JSON.parse(`"${raw}"`);
    return typeof text === "string" ? text : undefined;
  } catch {
    return undefined;
  }
}
