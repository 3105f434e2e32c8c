/**
 * Port: of all windows that look at a list one asks for it by itself, and tells the others what it hears. A window
 * without others leads.
 */
export interface PollingLeadership {
  /** Undefined while that isn't known yet. */
  readonly isLeading: boolean | undefined;
  /** When the leading window asks next, as it said last, in milliseconds since 1970; undefined where it didn't. */
  readonly announcedAt: number | undefined;
  /** The listener is told when one of these has changed. Returns what ends it. */
  onDidChange(listener: () => void): () => void;
  /** Who doesn't look neither leads nor follows. */
  setVisible(isVisible: boolean): void;
  /** Tells the others in how many milliseconds this window asks next; undefined where it doesn't. */
  announce(delayMs: number | undefined): void;
}
