import type {
  CompletionEvent,
  CompletionObserver,
  CompletionRun,
  ExchangeObserver,
} from "../../core/conversation/completion.ts";
import { readRequestId } from "../http/errorResponse.ts";
import type { ErrorContext } from "../http/errorResponse.ts";
import { runWithRetries } from "../http/retry.ts";
import type { RetryPolicy } from "../http/retry.ts";
import type { HttpResponse } from "../http/transport.ts";
import { readCompletion } from "./completionReader.ts";
import type { CompletionReader, CompletionSink, CompletionReaderOptions } from "./completionReader.ts";

/** Notified by the reader of a queue. */
interface EventQueueOwner {
  /** The queue is empty and can be refilled. */
  onDrained(): void;
  /** The reader stopped before the end. */
  onAbandoned(): void;
}

interface Waiting<T> {
  resolve(result: IteratorResult<T>): void;
  reject(error: unknown): void;
}

/**
 * Events between a producer that pushes and one reader that awaits. Written by hand because a chain of async generators
 * costs more than all the parsing.
 */
class EventQueue<T extends object> implements AsyncIterableIterator<T> {
  readonly #owner: EventQueueOwner;
  #items: T[] = [];
  #head = 0;
  #isOpen = true;
  #failure: { readonly error: unknown } | undefined;
  #waiting: Waiting<T> | undefined;

  constructor(owner: EventQueueOwner) {
    this.#owner = owner;
  }

  /** Number of events that are waiting for the reader. */
  get size(): number {
    return this.#items.length - this.#head;
  }

  push(event: T): void {
    if (this.#waiting !== undefined) this.#takeWaiting()?.resolve({ done: false, value: event });
    else if (this.#isOpen) this.#items.push(event);
  }

  /** Events pushed earlier are still read. */
  end(): void {
    this.#isOpen = false;
    this.#takeWaiting()?.resolve({ done: true, value: undefined });
  }

  /** Ends the queue with an error after the last event. It is reported once. */
  fail(error: unknown): void {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    const waiting = this.#takeWaiting();
    if (waiting === undefined) this.#failure = { error };
    else waiting.reject(error);
  }

  /** Ends the queue at once; unread events are dropped. */
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

/** A response with a successful status. */
export interface OpenedCompletion {
  readonly response: HttpResponse;
  readonly context: ErrorContext;
}

interface CompletionRunOptions {
  /** Sends the request once; rejects with a ServiceError for any status other than 2xx. */
  open(signal: AbortSignal): Promise<OpenedCompletion>;
  readonly observer: CompletionObserver;
  readonly policy: RetryPolicy;
  readonly random?: () => number;
  readonly reading?: CompletionReaderOptions;
}

/** Sends a request and reads its response; retries as long as nothing that a user sees has reached the reader. */
export function startCompletion(options: CompletionRunOptions): CompletionRun {
  const { observer, random } = options;
  const controller = new AbortController();
  const { exchange } = observer;
  const buffer = new CompletionBuffer(exchange, options.reading, stop);

  async function attempt(): Promise<void> {
    const { response, context } = await options.open(controller.signal);
    const requestId = readRequestId(response.headers, context.secrets);
    observer.onResponse?.(requestId === undefined ? {} : { requestId });
    await buffer.readUntilBegun(response, context);
  }

  function stop(): void {
    exchange?.onEnd("stopped");
    buffer.close();
    controller.abort();
  }

  runWithRetries(attempt, {
    policy: options.policy,
    signal: controller.signal,
    ...(random === undefined ? {} : { random }),
    onRetry(notice) {
      exchange?.onFailure(notice.error, notice.waitMs);
      observer.onRetry?.(notice);
    },
  }).catch((error: unknown) => buffer.fail(error));

  return {
    events: buffer.events,
    stop,
  };
}

/** Events that say something about a response and are no part of it, so that it hasn't begun with them. */
const asides: ReadonlySet<CompletionEvent["type"]> = new Set(["usage", "sources"]);

/** Number of events that may wait for the reader before reading is paused. */
const highWaterMark = 1_024;

/** Buffers the events between the socket and the reader; pauses reading while the reader is lagging. */
class CompletionBuffer implements CompletionSink {
  readonly events: EventQueue<CompletionEvent>;
  readonly #exchange: ExchangeObserver | undefined;
  readonly #options: CompletionReaderOptions | undefined;
  #reading: CompletionReader | undefined;
  #hasBegun = false;
  /** What has arrived of an attempt whose response hasn't begun. */
  #early: CompletionEvent[] = [];
  #settleAttempt: { resolve(): void; reject(error: unknown): void } | undefined;

  constructor(
    exchange: ExchangeObserver | undefined,
    options: CompletionReaderOptions | undefined,
    onAbandoned: () => void,
  ) {
    this.#exchange = exchange;
    this.#options = options;
    this.events = new EventQueue({ onDrained: () => this.#reading?.release(), onAbandoned });
  }

  /**
   * Resolves when the response begins. A failure before that may be retried; a failure after it is reported through the
   * events.
   */
  readUntilBegun(response: HttpResponse, context: ErrorContext): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settleAttempt = { resolve, reject };
      this.#early = [];
      this.#reading = readCompletion(response, context, this, this.#options);
    });
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  onBytes(count: number): void {
    this.#exchange?.onBytes?.(count);
  }

  onEvent(event: CompletionEvent): void {
    this.#exchange?.onEvent(event);
    if (!this.#hasBegun && asides.has(event.type)) return void this.#early.push(event);
    if (!this.#hasBegun) this.#begin();
    this.events.push(event);
    if (this.events.size >= highWaterMark) this.#reading?.hold();
  }

  /** The reader has stopped: nothing more is read or kept. */
  close(): void {
    this.events.close();
    this.#reading?.cancel();
  }

  onEnd(): void {
    this.#exchange?.onEnd("complete");
    this.events.end();
  }

  /** No further attempt is made. */
  fail(error: unknown): void {
    this.#exchange?.onFailure(error);
    this.#exchange?.onEnd("failed");
    this.#pushEarly();
    this.events.fail(error);
  }

  onError(error: unknown): void {
    if (this.#hasBegun) this.fail(error);
    else this.#settleAttempt?.reject(error);
  }

  #begin(): void {
    this.#hasBegun = true;
    this.#settleAttempt?.resolve();
    this.#pushEarly();
  }

  #pushEarly(): void {
    for (const event of this.#early.splice(0)) this.events.push(event);
  }
}
