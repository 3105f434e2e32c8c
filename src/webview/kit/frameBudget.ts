/** Milliseconds that a frame may cost before the next one has to wait. */
const freeCost = 12;
/** A costly frame is followed by a pause of this many times its cost. */
const pauseFactor = 3;
/** In milliseconds: however costly, the text never stands still for longer. */
const maxPause = 1000;

/**
 * Decides how often growing messages are rendered. Nearly always a frame costs little and there is one for each
 * paint; a single block that can't be cut (a paragraph of a hundred pages) or that the browser must lay out as a
 * whole (a table of ten thousand rows) is rendered less often the longer it gets.
 */
export class FrameBudget {
  #startedAt = 0;
  #dueAt = 0;

  isDue(now: number): boolean {
    return now >= this.#dueAt;
  }

  /** A frame begins to be rendered. */
  start(now: number): void {
    this.#startedAt = now;
  }

  /** The frame is rendered, or laid out, whichever is known last. */
  end(now: number): void {
    const cost = now - this.#startedAt;
    this.#dueAt = cost <= freeCost ? 0 : now + Math.min(cost * pauseFactor, maxPause);
  }
}
