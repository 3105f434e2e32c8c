/** UTF-16 code units that may stay open and be parsed again in every frame. */
const alwaysParsed = 8000;
/** The added text must be at least this fraction of what has to be parsed again. */
const worthwhilePart = 1 / 4;
/** Otherwise, parsing must not take more than this fraction of the time. */
const mostOfTime = 1 / 20;

/**
 * Decides when to parse an open block again that can't be split, such as a heading, a cell or a line of marks of 100
 * kB. Parsing it in each frame would take quadratic time. If a block grows by a quarter before it is parsed again, the
 * total cost is about five times that of a single parse. A block that grows slowly is shown as often as the time
 * allows.
 */
export class Pace {
  readonly #now: () => number;
  /** UTF-16 code units that the last parse left open. */
  #open = 0;
  /** In milliseconds. */
  #end = 0;
  #duration = 0;

  constructor(now: () => number) {
    this.#now = now;
  }

  /** @param length UTF-16 code units that would be parsed. */
  isTime(length: number): boolean {
    if (this.#open < alwaysParsed || length - this.#open >= this.#open * worthwhilePart) return true;
    return (this.#now() - this.#end) * mostOfTime > this.#duration;
  }

  /** Runs a parse, which returns how many code units it left open. */
  measure(parse: () => number): void {
    const start = this.#now();
    this.#open = parse();
    this.#end = this.#now();
    this.#duration = this.#end - start;
  }
}
