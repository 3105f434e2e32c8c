/** How near to the end still counts as being there, in CSS pixels. */
const tolerance = 4;

/** Keeps the newest text in sight while the user is at the end, and never fights a user who isn't. */
export class ScrollKeeper {
  readonly #scroller: HTMLElement;
  readonly #onLeftBehind: (isLeftBehind: boolean) => void;
  #isAtEnd = true;
  #lastTop = 0;

  /** `onLeftBehind` is told whether there is new text below what the user looks at. */
  constructor(scroller: HTMLElement, content: HTMLElement, onLeftBehind: (isLeftBehind: boolean) => void) {
    this.#scroller = scroller;
    this.#onLeftBehind = onLeftBehind;
    scroller.addEventListener("scroll", () => this.#onScroll(), { passive: true });
    // An observer is told after the frame's own layout: to ask for the height at any other time would be one more.
    const observer = new ResizeObserver(() => this.#follow());
    observer.observe(scroller);
    observer.observe(content);
  }

  /** To be called when new text came. */
  contentGrew(): void {
    if (!this.#isAtEnd) this.#onLeftBehind(true);
  }

  goToEnd(): void {
    this.#isAtEnd = true;
    this.#onLeftBehind(false);
    this.#follow();
  }

  #follow(): void {
    if (!this.#isAtEnd) return;
    const { scrollHeight, clientHeight } = this.#scroller;
    this.#lastTop = scrollHeight - clientHeight;
    this.#scroller.scrollTop = this.#lastTop;
  }

  /** Going up is a wish to stay there; only the very end is the end. */
  #onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const isAtEnd = scrollHeight - clientHeight - scrollTop <= tolerance;
    if (isAtEnd) this.#isAtEnd = true;
    else if (scrollTop < this.#lastTop - 1) this.#isAtEnd = false;
    this.#lastTop = scrollTop;
    if (isAtEnd) this.#onLeftBehind(false);
  }
}
