/**
 * Calls back before the next paint, at most once per frame. While the page is hidden and there are no frames, a timer
 * is used.
 */
export class Frames {
  readonly #onFrame: () => void;
  #cancel: (() => void) | undefined;

  constructor(onFrame: () => void) {
    this.#onFrame = onFrame;
    document.addEventListener("visibilitychange", () => this.#restart());
  }

  request(): void {
    if (this.#cancel !== undefined) return;
    const run = (): void => {
      this.#cancel = undefined;
      this.#onFrame();
    };
    if (document.hidden) {
      const timer = setTimeout(run, hiddenInterval);
      this.#cancel = () => clearTimeout(timer);
    } else {
      const frame = requestAnimationFrame(run);
      this.#cancel = () => cancelAnimationFrame(frame);
    }
  }

  /** A frame that was requested while visible never arrives when hidden. */
  #restart(): void {
    if (this.#cancel === undefined) return;
    this.#cancel();
    this.#cancel = undefined;
    this.request();
  }
}

/** In milliseconds. */
const hiddenInterval = 250;
