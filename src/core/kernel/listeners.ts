/** The listeners of an event. This is the smallest event source possible in floor 0. */
export class Listeners<T> {
  readonly #listeners = new Set<(value: T) => void>();
  readonly #onError: ((error: unknown) => void) | undefined;

  /** @param onError Receives the errors that listeners throw, so that the other listeners still get the value. */
  constructor(onError?: (error: unknown) => void) {
    this.#onError = onError;
  }

  /** Returns a function that unsubscribes. */
  add(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Unsubscribes all listeners. */
  clear(): void {
    this.#listeners.clear();
  }

  /** Calls the listeners in the order in which they were added. Without `onError`, the first error is thrown. */
  emit(value: T): void {
    for (const listener of [...this.#listeners]) {
      try {
        listener(value);
      } catch (error) {
        if (this.#onError === undefined) throw error;
        this.#onError(error);
      }
    }
  }
}
