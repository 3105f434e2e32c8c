import { t } from "@vscode/l10n";
import { create } from "../../kit/dom.ts";
import type { typesetMath } from "./typesetMath.ts";

/** How far outside the viewport formulas are already typeset. */
const observerOptions = { scrollMargin: "600px" };
/** Milliseconds per frame for formulas. */
const budget = 8;

/** Typesets formulas near the viewport, each once. Invalid TeX is left as it was written. */
export class MathTypesetter {
  readonly #observer = new IntersectionObserver((entries) => this.#onNear(entries), observerOptions);
  readonly #waiting: HTMLElement[] = [];
  #typeset: typeof typesetMath | undefined;
  #isLoading = false;
  #isScheduled = false;

  /** Adds a newly created node. */
  add(node: Node): void {
    if (node instanceof HTMLElement && node.dataset["math"] !== undefined) this.#observer.observe(node);
  }

  #onNear(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      if (!isIntersecting && target.isConnected) continue;
      this.#observer.unobserve(target);
      if (target instanceof HTMLElement && target.isConnected) this.#waiting.push(target);
    }
    if (this.#waiting.length === 0) return;
    if (this.#typeset === undefined) void this.#load();
    else this.#schedule();
  }

  async #load(): Promise<void> {
    if (this.#isLoading) return;
    this.#isLoading = true;
    try {
      this.#typeset = (await import("./typesetMath.ts")).typesetMath;
      const href = new URL("mathStyle.css", import.meta.url).href;
      document.head.append(create("link", { rel: "stylesheet", href }));
      this.#schedule();
    } finally {
      this.#isLoading = false;
    }
  }

  #schedule(): void {
    if (this.#isScheduled || this.#waiting.length === 0) return;
    this.#isScheduled = true;
    requestAnimationFrame((start) => {
      this.#isScheduled = false;
      while (this.#waiting.length > 0 && performance.now() - start < budget) this.#typesetNext();
      this.#schedule();
    });
  }

  #typesetNext(): void {
    const formula = this.#waiting.shift();
    if (formula?.isConnected !== true || this.#typeset === undefined) return;
    const tex = formula.dataset["math"] ?? "";
    try {
      formula.replaceChildren(this.#typeset(tex, formula.classList.contains("display")));
      formula.classList.add("typeset");
      // A formula that is wider than the column can be scrolled, also by keyboard.
      if (formula.scrollWidth > formula.clientWidth && formula.clientWidth > 0) formula.tabIndex = 0;
    } catch (error) {
      formula.classList.add("broken");
      formula.title = t("This TeX can't be rendered: {0}", error instanceof Error ? error.message : "");
    }
  }
}
