/**
 * Joins a surrogate pair that a server split over two deltas: the first half waits for the next delta. Passed on
 * alone, each half would turn into U+FFFD on its way to the page or to disk.
 */
export class SurrogateJoiner {
  #firstHalf = "";

  /** The text that is whole by now; may be empty. */
  join(text: string): string {
    const joined = this.#firstHalf === "" ? text : this.#firstHalf + text;
    if (!isFirstHalf(joined.charCodeAt(joined.length - 1))) {
      this.#firstHalf = "";
      return joined;
    }
    this.#firstHalf = joined.slice(-1);
    return joined.slice(0, -1);
  }

  /** No text follows: half a pair that was held back, as it is. */
  end(): string {
    const rest = this.#firstHalf;
    this.#firstHalf = "";
    return rest;
  }
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
