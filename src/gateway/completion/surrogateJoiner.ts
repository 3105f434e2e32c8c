export interface SurrogateJoiner {
  write(text: string): void;
  /** No text follows: half a pair that was held back is told as it is. */
  end(): void;
}

/**
 * Joins a surrogate pair that a server split over two deltas: the first half waits for the next delta. Passed on
 * alone, each half would turn into U+FFFD on its way to the page or to disk.
 */
export function createSurrogateJoiner(onText: (text: string) => void): SurrogateJoiner {
  let firstHalf = "";
  return {
    write(text) {
      const joined = firstHalf === "" ? text : firstHalf + text;
      const isOpen = isFirstHalf(joined.charCodeAt(joined.length - 1));
      firstHalf = isOpen ? joined.slice(-1) : "";
      const whole = isOpen ? joined.slice(0, -1) : joined;
      if (whole !== "") onText(whole);
    },
    end() {
      if (firstHalf !== "") onText(firstHalf);
      firstHalf = "";
    },
  };
}

function isFirstHalf(code: number): boolean {
  return code >= 0xd800 && code <= 0xdbff;
}
