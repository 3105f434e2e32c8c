import { passCode } from "./markdownCode.ts";
import type { CodeState } from "./markdownCode.ts";

/** The marks that models put around their reasoning, in any case. Templates may leave only half of a pair. */
const tags = [
  ["<think>", "</think>"],
  ["<thinking>", "</thinking>"],
  ["<thought>", "</thought>"],
  ["<reasoning>", "</reasoning>"],
  ["<seed:think>", "</seed:think>"],
  ["[think]", "[/think]"],
  ["◁think▷", "◁/think▷"],
] as const;

const openTags = tags.map(([open]) => open);
/** Any of the marks, at a given position. */
const anyTag = new RegExp(tags.flat().map(escapeMark).join("|"), "iy");
const firstUnits: ReadonlySet<string> = new Set(tags.flat().map((tag) => tag.charAt(0)));
const lastUnits = [...new Set(tags.flat().map((tag) => tag.slice(-1)))];
const lastCodes = lastUnits.map((unit) => unit.charCodeAt(0));
const longestTag = Math.max(...tags.flat().map((tag) => tag.length));

/** A piece of the content: what is shown to the user, or the reasoning before it. */
export interface ContentPiece {
  readonly kind: "text" | "reasoning";
  readonly text: string;
}

/** All text so far was reasoning, except for its last `dropped` UTF-16 units, which belong to the closing tag. */
export interface ReasoningEnd {
  readonly kind: "reasoningEnd";
  readonly dropped: number;
}

/**
 * Removes `<think>…</think>` and similar tags from the content, however they are split across deltas: only at the very
 * start (after whitespace), because anywhere else a tag is what the response is about, unless a first block shows that
 * the model reasons in such tags. A block that never closes remains reasoning. If a template swallowed the opening tag, the first closing one turns everything before it into
 * reasoning.
 */
export class ThinkTagSplitter {
  #phase: "start" | "reasoning" | "between" | "text" | "passing" = "start";
  /** Deltas at the start that may still become a tag; they keep their boundaries if they don't. */
  #heldDeltas: readonly string[] = [];
  /** The end of the reasoning that may be the start of the closing tag. */
  #heldEnd = "";
  #closeTag = "";
  #closing = /$/;
  #further = new FurtherReasoning("");
  readonly #unopened = new UnopenedReasoning();

  /** True once everything that follows is text. */
  get isPassing(): boolean {
    return this.#phase === "passing";
  }

  /** Whether the delta is nothing but text, as most are. It must not be split then. */
  passes(delta: string): boolean {
    if (this.#phase === "between") return this.#further.passes(delta);
    return this.isPassing || (this.#phase === "text" && this.#unopened.find(delta) === undefined);
  }

  /** The pieces of the next delta. What may be the start of a tag is held back until it is known. */
  split(delta: string): readonly (ContentPiece | ReasoningEnd)[] {
    switch (this.#phase) {
      case "start":
        return this.#splitStart(delta);
      case "reasoning":
        return this.#splitReasoning(delta);
      case "between":
        return this.#splitFurther(delta);
      case "text":
        return this.#splitText(delta);
      case "passing":
        return pieces("text", delta);
    }
  }

  /** Returns what was held back, because no more text, or no more tags, can follow. */
  end(): readonly (ContentPiece | ReasoningEnd)[] {
    const held =
      this.#phase === "start"
        ? this.#release()
        : [...pieces("reasoning", this.#heldEnd), ...pieces("text", this.#further.end())];
    this.#heldEnd = "";
    // A tag at the very end counts as being on its own line.
    const found = this.#phase === "text" ? this.#unopened.find("\n") : undefined;
    if (this.#phase !== "reasoning") this.#phase = "passing";
    return typeof found === "object" ? [{ kind: "reasoningEnd", dropped: found.dropped }] : held;
  }

  #splitStart(delta: string): readonly (ContentPiece | ReasoningEnd)[] {
    this.#heldDeltas = [...this.#heldDeltas, delta];
    const start = this.#heldDeltas.join("").trimStart();
    // Endless whitespace isn't a tag, and must not be buffered again and again.
    const isUndecided =
      start.length < longestTag && openTags.some((tag) => tag.startsWith(start.toLowerCase()));
    if (isUndecided && this.#heldDeltas.length < 1_000) return [];
    const tag = tags.find(([open]) => start.slice(0, open.length).toLowerCase() === open);
    if (tag === undefined) {
      this.#phase = "text";
      return this.#release().flatMap(({ text }) => this.split(text));
    }
    this.#heldDeltas = [];
    this.#phase = "reasoning";
    this.#closeTag = tag[1];
    this.#closing = new RegExp(escapeMark(tag[1]), "i");
    this.#further = new FurtherReasoning(tag[0]);
    return this.#splitReasoning(start.slice(tag[0].length));
  }

  #release(): readonly ContentPiece[] {
    const released = this.#heldDeltas.flatMap((text) => pieces("text", text));
    this.#heldDeltas = [];
    return released;
  }

  #splitReasoning(delta: string): readonly ContentPiece[] {
    const all = this.#heldEnd + delta;
    const close = all.search(this.#closing);
    if (close === -1) {
      const end = all.length - heldLength(all, this.#closeTag);
      this.#heldEnd = all.slice(end);
      return pieces("reasoning", all.slice(0, end));
    }
    this.#heldEnd = "";
    this.#phase = "between";
    return [
      ...pieces("reasoning", all.slice(0, close)),
      ...this.#splitFurther(all.slice(close + this.#closeTag.length)),
    ];
  }

  #splitFurther(delta: string): readonly ContentPiece[] {
    const { text, reasoning } = this.#further.split(delta);
    if (reasoning === undefined) return pieces("text", text);
    this.#phase = "reasoning";
    return [...pieces("text", text), ...pieces("reasoning", "\n\n"), ...this.#splitReasoning(reasoning)];
  }

  #splitText(delta: string): readonly (ContentPiece | ReasoningEnd)[] {
    const found = this.#unopened.find(delta);
    if (found === undefined) return pieces("text", delta);
    this.#phase = "passing";
    if (found === "none") return pieces("text", delta);
    return [
      { kind: "reasoningEnd", dropped: found.dropped },
      ...found.reasoningAfter,
      ...pieces("text", found.text),
    ];
  }
}

/** Looks for another block of reasoning after the first one, outside code and sentences about tags. */
class FurtherReasoning {
  readonly #open: string;
  readonly #pattern: RegExp;
  /** The last UTF-16 unit that was passed on. */
  #before = "\n";
  /** What may be the start of a tag or of a fence. */
  #held = "";
  #code: CodeState = { isInFence: false, isInCode: false };

  constructor(open: string) {
    this.#open = open;
    this.#pattern = new RegExp(escapeMark(open), "gi");
  }

  /** Whether the delta is nothing but text, as most are. */
  passes(delta: string): boolean {
    if (this.#held !== "" || delta.includes("`") || delta.includes(this.#open.charAt(0))) return false;
    this.#pass(delta);
    return true;
  }

  /** The text of the delta, and the reasoning that begins in it. */
  split(delta: string): { readonly text: string; readonly reasoning?: string } {
    const all = this.#before + this.#held + delta;
    let [code, passed] = [this.#code, 1];
    for (const { 0: tag, index: start } of all.matchAll(this.#pattern)) {
      const end = start + tag.length;
      code = passCode(code, all.slice(passed, start));
      passed = start;
      if (code.isInFence || code.isInCode || !isMark(all, start, end)) continue;
      [this.#before, this.#held] = ["\n", ""];
      return { text: all.slice(1, start), reasoning: all.slice(end) };
    }
    // A tag at the very end is decided by what follows it.
    const ticks = /`{1,64}$/.exec(all)?.[0].length ?? 0;
    const end = Math.max(1, all.length - Math.max(ticks, heldLength(all, `${this.#open}.`)));
    this.#held = all.slice(end);
    const text = all.slice(1, end);
    this.#pass(text);
    return { text };
  }

  end(): string {
    const held = this.#held;
    this.#held = "";
    return held;
  }

  #pass(text: string): void {
    if (text === "") return;
    this.#code = passCode(this.#code, text);
    this.#before = text.slice(-1);
  }
}

/** A closing tag without an opening one. */
interface FoundEnd {
  /** UTF-16 units of the tag that were already passed on as text. */
  readonly dropped: number;
  /** The part of this delta before the tag. */
  readonly reasoningAfter: readonly ContentPiece[];
  readonly text: string;
}

/** UTF-16 units of the tail that are kept before they are searched for code. */
const longestTail = 512;

/** Looks for a closing tag in text that is passed on at the same time. */
class UnopenedReasoning {
  /**
   * The end of the previous text: a tag may have started there, and what precedes a tag determines whether it is one.
   */
  #tail = "";
  /** The state at the start of the tail. */
  #code: CodeState = { isInFence: false, isInCode: false };
  /** Whether the tail may end with a tag, which can't be checked until text follows. */
  #mayEndWithTag = false;

  /** `none` if no tag can follow anymore, because an opening one means that the text is about tags. */
  find(delta: string): FoundEnd | "none" | undefined {
    const mayEndTag = hasLastUnit(delta);
    const mayHoldTag = this.#mayEndWithTag || mayEndTag;
    const found = mayHoldTag ? this.#findTag(this.#tail + delta, this.#tail.length) : undefined;
    if (found !== undefined) return found;
    if (delta !== "") this.#mayEndWithTag = mayEndTag && lastUnits.some((unit) => delta.endsWith(unit));
    this.#keep(delta);
    return undefined;
  }

  #findTag(all: string, tailLength: number): FoundEnd | "none" | undefined {
    let code = this.#code;
    let passed = 0;
    // A tag that was followed by text was checked before; a tag at the very end can't be checked yet.
    for (const tag of findTags(all, Math.max(0, tailLength - longestTag))) {
      const { start, end } = tag;
      if (end < tailLength) continue;
      if (openTags.some((open) => open === tag.tag.toLowerCase())) return "none";
      if (end === all.length) break;
      code = passCode(code, all.slice(passed, start));
      passed = start;
      if (!code.isInFence && !code.isInCode && isMark(all, start, end))
        return {
          dropped: Math.max(0, tailLength - start),
          reasoningAfter: pieces("reasoning", all.slice(tailLength, Math.max(tailLength, start))),
          text: all.slice(Math.max(end, tailLength)),
        };
    }
    return undefined;
  }

  #keep(delta: string): void {
    // Long texts aren't joined, because that would copy them.
    if (delta.length > longestTail && !delta.startsWith("`")) {
      this.#code = passCode(this.#code, this.#tail);
      this.#tail = delta;
    } else this.#tail += delta;
    const all = this.#tail;
    if (all.length <= longestTail) return;
    let start = Math.max(0, all.length - longestTag - 1);
    while (start > 0 && all.charAt(start - 1) === "`" && all.length - start < 64) start--;
    this.#code = passCode(this.#code, all.slice(0, start));
    this.#tail = all.slice(start);
  }
}

/** Deltas up to this length in UTF-16 units are searched faster one unit at a time. */
const shortDelta = 32;

/** Whether any tag may end in the delta. */
function hasLastUnit(delta: string): boolean {
  if (delta.length > shortDelta) return lastUnits.some((unit) => delta.includes(unit));
  for (let at = 0; at < delta.length; at++) {
    const code = delta.charCodeAt(at);
    for (const last of lastCodes) if (code === last) return true;
  }
  return false;
}

interface FoundTag {
  readonly tag: string;
  readonly start: number;
  readonly end: number;
}

/** The tags from this position on, in order. */
function findTags(text: string, from: number): readonly FoundTag[] {
  const found: FoundTag[] = [];
  for (const first of firstUnits) {
    for (let start = text.indexOf(first, from); start !== -1; start = text.indexOf(first, start + 1)) {
      anyTag.lastIndex = start;
      const tag = anyTag.exec(text)?.[0];
      if (tag !== undefined) found.push({ tag, start, end: start + tag.length });
    }
  }
  return found.toSorted((a, b) => a.start - b.start);
}

/** On its own line on either side, or attached to words as in no sentence about tags. */
function isMark(text: string, start: number, end: number): boolean {
  const before = text.charAt(start - 1);
  const after = text.charAt(end);
  if (start === 0 || before === "\n" || after === "\n" || after === "\r") return true;
  return /[^\s`'"(“‘]/u.test(before) && /[^\s`'")”’.,;:]/u.test(after);
}

function pieces(kind: ContentPiece["kind"], text: string): readonly ContentPiece[] {
  return text === "" ? [] : [{ kind, text }];
}

/** Length of the longest end of the text that is the start of the tag. */
function heldLength(text: string, tag: string): number {
  const end = text.slice(1 - tag.length).toLowerCase();
  for (let length = Math.min(tag.length - 1, text.length); length > 0; length--) {
    if (end.endsWith(tag.slice(0, length))) return length;
  }
  return 0;
}

function escapeMark(mark: string): string {
  return mark.replace(/[[\]/]/g, "\\$&");
}

/**
 * Joins a surrogate pair that a server split across two deltas: the first half waits for the next delta. Passed on
 * separately, each half would turn into U+FFFD on its way to the page or to disk.
 */
export class SurrogateJoiner {
  #firstHalf = "";

  /** The text that is complete so far; may be empty. */
  join(text: string): string {
    const joined = this.#firstHalf === "" ? text : this.#firstHalf + text;
    if (!isFirstHalf(joined.charCodeAt(joined.length - 1))) {
      this.#firstHalf = "";
      return joined;
    }
    this.#firstHalf = joined.slice(-1);
    return joined.slice(0, -1);
  }

  /** No text follows: returns a held-back half of a pair unchanged. */
  end(): string {
    const rest = this.#firstHalf;
    this.#firstHalf = "";
    return rest;
  }
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
