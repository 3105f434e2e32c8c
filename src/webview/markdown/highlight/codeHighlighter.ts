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

/** Highlights finished code blocks near the viewport while the page is idle. Loads the highlighter on demand. */
export class CodeHighlighter {
  readonly #observer = new NearViewport((changes) => this.#onNear(changes));
  readonly #waiting: Element[] = [];
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

  #onNear(changes: readonly NearChange[]): void {
    const near = changes.filter((change) => change.isIntersecting).map(({ target }) => target);
    if (near.length === 0) return;
    for (const code of near) this.#observer.unobserve(code);
    this.#waiting.push(...near);
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
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    requestIdleCallback(
      () => {
        this.#isScheduled = false;
        this.#highlightNext();
        this.#schedule();
      },
      { timeout: 1000 },
    );
  }

  #highlightNext(): void {
    const block = this.#waiting.pop();
    // Its message has left the page, and may come back.
    if (block?.isConnected === false) return this.#observer.observe(block);
    const code = block?.querySelector("code");
    const text = code?.textContent ?? "";
    if (code === null || code === undefined || text.length > maxLength) return;
    const chunks = this.#highlight?.(text, block?.getAttribute("data-language") ?? "", linesPerChunk);
    if (chunks === undefined) return;
    const target = createDomTarget(document);
    const shown = code.querySelectorAll(".code-lines");
    for (const [index, trees] of chunks.entries()) {
      shown[index]?.replaceChildren(...trees.map((tree) => mount(target, tree).node));
    }
  }
}
