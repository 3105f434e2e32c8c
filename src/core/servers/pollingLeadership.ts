/**
 * Port: of all windows that show a list, one polls it and shares the result with the others. A window without others
 * leads.
 */
export interface PollingLeadership {
  /** Undefined while that isn't known yet. */
  readonly isLeading: boolean | undefined;
  /** When the leading window asks next, as it said last, in milliseconds since 1970; undefined if it didn't. */
  readonly announcedAt: number | undefined;
  /** The listener is called when one of these has changed. Returns a function that unsubscribes. */
  onDidChange(listener: () => void): () => void;
  /** Who doesn't look neither leads nor follows. */
  setVisible(isVisible: boolean): void;
  /** Tells the other windows in how many milliseconds this window polls next. Undefined if it doesn't. */
  announce(delayMs: number | undefined): void;
}
