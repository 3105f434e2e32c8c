/** How near to the end still counts as being there, in CSS pixels. */
const tolerance = 4;

/** Keeps the newest text in sight while the user is at the end, and never fights a user who isn't. */
export class ScrollKeeper {
  readonly #scroller: HTMLElement;
  readonly #onLeftBehind: (isLeftBehind: boolean) => void;
  #isAtEnd = true;
  #lastTop = 0;

  /** `onLeftBehind` is told whether there is new text below what the user looks at. */
  constructor(scroller: HTMLElement, onLeftBehind: (isLeftBehind: boolean) => void) {
    this.#scroller = scroller;
    this.#onLeftBehind = onLeftBehind;
    scroller.addEventListener("scroll", () => this.#onScroll(), { passive: true });
    new ResizeObserver(() => this.#follow()).observe(scroller);
  }

  /** To be called after the content grew. */
  contentGrew(): void {
    if (this.#isAtEnd) this.#follow();
    else this.#onLeftBehind(true);
  }

  goToEnd(): void {
    this.#isAtEnd = true;
    this.#follow();
    this.#onLeftBehind(false);
  }

  #follow(): void {
    if (!this.#isAtEnd) return;
    this.#scroller.scrollTop = this.#scroller.scrollHeight;
    this.#lastTop = this.#scroller.scrollTop;
  }

  /** Going up by a single pixel is a wish to stay there; only the very end is the end. */
  #onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const isAtEnd = scrollHeight - clientHeight - scrollTop <= tolerance;
    if (isAtEnd) this.#isAtEnd = true;
    else if (scrollTop < this.#lastTop) this.#isAtEnd = false;
    this.#lastTop = scrollTop;
    if (isAtEnd) this.#onLeftBehind(false);
  }
}
