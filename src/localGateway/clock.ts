/** The gateway's own time in milliseconds since 1970; `clockOffsetMs` makes it wrong on purpose. */
export type Clock = () => number;

/** As the nonce counts (interface section 5.3). */
export function unixSeconds(clock: Clock): number {
  return Math.floor(clock() / 1_000);
}
