/** Work that isn't started again while it is in progress, such as what a button does that is clicked twice. */
export class SingleRuns {
  readonly #running = new Set<string>();

  /** Does the work, unless work with this ID is in progress. Rejects with whatever the work rejects with. */
  async run(id: string, work: () => Promise<void>): Promise<void> {
    if (this.#running.has(id)) return;
    this.#running.add(id);
    try {
      await work();
    } finally {
      this.#running.delete(id);
    }
  }
}
