import type { Usage } from "../../core/conversation/completion.ts";
import type { CompletionChunk } from "./completionChunk.ts";
import { maxDigits, TemplateLearner } from "./eventTemplate.ts";
import type { EventTemplate, TemplateGap } from "./eventTemplate.ts";
import { findUnescapedQuote, validValueEnd } from "./jsonNodes.ts";

/** A template that is never used costs several parses, so a server that changes every chunk gets no more than this. */
const maxIdleTemplates = 8;
/** Servers may alternate between a few kinds of chunks. */
const maxTemplates = 3;
const field = "data:";
const space = 32;
const lineFeed = 10;
const carriageReturn = 13;
const letterD = 100;
/** UTF-16 units of a line that is ignored, and number of such lines before one event. */
const longestIgnored = 256;
const mostIgnored = 8;

/** An event that matched a template. */
export interface KnownEvent {
  readonly template: EventTemplate;
  readonly delta: string;
  readonly text: string;
  /** Where its data begins in the text. */
  readonly dataStart: number;
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
    const fieldStart = skipIgnored(text, start);
    const behind = fieldStart + field.length;
    if (text.slice(fieldStart, behind) !== field) return undefined;
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
    if (this.#idleTemplates >= maxIdleTemplates || this.#knows(data)) return;
    const learned = this.#learner.learn(data, chunk);
    if (learned === undefined) return;
    const gaps = learned.gaps.map((gap) => ({ ...gap, suffix: toLines(gap.suffix) }));
    const template = { ...learned, prefix: toLines(learned.prefix), gaps };
    this.#idleTemplates = this.#isUsed ? 0 : this.#idleTemplates + 1;
    this.#isUsed = false;
    this.#putFirst(template);
  }

  /** An event may have been parsed only because a read ended inside it. */
  #knows(data: string): boolean {
    const event = `${toLines(data)}\n\n`;
    return this.#templates.some((template) => matchTemplate(template, event, 0) !== undefined);
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

/** The token counts of an event, including those that never change. */
function readCounts({ template, text, dataStart }: KnownEvent): Usage {
  const counts: Counts = { ...template.usage };
  let at = dataStart + template.prefix.length;
  for (const gap of template.gaps) {
    const end = gapEnd(gap, text, at, gap === template.gaps.at(-1));
    if (gap.holds === "count") for (const name of gap.names) counts[name] = Number(text.slice(at, end));
    at = end + gap.suffix.length;
  }
  return counts;
}

type Counts = { -readonly [Name in keyof Usage]: Usage[Name] };

/** The data as written by a server that indents its JSON, with a field on each line. */
function toLines(data: string): string {
  return data.replaceAll("\n", `\n${field} `);
}

/** The token counts of one read: some servers send them with every token, and only the latest ones matter. */
export class LatestCounts {
  #usage: Usage | undefined;
  #known: KnownEvent | undefined;

  /** Later counts replace earlier ones, name by name. */
  add(usage: Usage): void {
    this.#readKnown();
    this.#usage = { ...this.#usage, ...usage };
  }

  /** An event with the same template has the same counts, so the counts of earlier events don't have to be read. */
  addKnown(known: KnownEvent): void {
    if (this.#known?.template !== known.template) this.#readKnown();
    this.#known = known;
  }

  /** The counts since the last call; undefined if there are none. */
  take(): Usage | undefined {
    this.#readKnown();
    const usage = this.#usage;
    this.#usage = undefined;
    return usage;
  }

  #readKnown(): void {
    if (this.#known !== undefined) this.#usage = { ...this.#usage, ...readCounts(this.#known) };
    this.#known = undefined;
  }
}

/** Lines that servers send before the data and that mean nothing here. */
const ignoredLine = /^(?:event: ?message|id:.*|retry:.*|:.*|)\r?$/;

/** Index of the first line that may matter. A single carriage return ends a line as well, but is left to the parser. */
function skipIgnored(text: string, start: number): number {
  let at = start;
  for (let lines = 0; lines < mostIgnored && text.charCodeAt(at) !== letterD; lines++) {
    const end = text.indexOf("\n", at);
    // A dot matches neither line end.
    if (end === -1 || end - at > longestIgnored || !ignoredLine.test(text.slice(at, end))) return at;
    at = end + 1;
  }
  return at;
}

function matchTemplate(template: EventTemplate, text: string, start: number): KnownEvent | undefined {
  const { prefix, gaps } = template;
  let at = start + prefix.length;
  // Comparing slices is five times faster than startsWith, which compares one character at a time.
  if (text.slice(start, at) !== prefix) return undefined;
  let delta: string | undefined = "";
  const last = gaps.at(-1);
  for (const gap of gaps) {
    const end = gapEnd(gap, text, at, gap === last);
    if (end <= at) return undefined;
    if (gap.holds === "delta") delta = parseDelta(text, at, end);
    at = end + gap.suffix.length;
    if (delta === undefined || text.slice(end, at) !== gap.suffix) return undefined;
  }
  const end = blankLineEnd(text, at);
  return end === -1 ? undefined : { template, delta, text, dataStart: start, end };
}

/** Index after the value in the gap; `start` or less if there is no value that the gap may hold. */
function gapEnd({ holds, suffix }: TemplateGap, text: string, start: number, isLast: boolean): number {
  if (holds === "delta") return findClosingQuote(text, start, isLast ? suffix : undefined);
  return holds === "unread" ? validValueEnd(text, start) : countEnd(text, start);
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
  if (rest === undefined || rest.includes("\n")) return findUnescapedQuote(text, quote, start);
  const lineEnd = text.indexOf("\n", quote);
  return lineEnd - rest.length - (text.charCodeAt(lineEnd - 1) === carriageReturn ? 1 : 0);
}

const backslash = 92;

/** Characters that a JSON string can't contain without an escape; U+2028 and the like are allowed. */
const needsEscape = /[\u0000-\u001f]/;

/** UTF-16 units up to which a string without escapes is checked faster than parsed. */
const shortString = 256;

/** The string between two quotes; undefined if it isn't valid JSON. */
function parseDelta(text: string, start: number, end: number): string | undefined {
  const raw = text.slice(start, end);
  if (raw.length <= shortString && !raw.includes("\\")) return needsEscape.test(raw) ? undefined : raw;
  try {
    const delta: unknown = JSON.parse(text.slice(start - 1, end + 1));
    return typeof delta === "string" ? delta : undefined;
  } catch {
    return undefined;
  }
}
