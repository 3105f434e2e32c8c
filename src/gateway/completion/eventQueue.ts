/** What the owner of a queue is told by its reader. */
export interface EventQueueOwner {
  /** Everything was taken: time to bring more. */
  onDrained(): void;
  /** The reader left before the end. */
  onAbandoned(): void;
}

interface Waiting<T> {
  resolve(result: IteratorResult<T>): void;
  reject(error: unknown): void;
}

/**
 * Events between a producer that pushes and one reader that awaits. Made by hand because a chain of async generators
 * costs more than all the parsing.
 */
export class EventQueue<T extends object> implements AsyncIterableIterator<T> {
  readonly #owner: EventQueueOwner;
  #items: T[] = [];
  #head = 0;
  #isOpen = true;
  #failure: { readonly error: unknown } | undefined;
  #waiting: Waiting<T> | undefined;

  constructor(owner: EventQueueOwner) {
    this.#owner = owner;
  }

  /** How many events wait for the reader. */
  get size(): number {
    return this.#items.length - this.#head;
  }

  push(event: T): void {
    if (this.#waiting !== undefined) this.#takeWaiting()?.resolve({ done: false, value: event });
    else if (this.#isOpen) this.#items.push(event);
  }

  /** What was pushed before is still read. */
  end(): void {
    this.#isOpen = false;
    this.#takeWaiting()?.resolve({ done: true, value: undefined });
  }

  /** The same, with an error after the last event. It is told once. */
  fail(error: unknown): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const waiting = this.#takeWaiting();
    if (waiting === undefined) this.#failure = { error };
    else waiting.reject(error);
  }

  /** Ends at once; what was not read is dropped. */
  close(): void {
    this.#items = [];
    this.#head = 0;
    this.#failure = undefined;
    this.end();
  }

  next(): Promise<IteratorResult<T>> {
    const value = this.#items[this.#head];
    if (value === undefined) return this.#isOpen ? this.#wait() : this.#takeEnd();
    this.#head++;
    if (this.#head === this.#items.length) this.#startOver();
    return Promise.resolve({ done: false, value });
  }

  return(): Promise<IteratorResult<T>> {
    if (this.#isOpen) this.#owner.onAbandoned();
    this.close();
    return Promise.resolve({ done: true, value: undefined });
  }

  [Symbol.asyncIterator](): this {
    return this;
  }

  #startOver(): void {
    this.#items = [];
    this.#head = 0;
    if (this.#isOpen) this.#owner.onDrained();
  }

  #wait(): Promise<IteratorResult<T>> {
    return new Promise((resolve, reject) => {
      this.#waiting = { resolve, reject };
    });
  }

  #takeWaiting(): Waiting<T> | undefined {
    const waiting = this.#waiting;
    this.#waiting = undefined;
    return waiting;
  }

  #takeEnd(): Promise<IteratorResult<T>> {
    const failure = this.#failure;
    this.#failure = undefined;
    return failure === undefined
      ? Promise.resolve({ done: true, value: undefined })
      : Promise.reject(failure.error);
  }
}
