/** The environment of a store. */
export interface StoreOptions {
  /** Milliseconds since 1970. */
  now(): number;
  /** Monotonic milliseconds. Defaults to the clock of the process. */
  monotonic?(): number;
  /** Path of the built `vacuumThread`; without it, older files that still hold deleted data stay as they are. */
  readonly vacuumThread?: string | URL;
  /** Path of the built `recoveryThread`; without one, large damaged files are recovered at once, too. */
  readonly recoveryThread?: string | URL;
  /** Called with the reason while nothing can be written, and with undefined once it can. */
  onTrouble?(sentence: string | undefined): void;
  /** Called with a sentence for the user when something can't be written or had to be recovered. */
  onProblem(sentence: string): void;
}
