/** Milliseconds that a render of the open tail may cost before it is done less often. */
const freeCost = 4;
/** A costly render is followed by a pause of this many times its cost. */
const pauseFactor = 6;

/**
 * Decides how often the open tail is rendered. Nearly always it is short and rendered at each frame; a single block
 * that can't be cut (a paragraph of a hundred pages) is rendered less often the longer it gets.
 */
export class Pace {
  #dueAt = 0;

  isDue(now: number): boolean {
    return now >= this.#dueAt;
  }

  /** `now` is when a render ended that took `cost` milliseconds. */
  rendered(now: number, cost: number): void {
    this.#dueAt = cost <= freeCost ? 0 : now + cost * pauseFactor;
  }
}
