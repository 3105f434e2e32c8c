import { t } from "@vscode/l10n";
import { loadBundle } from "../../kit/onDemandBundle.ts";
import type { BundleSource } from "../../kit/onDemandBundle.ts";
import { mathEvent } from "./typesetMath.ts";
import type { TypesetMath } from "./typesetMath.ts";

/** How far out of sight formulas are typeset already. */
const nearness = { scrollMargin: "600px" };
/** Milliseconds of a frame that may go into formulas. */
const budget = 8;

/** Typesets formulas that come near to sight, each once; those that aren't TeX stay as they were written. */
export class MathTypesetter {
  readonly #source: BundleSource | undefined;
  readonly #observer = new IntersectionObserver((entries) => this.#onNear(entries), nearness);
  readonly #waiting: HTMLElement[] = [];
  #typeset: TypesetMath | undefined;
  #isLoading = false;
  #isScheduled = false;

  constructor(source: BundleSource | undefined) {
    this.#source = source;
  }

  /** Takes a node that has just been built. */
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
    if (this.#isLoading || this.#source === undefined) return;
    this.#isLoading = true;
    this.#typeset = (await loadBundle(this.#source, mathEvent)).detail;
    this.#schedule();
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
      // One that is wider than the column is scrolled: by keyboard too.
      if (formula.scrollWidth > formula.clientWidth && formula.clientWidth > 0) formula.tabIndex = 0;
    } catch (error) {
      formula.classList.add("broken");
      formula.title = t("This TeX can't be rendered: {0}", error instanceof Error ? error.message : "");
    }
  }
}
