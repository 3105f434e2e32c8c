/** A schedule whose time is controlled by the test. */
export class ManualSchedule {
  readonly #waiting = new Set<() => void>();

  readonly schedule = (run: () => void): (() => void) => {
    this.#waiting.add(run);
    return () => this.#waiting.delete(run);
  };

  get pending(): number {
    return this.#waiting.size;
  }

  /** Runs what is currently scheduled. Anything that this schedules waits for the next call. */
  runAll(): void {
    const due = [...this.#waiting];
    this.#waiting.clear();
    for (const run of due) run();
  }
}
