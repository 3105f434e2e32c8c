import type { Usage } from "../../core/conversation/completion.ts";
import type { CompletionChunk } from "./completionChunk.ts";
import { maxDigits, TemplateLearner } from "./eventTemplate.ts";
import type { EventTemplate, TemplateGap } from "./eventTemplate.ts";
import { valueEnd } from "./jsonNodes.ts";

/** A template that is never used costs several parses, so a server that changes every chunk gets no more than this. */
const maxIdleTemplates = 8;
/** Servers may alternate between a few kinds of chunks. */
const maxTemplates = 3;
const field = "data:";
const space = 32;
const lineFeed = 10;
const carriageReturn = 13;
const letterD = 100;

/** An event that matched a template. */
export interface KnownEvent {
  readonly template: EventTemplate;
  readonly delta: string;
  /** Its token counts, including those that never change. */
  readonly usage: Usage | undefined;
  /** Index after the blank line that ends it. */
  readonly end: number;
}

/** Reads events that differ from a parsed one only in values with a gap in its template, without parsing them. */
export class DeltaShortcut {
  readonly #learner = new TemplateLearner();
  /** The most recently matched one comes first. */
  #templates: readonly EventTemplate[] = [];
  #isUsed = true;
  #idleTemplates = 0;

  /** The event at `start`; undefined if it has to be parsed. */
  match(text: string, start: number): KnownEvent | undefined {
    if (this.#templates.length === 0) return undefined;
    const fieldStart = text.charCodeAt(start) === letterD ? start : skipName(text, start);
    if (!text.startsWith(field, fieldStart)) return undefined;
    const behind = fieldStart + field.length;
    const dataStart = text.charCodeAt(behind) === space ? behind + 1 : behind;
    for (const template of this.#templates) {
      const known = matchTemplate(template, text, dataStart);
      if (known === undefined) continue;
      this.#isUsed = true;
      if (template !== this.#templates[0]) this.#putFirst(template);
      return known;
    }
    return undefined;
  }

  /** Must be called with the data of every event that was parsed. */
  learn(data: string, chunk: CompletionChunk): void {
    if (this.#idleTemplates >= maxIdleTemplates) return;
    const template = this.#learner.learn(data, chunk);
    if (template === undefined) return;
    this.#idleTemplates = this.#isUsed ? 0 : this.#idleTemplates + 1;
    this.#isUsed = false;
    this.#putFirst(template);
  }

  /** Discards all templates, so that events are parsed until a new one is learned. */
  forget(): void {
    this.#templates = [];
  }

  #putFirst(template: EventTemplate): void {
    const others = this.#templates.filter((other) => other !== template);
    this.#templates = [template, ...others].slice(0, maxTemplates);
  }
}

/** Skips the default event name, which some servers send. */
function skipName(text: string, start: number): number {
  const name = "event: message";
  if (!text.startsWith(name, start)) return start;
  const end = start + name.length;
  if (text.charCodeAt(end) === lineFeed) return end + 1;
  return text.charCodeAt(end) === carriageReturn && text.charCodeAt(end + 1) === lineFeed ? end + 2 : start;
}

function matchTemplate(template: EventTemplate, text: string, start: number): KnownEvent | undefined {
  const { prefix, gaps } = template;
  let at = start + prefix.length;
  // Comparing slices is five times faster than startsWith, which compares one character at a time.
  if (text.slice(start, at) !== prefix) return undefined;
  let delta: string | undefined = "";
  let counts: Counts | undefined;
  for (const gap of gaps) {
    const end = gapEnd(gap, text, at, gap === gaps.at(-1));
    if (end <= at) return undefined;
    if (gap.holds === "delta") delta = parseDelta(text, at, end);
    else if (gap.holds === "count")
      counts = count(gap, Number(text.slice(at, end)), counts ?? { ...template.usage });
    at = end + gap.suffix.length;
    if (delta === undefined || text.slice(end, at) !== gap.suffix) return undefined;
  }
  const end = blankLineEnd(text, at);
  return end === -1 ? undefined : { template, delta, usage: counts ?? template.usage, end };
}

type Counts = { -readonly [Name in keyof Usage]: Usage[Name] };

function count({ names }: TemplateGap, value: number, counts: Counts): Counts {
  for (const name of names) counts[name] = value;
  return counts;
}

/** Index after the value in the gap; `start` or less if there is no value that the gap may hold. */
function gapEnd({ holds, suffix }: TemplateGap, text: string, start: number, isLast: boolean): number {
  if (holds === "delta") return findClosingQuote(text, start, isLast ? suffix : undefined);
  return holds === "unread" ? valueEnd(text, start) : countEnd(text, start);
}

/** Index after the natural number; `start` if there is none, or if it may be too large to be exact. */
function countEnd(text: string, start: number): number {
  let at = start;
  for (let code = text.charCodeAt(at); code >= 48 && code <= 57; code = text.charCodeAt(at)) at++;
  const isWrong = at - start > maxDigits || (at - start > 1 && text.charCodeAt(start) === 48);
  return isWrong ? start : at;
}

/** Index after the two line ends that end an event; -1 if they are missing. */
function blankLineEnd(text: string, start: number): number {
  if (text.charCodeAt(start) === lineFeed) return text.charCodeAt(start + 1) === lineFeed ? start + 2 : -1;
  return text.startsWith("\r\n\r\n", start) ? start + 4 : -1;
}

/**
 * Index of the closing quote of the delta; `start` or less if there is none. If the delta contains quotes, the last gap
 * is assumed to end where the rest of the template ends the line, because parsing it rejects anything that isn't one
 * string.
 */
function findClosingQuote(text: string, start: number, rest: string | undefined): number {
  const quote = text.indexOf('"', start);
  if (quote <= start || text.charCodeAt(quote - 1) !== backslash) return quote;
  if (rest === undefined) return findUnescaped(text, quote, start);
  const lineEnd = text.indexOf("\n", quote);
  return lineEnd - rest.length - (text.charCodeAt(lineEnd - 1) === carriageReturn ? 1 : 0);
}

function findUnescaped(text: string, first: number, start: number): number {
  let quote = first;
  while (quote > start && isEscaped(text, quote, start)) quote = text.indexOf('"', quote + 1);
  return quote;
}

const backslash = 92;

/** A quote after an odd number of backslashes belongs to the string. */
function isEscaped(text: string, quote: number, start: number): boolean {
  let first = quote;
  while (first > start && text.charCodeAt(first - 1) === backslash) first--;
  return (quote - first) % 2 === 1;
}

/** Characters that a JSON string can't contain without an escape; U+2028 and the like are allowed. */
const needsEscape = /[\u0000-\u001f]/;

/** The string between two quotes; undefined if it isn't valid JSON. */
function parseDelta(text: string, start: number, end: number): string | undefined {
  const raw = text.slice(start, end);
  if (!raw.includes("\\")) return needsEscape.test(raw) ? undefined : raw;
  try {
    const delta: unknown = JSON.parse(text.slice(start - 1, end + 1));
    return typeof delta === "string" ? delta : undefined;
  } catch {
    return undefined;
  }
}
