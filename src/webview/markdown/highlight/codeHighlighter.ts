import { createDomTarget } from "../domTarget.ts";
import { mount } from "../mounted.ts";
import { NearViewport } from "../nearViewport.ts";
import type { NearChange } from "../nearViewport.ts";
import type { highlight } from "./highlight.ts";

/** Lines of code per node: a single text node that keeps growing would be laid out again completely at every delta. */
export const linesPerChunk = 64;

/**
 * Maximum length of a highlighted block in UTF-16 code units. Highlighting is done in one step and would block the
 * page.
 */
const maxLength = 24_000;

/** Milliseconds: blocks that come into view in shorter intervals may leave it again before anyone can read them. */
const hurry = 500;
/** Milliseconds for which such a block must stay in view. */
const settleTime = 200;

/**
 * Highlights finished code blocks near the viewport while the page is idle, each once. While text arrives or is
 * scrolled faster than anyone can read it, blocks that are only passing stay as they are until they come back. Loads
 * the highlighter on demand.
 */
export class CodeHighlighter {
  readonly #observer = new NearViewport((changes) => this.#onSeen(changes));
  /** When each block near the viewport may be highlighted, in monotonic milliseconds: the earliest first. */
  readonly #near = new Map<Element, number>();
  /** When the latest of them came near, in monotonic milliseconds. */
  #cameAt = -Infinity;
  #highlight: typeof highlight | undefined;
  #isLoading = false;
  #isScheduled = false;

  /** Adds the code blocks in a finished block of a message. */
  add(block: Node): void {
    if (!(block instanceof Element)) return;
    const found = block.matches(".code") ? [block] : [...block.querySelectorAll(".code")];
    const named = found.filter((code) => code.getAttribute("data-language") !== "");
    for (const code of named) this.#observer.observe(code);
  }

  #onSeen(changes: readonly NearChange[]): void {
    const now = performance.now();
    const dueAt = now - this.#cameAt < hurry ? now + settleTime : now;
    for (const { target, isIntersecting } of changes) {
      if (!isIntersecting) this.#near.delete(target);
      else if (!this.#near.has(target)) this.#near.set(target, dueAt);
    }
    if (changes.some(({ isIntersecting }) => isIntersecting)) this.#cameAt = now;
    if (this.#near.size === 0) return;
    if (this.#highlight === undefined) void this.#load();
    else this.#schedule();
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      this.#highlight = (await import("./highlight.ts")).highlight;
      this.#schedule();
    } finally {
      this.#isLoading = false;
    }
  }

  #schedule(): void {
    const [earliest] = this.#near.values();
    if (this.#isScheduled || earliest === undefined) return;
    this.#isScheduled = true;
    const pause = earliest - performance.now();
    if (pause > 0) setTimeout(() => this.#step(), pause);
    else requestIdleCallback(() => this.#step(), { timeout: 1000 });
  }

  #step(): void {
    this.#isScheduled = false;
    const now = performance.now();
    // What came into view last is what the user is looking at.
    const [block] = [...this.#near].findLast(([, dueAt]) => dueAt <= now) ?? [];
    if (block !== undefined) this.#highlightBlock(block);
    this.#schedule();
  }

  #highlightBlock(block: Element): void {
    this.#near.delete(block);
    this.#observer.unobserve(block);
    // Its message has left the page, and may come back.
    if (!block.isConnected) return this.#observer.observe(block);
    const code = block.querySelector("code");
    const text = code?.textContent ?? "";
    if (code === null || text.length > maxLength) return;
    const chunks = this.#highlight?.(text, block.getAttribute("data-language") ?? "", linesPerChunk);
    const shown = code.querySelectorAll(".code-lines");
    // There are more if a line is very long.
    if (chunks?.length !== shown.length) return;
    const target = createDomTarget(document);
    for (const [index, trees] of chunks.entries()) {
      shown[index]?.replaceChildren(...trees.map((tree) => mount(target, tree).node));
    }
  }
}
