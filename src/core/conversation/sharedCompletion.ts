import { ServiceError } from "../kernel/errors.ts";
import type {
  CompletionEvent,
  CompletionObserver,
  CompletionPort,
  CompletionRequest,
  CompletionRun,
} from "./completion.ts";

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

/** Statuses with which servers reject a request that asks for several responses. */
const rejections: ReadonlySet<number | undefined> = new Set([400, 404, 405, 422, 501]);

/**
 * Several responses to the same request. They are requested together, as choices of one response. What the server
 * doesn't return that way is requested separately.
 */
export class SharedCompletion {
  readonly #port: CompletionPort;
  readonly #channels: readonly Channel[];
  #run: CompletionRun | undefined;

  constructor(port: CompletionPort, count: number) {
    this.#port = port;
    this.#channels = Array.from({ length: count }, () => new Channel(() => this.#stopIfUnused()));
  }

  /** The port for one of the responses. The first request asks for all of them. */
  port(index: number): CompletionPort {
    return {
      complete: (request, observer) => {
        const channel = this.#channels[index];
        // Usually this is the first response, unless the user stopped it earlier.
        if (channel === undefined || channel.isOver) return this.#port.complete(request, observer);
        channel.separate = () => this.#port.complete(request, observer);
        // Usually it is that of the first response, unless the user has stopped that one before.
        if (this.#run === undefined) void this.#askForAll(request, observer);
        return channel;
      },
    };
  }

  async #askForAll(request: CompletionRequest, observer: CompletionObserver): Promise<void> {
    const parameters = { ...request.parameters, n: this.#channels.length };
    const run = this.#port.complete({ ...request, parameters }, observer);
    this.#run = run;
    let hasBegun = false;
    try {
      for await (const event of run.events) {
        hasBegun = true;
        if (event.type === "choice") this.#channels[event.index]?.push(event.event);
        else this.#channels[0]?.push(event);
      }
    } catch (error) {
      const isRejected = !hasBegun && error instanceof ServiceError && rejections.has(error.statusCode);
      return this.#end(isRejected ? undefined : { error });
    }
    // A request that was refused before it was sent ends without an event and without an error.
    this.#end(hasBegun ? undefined : "stopped");
  }

  #end(failure: { readonly error: unknown } | "stopped" | undefined): void {
    for (const channel of this.#channels)
      if (channel.isFinished || (failure === "stopped" && channel.isEmpty)) channel.end();
      else if (failure !== undefined && failure !== "stopped") channel.end(failure.error);
      else if (channel.isEmpty) channel.continueSeparately();
      else channel.end();
  }

  #stopIfUnused(): void {
    if (this.#channels.every(({ isOver, separate }) => isOver || separate === undefined)) this.#run?.stop();
  }
}

/** The events of one of the responses. */
class Channel implements CompletionRun {
  readonly events: AsyncIterable<CompletionEvent>;
  /** Requests this response alone. */
  separate: (() => CompletionRun) | undefined;
  readonly #onStop: () => void;
  #waiting: CompletionEvent[] = [];
  #wake: () => void = () => undefined;
  #ending: { readonly error?: unknown } | undefined;
  #own: CompletionRun | undefined;
  #isSeparate = false;
  isEmpty = true;
  isFinished = false;

  constructor(onStop: () => void) {
    this.#onStop = onStop;
    this.events = this.#read();
  }

  get isOver(): boolean {
    return this.#ending !== undefined;
  }

  push(event: CompletionEvent): void {
    if (this.isOver) return;
    this.isEmpty = false;
    if (event.type === "finish") this.isFinished = true;
    this.#waiting.push(event);
    this.#wake();
  }

  end(error?: unknown): void {
    this.#ending ??= error === undefined ? {} : { error };
    this.#wake();
  }

  continueSeparately(): void {
    this.#isSeparate = true;
    this.#wake();
  }

  stop(): void {
    this.#waiting = [];
    this.end();
    this.#own?.stop();
    this.#onStop();
  }

  async *#read(): AsyncGenerator<CompletionEvent> {
    for (;;) {
      yield* this.#waiting.splice(0);
      if (this.#waiting.length > 0) continue;
      if (this.#ending !== undefined) {
        if ("error" in this.#ending) throw this.#ending.error;
        return;
      }
      if (this.#isSeparate) break;
      await new Promise<void>((resolve) => (this.#wake = resolve));
    }
    this.#own = this.separate?.();
    if (this.#own !== undefined) yield* this.#own.events;
  }
}
