interface Waiting {
  readonly dueAt: number;
  readonly run: () => void;
}

/** Time that is controlled by the test, regardless of how long the machine takes. */
export class ManualTime {
  readonly #waiting = new Set<Waiting>();
  #now = 0;

  readonly monotonic = (): number => this.#now;

  readonly schedule = (run: () => void, delayMs: number): (() => void) => {
    const waiting = { dueAt: this.#now + delayMs, run };
    this.#waiting.add(waiting);
    return () => this.#waiting.delete(waiting);
  };

  /** Runs everything that becomes due in the meantime, in order and each at its own time. */
  pass(ms: number): void {
    const end = this.#now + ms;
    for (let next = this.#next(end); next !== undefined; next = this.#next(end)) {
      this.#waiting.delete(next);
      this.#now = next.dueAt;
      next.run();
    }
    this.#now = end;
  }

  #next(end: number): Waiting | undefined {
    const due = [...this.#waiting].filter(({ dueAt }) => dueAt <= end);
    return due.toSorted((left, right) => left.dueAt - right.dueAt)[0];
  }
}
