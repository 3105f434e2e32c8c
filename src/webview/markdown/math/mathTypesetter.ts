import { t } from "@vscode/l10n";
import { create } from "../../kit/dom.ts";
import { NearViewport } from "../nearViewport.ts";
import type { NearChange } from "../nearViewport.ts";
import type { typesetMath } from "./typesetMath.ts";

/** A run of a long text (runs.ts), or another short text. */
const textAround = ".run, p, li, td, th, h1, h2, h3, h4, h5, h6, .math-block";
/** Milliseconds per step for formulas. */
const budget = 6;
/** Milliseconds after which formulas are typeset even if the page is busy. */
const patience = 200;

/** Typesets formulas near the viewport while the page is idle, each once. Invalid TeX is left as it was written. */
export class MathTypesetter {
  readonly #observer = new NearViewport((changes) => this.#onSeen(changes));
  /** Formulas that were just created and may not be on the page yet. */
  #created: HTMLElement[] = [];
  /**
   * Formulas that aren't typeset, by the text around them. It is observed instead of them, because a text may have
   * thousands.
   */
  readonly #formulas = new WeakMap<Element, HTMLElement[]>();
  /** Formulas near the viewport. One that leaves it before its turn isn't typeset. */
  readonly #near = new Set<HTMLElement>();
  #typeset: typeof typesetMath | undefined;
  #isLoading = false;
  #isScheduled = false;

  /** Adds a newly created node. */
  add(node: Node): void {
    if (!(node instanceof HTMLElement) || node.dataset["math"] === undefined) return;
    if (this.#created.length === 0) requestAnimationFrame(() => this.#observeCreated());
    this.#created.push(node);
  }

  #observeCreated(): void {
    for (const formula of this.#created) {
      const text = formula.closest(textAround);
      if (text === null) continue;
      const formulas = this.#formulas.get(text);
      if (formulas === undefined) this.#formulas.set(text, [formula]);
      else formulas.push(formula);
      // Observing it again reports whether it is near the viewport for the new formula, too.
      this.#observer.unobserve(text);
      this.#observer.observe(text);
    }
    this.#created = [];
  }

  #onSeen(changes: readonly NearChange[]): void {
    for (const { target, isIntersecting } of changes) {
      for (const formula of this.#formulas.get(target) ?? []) {
        if (isIntersecting && target.isConnected) this.#near.add(formula);
        else this.#near.delete(formula);
      }
      if (!target.isConnected) this.#observer.unobserve(target);
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
      if (!formula.isConnected) continue;
      this.#forget(formula);
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

  #forget(formula: HTMLElement): void {
    const text = formula.closest(textAround);
    if (text === null) return;
    const rest = (this.#formulas.get(text) ?? []).filter((other) => other !== formula && other.isConnected);
    this.#formulas.set(text, rest);
    if (rest.length === 0) this.#observer.unobserve(text);
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
