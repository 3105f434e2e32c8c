import type { Readable } from "node:stream";
import type { CompletionEvent, CompletionObserver, CompletionRun } from "../../core/completion.ts";
import type { ErrorContext } from "../errorResponse.ts";
import { readRequestId } from "../errorResponse.ts";
import type { HttpResponse } from "../http/transport.ts";
import type { RetryPolicy } from "../retry.ts";
import { RetryHurry, runWithRetries } from "../retry.ts";
import type { CompletionSink } from "./completionReading.ts";
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
}

/** Sends a request and reads its answer; retries as long as no event has reached the reader. */
export function startCompletion(options: CompletionRunOptions): CompletionRun {
  const { observer, random } = options;
  const controller = new AbortController();
  const hurry = new RetryHurry();
  const buffer = new CompletionBuffer(() => controller.abort());

  async function attempt(): Promise<void> {
    const { response, context } = await options.open(controller.signal);
    const requestId = readRequestId(response.headers, context.secrets);
    observer.onResponse?.(requestId === undefined ? {} : { requestId });
    await buffer.readUntilFirstEvent(response, context);
  }

  runWithRetries(attempt, {
    policy: options.policy,
    signal: controller.signal,
    hurry,
    ...(random === undefined ? {} : { random }),
    onRetry: (notice) => observer.onRetry?.(notice),
  }).catch((error: unknown) => buffer.events.fail(error));

  return {
    events: buffer.events,
    stop() {
      buffer.events.close();
      controller.abort();
    },
    retryNow: () => hurry.retryNow(),
  };
}

/** Events that may wait for the reader before the socket is paused. */
const highWaterMark = 1_024;

/** The events between the socket and the reader; pauses the socket while the reader is behind. */
class CompletionBuffer implements CompletionSink {
  readonly events: EventQueue<CompletionEvent>;
  #body: Readable | undefined;
  #isPaused = false;
  #hasBegun = false;
  #settleAttempt: { resolve(): void; reject(error: unknown): void } | undefined;

  constructor(onAbandoned: () => void) {
    this.events = new EventQueue({ onDrained: () => this.#resume(), onAbandoned });
  }

  /** Resolves with the first event. What fails before it may be retried, what fails after it fails the events. */
  readUntilFirstEvent(response: HttpResponse, context: ErrorContext): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#settleAttempt = { resolve, reject };
      this.#body = response.body;
      readCompletion(response, context, this);
    });
  }

  get hasBegun(): boolean {
    return this.#hasBegun;
  }

  onEvent(event: CompletionEvent): void {
    if (!this.#hasBegun) this.#begin();
    this.events.push(event);
    if (this.events.size >= highWaterMark && !this.#isPaused) this.#pause();
  }

  onEnd(): void {
    this.events.end();
  }

  onError(error: unknown): void {
    if (this.#hasBegun) this.events.fail(error);
    else this.#settleAttempt?.reject(error);
  }

  #begin(): void {
    this.#hasBegun = true;
    this.#settleAttempt?.resolve();
  }

  #pause(): void {
    this.#isPaused = true;
    this.#body?.pause();
  }

  #resume(): void {
    if (this.#isPaused) this.#body?.resume();
    this.#isPaused = false;
  }
}
