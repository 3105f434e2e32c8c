import type { DiagramRenderer } from "./diagramRenderer.ts";

/** How far outside the viewport diagrams are already drawn. */
const observerOptions = { scrollMargin: "600px" };

/** Shows finished diagrams as images in the theme's colors, one after the other as they approach the viewport. */
export class Diagrams {
  readonly #observer = new IntersectionObserver((entries) => this.#onNear(entries), observerOptions);
  readonly #waiting: HTMLElement[] = [];
  readonly #drawn = new Set<HTMLElement>();
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

  #onNear(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting || !(target instanceof HTMLElement)) continue;
      this.#observer.unobserve(target);
      this.#waiting.push(target);
    }
    void this.#drawAll();
  }

  /** The theme has changed, and the images contain its old colors. */
  #drawAgain(): void {
    for (const block of this.#drawn) if (block.isConnected) this.#observer.observe(block);
    this.#drawn.clear();
  }

  async #drawAll(): Promise<void> {
    if (this.#isDrawing) return;
    this.#isDrawing = true;
    try {
      for (let block = this.#waiting.shift(); block !== undefined; block = this.#waiting.shift()) {
        if (block.isConnected) await this.#draw(block);
      }
    } finally {
      this.#isDrawing = false;
    }
  }

  async #draw(block: HTMLElement): Promise<void> {
    this.#renderer ??= new (await import("./diagramRenderer.ts")).DiagramRenderer();
    if (await this.#renderer.draw(block)) this.#drawn.add(block);
  }
}
