import { t } from "@vscode/l10n";
import { create, icon } from "../kit/dom.ts";

/** How close to the end counts as being at the end, in CSS pixels. */
const tolerance = 4;

interface ScrollObserver {
  /** Called with whether there is new text below the visible part. */
  onLeftBehind(isLeftBehind: boolean): void;
  /** Called when the browser has laid out the content at a different size. */
  onLaidOut(): void;
  /** Whether there is nothing to follow, so that the beginning stays visible instead of the end. */
  isEmpty(): boolean;
}

/** Keeps the newest text visible while the user is at the end, and never interferes when the user isn't. */
export class ScrollKeeper {
  readonly #scroller: HTMLElement;
  readonly #observer: ScrollObserver;
  #isAtEnd = true;
  #lastTop = 0;
  readonly #afterFrame = new MessageChannel();

  constructor(scroller: HTMLElement, content: HTMLElement, observer: ScrollObserver) {
    this.#scroller = scroller;
    this.#setAtEnd(true);
    this.#observer = observer;
    scroller.addEventListener("scroll", () => this.#onScroll(), { passive: true });
    this.#afterFrame.port1.onmessage = () => this.#noteShrinking();
    // Called after the frame's own layout. Reading the height at any other time would cause another one.
    const sizes = new ResizeObserver(() => {
      observer.onLaidOut();
      this.#follow();
    });
    sizes.observe(scroller);
    sizes.observe(content);
  }

  /** Whether the end is kept visible. */
  get isAtEnd(): boolean {
    return this.#isAtEnd;
  }

  /** Call this when new text has arrived. */
  contentGrew(): void {
    if (!this.#isAtEnd) this.#observer.onLeftBehind(true);
  }

  goToEnd(): void {
    this.#setAtEnd(true);
    this.#observer.onLeftBehind(false);
    // The position may be the one in another conversation.
    if (this.#observer.isEmpty()) this.#scroller.scrollTop = this.#lastTop = 0;
    this.#follow();
  }

  /** Stops following new text, because something else should stay visible. */
  leaveEnd(): void {
    this.#setAtEnd(false);
  }

  /**
   * At the end, the browser must not keep other text in place: when that text moves up by as much as new text is added,
   * the height is the same, and it would look as if the user had scrolled up.
   */
  #setAtEnd(isAtEnd: boolean): void {
    const anchor = isAtEnd ? "none" : "";
    this.#isAtEnd = isAtEnd;
    // Every frame of a response scrolls, and setting a property to its value would style the scroller again.
    if (this.#scroller.style.overflowAnchor !== anchor) this.#scroller.style.overflowAnchor = anchor;
  }

  #follow(): void {
    if (!this.#isAtEnd || this.#observer.isEmpty()) return;
    const { scrollHeight, clientHeight } = this.#scroller;
    this.#lastTop = scrollHeight - clientHeight;
    this.#scroller.scrollTop = this.#lastTop;
    this.#afterFrame.port2.postMessage(undefined);
  }

  /**
   * If the content has become shorter in the meantime, for example because formulas were typeset, the browser has moved
   * its end down. When more text follows at once, that must not look as if the user had scrolled up.
   */
  #noteShrinking(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    if (this.#isAtEnd && scrollHeight - clientHeight - scrollTop <= tolerance) this.#lastTop = scrollTop;
  }

  /** Scrolling up means staying there. Only the very end counts as the end. */
  #onScroll(): void {
    const { scrollTop, scrollHeight, clientHeight } = this.#scroller;
    const isAtEnd = scrollHeight - clientHeight - scrollTop <= tolerance;
    if (isAtEnd) this.#setAtEnd(true);
    else if (scrollTop < this.#lastTop - 1) this.#setAtEnd(false);
    this.#lastTop = scrollTop;
    if (isAtEnd) this.#observer.onLeftBehind(false);
  }
}

/** A button that scrolls to new text below the visible part. It is hidden until there is any. */
export function createNewTextButton(onClick: () => void): HTMLElement {
  const words = t("Jump to Latest");
  const button = create("button", { type: "button", class: "new-text" }, icon("arrow-down"), words);
  button.addEventListener("click", onClick);
  button.hidden = true;
  return button;
}
