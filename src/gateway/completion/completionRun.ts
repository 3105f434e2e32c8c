import type {
  CompletionEvent,
  CompletionObserver,
  CompletionRun,
  ExchangeObserver,
} from "../../core/conversation/completion.ts";
import type { ErrorContext } from "../http/errorResponse.ts";
import { readRequestId } from "../http/errorResponse.ts";
import type { HttpResponse } from "../http/transport.ts";
import type { RetryPolicy } from "../http/retry.ts";
import { RetryHurry, runWithRetries } from "../http/retry.ts";
import type { CompletionReading, CompletionSink, ReadingOptions } from "./completionReading.ts";
import { readCompletion } from "./completionReading.ts";
import { EventQueue } from "./eventQueue.ts";

/** An answer whose head is good. */
export interface OpenedCompletion {
  readonly response: HttpResponse;
  readonly context: ErrorContext;
}

export interface CompletionRunOptions {
  /** Sends the request once; rejects with a ServiceError for any other status than 2xx. */
  open(signal: AbortSignal): Promise<OpenedCompletion>;
  readonly observer: CompletionObserver;
  readonly policy: RetryPolicy;
  readonly random?: () => number;
  readonly reading?: ReadingOptions;
}

/** Sends a request and reads its answer; retries as long as no event has reached the reader. */
export function startCompletion(options: CompletionRunOptions): CompletionRun {
  const { observer, random } = options;
  const controller = new AbortController();
  const hurry = new RetryHurry();
  const { exchange } = observer;
  const buffer = new CompletionBuffer(exchange, options.reading, stop);

  async function attempt(): Promise<void> {
    const { response, context } = await options.open(controller.signal);
    const requestId = readRequestId(response.headers, context.secrets);
    observer.onResponse?.(requestId === undefined ? {} : { requestId });
    await buffer.readUntilFirstEvent(response, context);
  }

  function stop(): void {
    exchange?.onEnd("stopped");
    buffer.close();
    controller.abort();
  }

  runWithRetries(attempt, {
    policy: options.policy,
    signal: controller.signal,
    hurry,
    ...(random === undefined ? {} : { random }),
    onRetry(notice) {
      exchange?.onFailure(notice.error, notice.waitMs);
      observer.onRetry?.(notice);
    },
  }).catch((error: unknown) => buffer.fail(error));

  return {
    events: buffer.events,
    stop,
    retryNow: () => hurry.retryNow(),
  };
}

/** Events that may wait for the reader before nothing more is read. */
const highWaterMark = 1_024;

/** The events between the socket and the reader; holds the reading while the reader is behind. */
class CompletionBuffer implements CompletionSink {
  readonly events: EventQueue<CompletionEvent>;
  readonly #exchange: ExchangeObserver | undefined;
  readonly #options: ReadingOptions | undefined;
  #reading: CompletionReading | undefined;
  #hasBegun = false;
  #settleAttempt: { resolve(): void; reject(error: unknown): void } | undefined;

  constructor(
    exchange: ExchangeObserver | undefined,
    options: ReadingOptions | undefined,
    onAbandoned: () => void,
  ) {
    this.#exchange = exchange;
    this.#options = options;
    this.events = new EventQueue({ onDrained: () => this.#reading?.release(), onAbandoned });
  }

  /** Resolves with the first event. What fails before it may be retried, what fails after it fails the events. */
  readUntilFirstEvent(response: HttpResponse, context: ErrorContext): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settleAttempt = { resolve, reject };
      const exchange = this.#exchange;
      // Before the reading, so that the bytes are told before the events that are made of them.
      if (exchange !== undefined)
        response.body.on("data", (chunk: Uint8Array) => exchange.onBytes(chunk.length));
      this.#reading = readCompletion(response, context, this, this.#options);
    });
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  onEvent(event: CompletionEvent): void {
    if (!this.#hasBegun) this.#begin();
    this.#exchange?.onEvent(event);
    this.events.push(event);
    if (this.events.size >= highWaterMark) this.#reading?.hold();
  }

  /** The reader has gone: nothing more is read or kept. */
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
    this.events.fail(error);
  }

  onError(error: unknown): void {
    if (this.#hasBegun) this.fail(error);
    else this.#settleAttempt?.reject(error);
  }

  #begin(): void {
    this.#hasBegun = true;
    this.#settleAttempt?.resolve();
  }
}
