/** UTF-16 units that may stay open and be parsed again in every frame. */
const alwaysParsed = 8000;
/** What was added must be at least this part of what is parsed again with it. */
const worthwhilePart = 1 / 4;
/** Or else parsing must take no more than this part of the time. */
const mostOfTime = 1 / 20;

/**
 * Decides when an open block is parsed again that can't be cut, such as a heading, a cell or a line of marks of 100 kB.
 * In each frame that would be quadratic, whatever the block is. A block that grows by a quarter before it is parsed again
 * costs about five times what it costs at once; one that grows slowly is shown as often as the time allows.
 */
export class Pace {
  readonly #now: () => number;
  /** UTF-16 units that the last parse left open. */
  #open = 0;
  /** Milliseconds. */
  #end = 0;
  #duration = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @param length UTF-16 units that would be parsed. */
  isTime(length: number): boolean {
    if (this.#open < alwaysParsed || length - this.#open >= this.#open * worthwhilePart) return true;
    return (this.#now() - this.#end) * mostOfTime > this.#duration;
  }

  /** Runs a parse, which returns how many units it left open. */
  measure(parse: () => number): void {
    const start = this.#now();
    this.#open = parse();
    this.#end = this.#now();
    this.#duration = this.#end - start;
  }
}
