/** Milliseconds that a frame may cost before the next one has to wait. */
const freeCost = 12;
/**
 * Milliseconds that a frame may cost while more text is waiting than fits into a frame, so that the delay doesn't keep
 * growing.
 */
const freeCostBehind = 50;
/** What a frame costs beyond that is followed by a pause of this many times as long. */
const pauseFactor = 2;
/**
 * The factor for the pause while text is waiting, because everything that arrives during the pause makes the next frame
 * longer.
 */
const pauseFactorBehind = 1 / 2;
/** Number of recent frames of which the cheapest one counts: a single slow one is often another program's fault. */
const framesCompared = 3;
/** In milliseconds: even if frames are expensive, the text is never frozen for longer. */
const maxPause = 1000;

/**
 * Decides how often growing messages are rendered. Frames are nearly always cheap, and there is one for each paint. A
 * single block that can't be split (a paragraph of a hundred pages) or that the browser has to lay out as a whole (a
 * table of ten thousand rows) is rendered less often the longer it gets.
 */
export class FrameBudget {
  /** The costs of the last frames in milliseconds, the latest first. */
  readonly #costs: number[] = [];
  #startedAt = 0;
  #dueAt = 0;

  isDue(now: number): boolean {
    return now >= this.#dueAt;
  }

  /** Call this when rendering a frame starts. */
  start(now: number): void {
    this.#startedAt = now;
    this.#costs.unshift(0);
    this.#costs.length = Math.min(this.#costs.length, framesCompared);
  }

  /**
   * Call this when the frame is rendered, and again when it is laid out, if that is known.
   * @param isBehind Whether there was more to show than fits into the frame.
   */
  end(now: number, isBehind: boolean): void {
    this.#costs[0] = now - this.#startedAt;
    const excess = Math.min(...this.#costs) - (isBehind ? freeCostBehind : freeCost);
    const pause = excess * (isBehind ? pauseFactorBehind : pauseFactor);
    this.#dueAt = excess <= 0 ? 0 : now + Math.min(pause, maxPause);
  }
}
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
