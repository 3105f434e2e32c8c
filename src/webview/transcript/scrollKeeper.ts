/** How near to the end still counts as being there, in CSS pixels. */
const tolerance = 4;

export interface ScrollObserver {
  /** Whether there is new text below what the user looks at. */
  onLeftBehind(isLeftBehind: boolean): void;
  /** The browser has laid out a content of another size. */
  onLaidOut(): void;
}

/** Keeps the newest text in sight while the user is at the end, and never fights a user who isn't. */
export class ScrollKeeper {
  readonly #scroller: HTMLElement;
  readonly #onLeftBehind: ScrollObserver["onLeftBehind"];
  #isAtEnd = true;
  #lastTop = 0;

  constructor(scroller: HTMLElement, content: HTMLElement, observer: ScrollObserver) {
    this.#scroller = scroller;
    this.#onLeftBehind = (isLeftBehind) => observer.onLeftBehind(isLeftBehind);
    scroller.addEventListener("scroll", () => this.#onScroll(), { passive: true });
    // Called after the frame's own layout: reading the height at any other time would cause one more.
    const sizes = new ResizeObserver(() => {
      observer.onLaidOut();
      this.#follow();
    });
    sizes.observe(scroller);
    sizes.observe(content);
  }

  /** Whether the end is kept in sight. */
  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  /** Call this when new text has arrived. */
  contentGrew(): void {
    if (!this.#isAtEnd) this.#onLeftBehind(true);
  }

  goToEnd(): void {
    this.#isAtEnd = true;
    this.#onLeftBehind(false);
    this.#follow();
  }

  /** Something else is to be looked at: new text doesn't move it. */
  leaveEnd(): void {
    this.#isAtEnd = false;
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
