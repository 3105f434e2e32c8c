/** How far outside the viewport something counts as near. */
const options = { scrollMargin: "600px" };

export type NearChange = Pick<IntersectionObserverEntry, "target" | "isIntersecting">;

/**
 * Observes which elements of messages are near the viewport. The browser looks at every observed element in each frame,
 * and a message can have thousands: those in a chapter (sections.ts) that is far away are replaced by the chapter.
 */
export class NearViewport {
  readonly #onChange: (changes: readonly NearChange[]) => void;
  readonly #elements: IntersectionObserver;
  readonly #chapters = new IntersectionObserver((entries) => this.#onChapters(entries), options);
  /** The observed elements of each chapter. */
  readonly #inChapter = new WeakMap<Element, Set<Element>>();
  readonly #chapterOf = new WeakMap<Element, Element>();
  readonly #nearChapters = new WeakSet<Element>();

  /** @param onChange Called with the elements that have just been added, and later with those that come near or leave. */
  constructor(onChange: (changes: readonly NearChange[]) => void) {
    this.#onChange = onChange;
    this.#elements = new IntersectionObserver(onChange, options);
  }

  observe(element: Element): void {
    const chapter = element.closest(".chapter");
    if (chapter === null) return this.#elements.observe(element);
    const observed = this.#inChapter.get(chapter) ?? new Set();
    this.#inChapter.set(chapter, observed.add(element));
    this.#chapterOf.set(element, chapter);
    if (this.#nearChapters.has(chapter)) this.#elements.observe(element);
    else this.#chapters.observe(chapter);
  }

  unobserve(element: Element): void {
    this.#elements.unobserve(element);
    // The element may have been removed from it.
    const chapter = this.#chapterOf.get(element);
    if (chapter !== undefined) this.#inChapter.get(chapter)?.delete(element);
  }

  #onChapters(entries: readonly IntersectionObserverEntry[]): void {
    const far: Element[] = [];
    for (const { target: chapter, isIntersecting } of entries) {
      const elements = this.#inChapter.get(chapter) ?? new Set();
      if (isIntersecting) {
        this.#nearChapters.add(chapter);
        for (const element of elements) this.#elements.observe(element);
      } else if (this.#nearChapters.delete(chapter)) {
        for (const element of elements) this.#elements.unobserve(element);
        far.push(...elements);
      }
      if (elements.size === 0 && !isIntersecting) this.#chapters.unobserve(chapter);
    }
    if (far.length > 0) this.#onChange(far.map((target) => ({ target, isIntersecting: false })));
  }
}
