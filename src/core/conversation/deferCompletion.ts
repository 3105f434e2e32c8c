import type { CompletionEvent, CompletionPort, CompletionRun } from "./completion.ts";

/**
 * A completion port whose client is loaded with the first request, so that no network code is loaded at activation. A
 * stop before or during loading ends the run before anything is sent.
 */
export function deferCompletion(loadPort: () => Promise<CompletionPort>): CompletionPort {
  return {
    complete(request, observer): CompletionRun {
      let run: CompletionRun | undefined;
      let isStopped = false;
      async function load(): Promise<AsyncIterator<CompletionEvent> | undefined> {
        if (isStopped) return undefined;
        const port = await loadPort();
        if (isStopped) return undefined;
        run = port.complete(request, observer);
        return run.events[Symbol.asyncIterator]();
      }
      return {
        events: { [Symbol.asyncIterator]: () => new DeferredIterator(load()) },
        stop() {
          isStopped = true;
          run?.stop();
        },
      };
    },
  };
}

/**
 * Passes every call directly to the inner iterator once it is available: a generator in between would slow down each
 * delta.
 */
class DeferredIterator implements AsyncIterator<CompletionEvent> {
  readonly #loading: Promise<AsyncIterator<CompletionEvent> | undefined>;
  #inner: AsyncIterator<CompletionEvent> | undefined;

  constructor(loading: Promise<AsyncIterator<CompletionEvent> | undefined>) {
    this.#loading = loading;
  }

  next(): Promise<IteratorResult<CompletionEvent>> {
    return this.#inner === undefined ? this.#firstNext() : this.#inner.next();
  }

  async return(): Promise<IteratorResult<CompletionEvent>> {
    await this.#inner?.return?.();
    return { done: true, value: undefined };
  }

  async #firstNext(): Promise<IteratorResult<CompletionEvent>> {
    this.#inner = await this.#loading;
    return this.#inner?.next() ?? { done: true, value: undefined };
  }
}
