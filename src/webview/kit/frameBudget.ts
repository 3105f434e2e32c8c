/** Milliseconds that a frame may cost before the next one has to wait. */
const freeCost = 12;
/** The same while more text is waiting than fits into a frame, so that the delay doesn't keep growing. */
const freeCostBehind = 50;
/** What a frame costs beyond that is followed by a pause of this many times as long. */
const pauseFactor = 2;
/** In milliseconds: even if frames are expensive, the text is never frozen for longer. */
const maxPause = 1000;

/**
 * Decides how often growing messages are rendered. Frames are nearly always cheap, and there is one for each paint. A
 * single block that can't be split (a paragraph of a hundred pages) or that the browser has to lay out as a whole (a
 * table of ten thousand rows) is rendered less often the longer it gets.
 */
export class FrameBudget {
  #startedAt = 0;
  #dueAt = 0;

  isDue(now: number): boolean {
    return now >= this.#dueAt;
  }

  /** Call this when rendering a frame starts. */
  start(now: number): void {
    this.#startedAt = now;
  }

  /**
   * Call this when the frame is rendered, and again when it is laid out, if that is known.
   * @param isBehind Whether there was more to show than fits into the frame.
   */
  end(now: number, isBehind: boolean): void {
    const excess = now - this.#startedAt - (isBehind ? freeCostBehind : freeCost);
    this.#dueAt = excess <= 0 ? 0 : now + Math.min(excess * pauseFactor, maxPause);
  }
}
