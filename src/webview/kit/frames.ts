/** Calls back before the next paint, at most once a frame; by a timer while the page is hidden and no frame comes. */
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

  /** A frame that was asked for while visible never comes when hidden. */
  #restart(): void {
    if (this.#cancel === undefined) return;
    this.#cancel();
    this.#cancel = undefined;
    this.request();
  }
}

/** In milliseconds. */
const hiddenInterval = 250;
