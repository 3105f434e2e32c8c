import { t } from "@vscode/l10n";
import { create } from "../../kit/dom.ts";
import { NearViewport } from "../nearViewport.ts";
import type { NearChange } from "../nearViewport.ts";
import type { typesetMath } from "./typesetMath.ts";
import { messageOf } from "../../../core/kernel/thrown.ts";

/** A run of a long text (runs.ts), or another short text. */
const textAround = ".run, p, li, td, th, h1, h2, h3, h4, h5, h6, .math-block";
/** A formula that may still be typeset. */
export const waitingFormula = ".math:not(.typeset, .broken)";
/** Sent to a text when some of its formulas have been typeset. */
export const typesetEvent = "typeset";
/**
 * Milliseconds per step for typesetting formulas, and the maximum number of formulas per step: laying them out takes
 * several times as long.
 */
const [budget, mostPerStep] = [6, 16];
/** Milliseconds after a formula has arrived during which more are expected. */
const growingTime = 300;
/**
 * While text is arriving, a step is followed by a pause that is this many times as long as the step and its frame took:
 * a short one if few visible formulas are waiting, a longer one if none are or if they arrive faster than anyone can
 * read them.
 */
const [formulasPerPause, mostPauses] = [40, 8];
/** Milliseconds after which formulas are typeset even if the page is busy. */
const patience = 200;

/** Typesets formulas near the viewport while the page is idle, each once. Invalid TeX is left as it was written. */
export class MathTypesetter {
  readonly #observer = new NearViewport((changes) => this.#onSeen(changes));
  /** Formulas that were just created and may not be on the page yet. */
  #created: HTMLElement[] = [];
  /**
   * Formulas that aren't typeset, by the text around them. The text is observed instead of the formulas, because it may
   * contain thousands.
   */
  readonly #formulas = new WeakMap<Element, HTMLElement[]>();
  /** Texts near the viewport. The formulas of one that leaves it before their turn aren't typeset. */
  readonly #near = new Set<Element>();
  /** Monotonic milliseconds: when the latest formula arrived, and when the next step may be. */
  #createdAt = -Infinity;
  #dueAt = 0;
  /** The number of formulas that the latest step could have typeset. */
  #waiting = 0;
  #typeset: typeof typesetMath | undefined;
  #isLoading = false;
  #isScheduled = false;

  /** Adds a newly created node. */
  add(node: Node): void {
    // Called for every element, and `dataset` would create an object for each.
    if (!(node instanceof HTMLElement) || !node.hasAttribute("data-math")) return;
    if (this.#created.length === 0) requestAnimationFrame(() => this.#observeCreated());
    this.#created.push(node);
    this.#createdAt = performance.now();
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
      if (isIntersecting && target.isConnected) this.#near.add(target);
      else this.#near.delete(target);
      // Replaced while the message was growing. A whole message that leaves the page may come back (TranscriptWindow).
      if (target.closest(".markdown") === null) this.#observer.unobserve(target);
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
    const pause = this.#dueAt - performance.now();
    if (pause > 0) setTimeout(() => this.#step(), pause);
    else requestIdleCallback(() => this.#step(), { timeout: patience });
  }

  #step(): void {
    const start = performance.now();
    this.#typesetSome(start);
    const typesetIn = performance.now() - start;
    requestAnimationFrame((frame) => {
      // The timer ends after the frame has been laid out and painted.
      setTimeout(() => {
        const now = performance.now();
        const pauses =
          this.#waiting === 0 ? mostPauses : Math.min(this.#waiting / formulasPerPause, mostPauses);
        if (this.#isGrowing(now)) this.#dueAt = now + pauses * (typesetIn + now - frame);
        this.#isScheduled = false;
        this.#schedule();
      });
    });
  }

  /** Whether text is arriving. */
  #isGrowing(now: number): boolean {
    return now - this.#createdAt < growingTime;
  }

  /** Each formula moves the text after it, which is laid out and painted again. */
  #typesetSome(start: number): void {
    const wide: HTMLElement[] = [];
    const texts = new Set<Element | null>();
    let count = 0;
    const formulas = this.#isGrowing(start) ? this.#latestVisible() : this.#ofTexts([...this.#near]);
    this.#waiting = formulas.length;
    for (const formula of formulas) {
      texts.add(this.#forget(formula));
      if (this.#typesetOne(formula) && formula.classList.contains("display")) wide.push(formula);
      count += 1;
      if (count >= mostPerStep || performance.now() - start > budget) break;
    }
    for (const text of texts) text?.dispatchEvent(new Event(typesetEvent));
    // A formula that is wider than the column can be scrolled, also by keyboard. All are measured at once, because each
    // measurement after a change lays out the page.
    const scrolled = wide.filter(
      ({ scrollWidth, clientWidth }) => scrollWidth > clientWidth && clientWidth > 0,
    );
    for (const formula of scrolled) formula.tabIndex = 0;
  }

  /** The formulas of these texts that are still to be typeset. Texts without any are no longer observed. */
  #ofTexts(texts: readonly Element[]): readonly HTMLElement[] {
    return texts.flatMap((text) => {
      const formulas = (this.#formulas.get(text) ?? []).filter(({ isConnected }) => isConnected);
      this.#keep(text, formulas);
      return formulas;
    });
  }

  /**
   * While text is arriving at the end, the latest formulas come first, and only those that can be seen: the others may
   * be far away before their turn, and text between typeset formulas costs several times as much to move.
   */
  #latestVisible(): readonly HTMLElement[] {
    return this.#ofTexts([...this.#near].filter(isVisible))
      .filter(isVisible)
      .toReversed();
  }

  #keep(text: Element, formulas: HTMLElement[]): void {
    this.#formulas.set(text, formulas);
    if (formulas.length > 0) return;
    this.#near.delete(text);
    this.#observer.unobserve(text);
  }

  /** Returns the text around the formula. */
  #forget(formula: HTMLElement): Element | null {
    const text = formula.closest(textAround);
    if (text === null) return null;
    this.#keep(text, this.#formulas.get(text)?.filter((other) => other !== formula) ?? []);
    return text;
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
      formula.title = t("This TeX can't be rendered: {0}", messageOf(error));
      return false;
    }
  }
}

function isVisible(element: Element): boolean {
  // Measuring what the browser skips would lay it out.
  if (!element.checkVisibility({ contentVisibilityAuto: true })) return false;
  const { top, bottom } = element.getBoundingClientRect();
  return bottom > 0 && top < innerHeight;
}
