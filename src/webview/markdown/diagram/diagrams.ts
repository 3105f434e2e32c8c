import { NearViewport } from "../nearViewport.ts";
import type { NearChange } from "../nearViewport.ts";
import type { DiagramRenderer } from "./diagramRenderer.ts";

/** Milliseconds after which a diagram is drawn even if the page is busy. */
const patience = 500;

/**
 * Shows finished diagrams near the viewport as images in the theme's colors, one each time the page is idle. Until
 * then, and when printed before that, they are shown as their source.
 */
export class Diagrams {
  readonly #observer = new NearViewport((changes) => this.#onSeen(changes));
  /** Diagrams near the viewport that aren't drawn yet. One that leaves it before its turn isn't drawn. */
  readonly #near = new Set<HTMLElement>();
  /** Diagrams drawn in the current colors. A weak reference doesn't keep the elements of a deleted message. */
  #drawn: WeakRef<HTMLElement>[] = [];
  #renderer: DiagramRenderer | undefined;
  #isDrawing = false;

  constructor() {
    new MutationObserver(() => this.#drawAgain()).observe(document.body, { attributeFilter: ["class"] });
  }

  /** Adds the diagrams in a finished block of a message. */
  add(block: Node): void {
    if (!(block instanceof HTMLElement)) return;
    const selector = '.code[data-language="mermaid"]';
    const found = block.matches(selector) ? [block] : block.querySelectorAll<HTMLElement>(selector);
    for (const code of found) this.#observer.observe(code);
  }

  #onSeen(changes: readonly NearChange[]): void {
    for (const { target, isIntersecting } of changes) {
      if (!(target instanceof HTMLElement)) continue;
      if (isIntersecting) this.#near.add(target);
      else this.#near.delete(target);
    }
    void this.#drawAll();
  }

  /** The theme has changed, and the images contain its old colors. */
  #drawAgain(): void {
    const drawn = this.#drawn;
    this.#drawn = [];
    for (const reference of drawn) {
      // Also one whose message isn't on the page now, because it may come back.
      const block = reference.deref();
      if (block !== undefined) this.#observer.observe(block);
    }
  }

  async #drawAll(): Promise<void> {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    try {
      while (this.#near.size > 0) {
        await new Promise((resolve) => requestIdleCallback(resolve, { timeout: patience }));
        // What came into view last is what the user is looking at.
        const block = [...this.#near].at(-1);
        if (block !== undefined) await this.#draw(block);
      }
    } finally {
      this.#isDrawing = false;
    }
  }

  async #draw(block: HTMLElement): Promise<void> {
    this.#near.delete(block);
    this.#observer.unobserve(block);
    // Its message has left the page, and may come back.
    if (!block.isConnected) return this.#observer.observe(block);
    this.#renderer ??= new (await import("./diagramRenderer.ts")).DiagramRenderer();
    if (await this.#renderer.draw(block)) this.#drawn.push(new WeakRef(block));
  }
}
