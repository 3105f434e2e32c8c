import { t } from "@vscode/l10n";
import { create } from "../../kit/dom.ts";
import type { typesetMath } from "./typesetMath.ts";

/** How far outside the viewport formulas are already typeset. */
const observerOptions = { scrollMargin: "600px" };
/** Milliseconds per step for formulas. */
const budget = 6;
/** Milliseconds after which formulas are typeset even if the page is busy. */
const patience = 200;

/** Typesets formulas near the viewport while the page is idle, each once. Invalid TeX is left as it was written. */
export class MathTypesetter {
  readonly #observer = new IntersectionObserver((entries) => this.#onSeen(entries), observerOptions);
  /** Formulas near the viewport. One that leaves it before its turn isn't typeset. */
  readonly #near = new Set<HTMLElement>();
  #typeset: typeof typesetMath | undefined;
  #isLoading = false;
  #isScheduled = false;

  /** Adds a newly created node. */
  add(node: Node): void {
    if (node instanceof HTMLElement && node.dataset["math"] !== undefined) this.#observer.observe(node);
  }

  #onSeen(entries: readonly IntersectionObserverEntry[]): void {
    for (const { target, isIntersecting } of entries) {
      if (!(target instanceof HTMLElement)) continue;
      if (!target.isConnected) this.#observer.unobserve(target);
      if (isIntersecting && target.isConnected) this.#near.add(target);
      else this.#near.delete(target);
    }
    if (this.#near.size === 0) return;
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
    if (this.#isScheduled || this.#near.size === 0) return;
    this.#isScheduled = true;
    requestIdleCallback(
      () => {
        this.#isScheduled = false;
        this.#typesetSome();
        this.#schedule();
      },
      { timeout: patience },
    );
  }

  #typesetSome(): void {
    const start = performance.now();
    const wide: HTMLElement[] = [];
    for (const formula of this.#near) {
      this.#near.delete(formula);
      this.#observer.unobserve(formula);
      if (!formula.isConnected) continue;
      if (this.#typesetOne(formula) && formula.classList.contains("display")) wide.push(formula);
      if (performance.now() - start > budget) break;
    }
    // A formula that is wider than the column can be scrolled, also by keyboard. All are measured at once, because each
    // measurement after a change lays out the page.
    const scrolled = wide.filter(
      ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth && clientWidth > 0,
    );
    for (const formula of scrolled) formula.tabIndex = 0;
  }

  /** False if its TeX is invalid. */
  #typesetOne(formula: HTMLElement): boolean {
    if (this.#typeset === undefined) return false;
    try {
      formula.replaceChildren(
        this.#typeset(formula.dataset["math"] ?? "", formula.classList.contains("display")),
      );
      formula.classList.add("typeset");
      return true;
    } catch (error) {
      formula.classList.add("broken");
      formula.title = t("This TeX can't be rendered: {0}", error instanceof Error ? error.message : "");
      return false;
    }
  }
}
