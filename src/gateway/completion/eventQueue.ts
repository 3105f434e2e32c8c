/** What the owner of a queue is told by its reader. */
export interface EventQueueOwner {
  /** Everything was taken: time to bring more. */
  onDrained(): void;
  /** The reader left before the end. */
  onAbandoned(): void;
}

/** Events between a producer that pushes and one reader that awaits. */
export interface EventQueue<T> {
  readonly events: AsyncIterable<T>;
  /** How many events wait for the reader. */
  readonly size: number;
  push(event: T): void;
  /** What was pushed before is still read. */
  end(): void;
  /** The same, with an error after the last event. */
  fail(error: unknown): void;
  /** Ends at once; what was not read is dropped. */
  close(): void;
}

type State = { readonly kind: "open" | "ended" } | { readonly kind: "failed"; readonly error: unknown };

/** Made by hand because a stream of async generators costs more than all the parsing. */
export function createEventQueue<T extends object>(owner: EventQueueOwner): EventQueue<T> {
  let items: T[] = [];
  let head = 0;
  let state: State = { kind: "open" };
  let waiting: PromiseWithResolvers<IteratorResult<T>> | undefined;

  function settle(next: State): void {
    if (state.kind !== "open") return;
    state = next;
    if (waiting === undefined) return;
    const { resolve, reject } = waiting;
    waiting = undefined;
    takeEnd().then(resolve, reject);
  }

  /** An error is told once, then the iteration is over. */
  function takeEnd(): Promise<IteratorResult<T>> {
    if (state.kind !== "failed") return Promise.resolve({ done: true, value: undefined });
    const { error } = state;
    state = { kind: "ended" };
    return Promise.reject(error);
  }

  function takeNext(): Promise<IteratorResult<T>> {
    const value = items[head];
    if (value === undefined) {
      if (state.kind !== "open") return takeEnd();
      waiting = createResolvers();
      return waiting.promise;
    }
    head++;
    if (head === items.length) {
      items = [];
      head = 0;
      if (state.kind === "open") owner.onDrained();
    }
    return Promise.resolve({ done: false, value });
  }

  function close(): void {
    items = [];
    head = 0;
    settle({ kind: "ended" });
    state = { kind: "ended" };
  }

  const iterator: AsyncIterator<T> = {
    next: takeNext,
    return() {
      if (state.kind === "open") owner.onAbandoned();
      close();
      return Promise.resolve({ done: true, value: undefined });
    },
  };

  return {
    events: { [Symbol.asyncIterator]: () => iterator },
    get size() {
      return items.length - head;
    },
    push(event) {
      if (state.kind !== "open") return;
      if (waiting === undefined) {
        items.push(event);
        return;
      }
      const { resolve } = waiting;
      waiting = undefined;
      resolve({ done: false, value: event });
    },
    end: () => settle({ kind: "ended" }),
    fail: (error) => settle({ kind: "failed", error }),
    close,
  };
}

interface PromiseWithResolvers<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(reason: unknown): void;
}

/** `Promise.withResolvers`, which Node 20 lacks. */
function createResolvers<T>(): PromiseWithResolvers<T> {
  let resolve: (value: T) => void = () => undefined;
  let reject: (reason: unknown) => void = () => undefined;
  const promise = new Promise<T>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}
