import type { Readable } from "node:stream";
import type { CompletionEvent, CompletionObserver, CompletionRun } from "../../core/completion.ts";
import type { ErrorContext } from "../errorResponse.ts";
import { readRequestId } from "../errorResponse.ts";
import type { HttpResponse } from "../http/transport.ts";
import type { RetryPolicy } from "../retry.ts";
import { RetryHurry, runWithRetries } from "../retry.ts";
import { readCompletion } from "./completionReading.ts";
import { createEventQueue } from "./eventQueue.ts";

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

/** Events that may wait for the reader before the socket is paused. */
const highWaterMark = 1_024;

/** Sends a request and reads its answer; retries as long as no event has reached the reader. */
export function startCompletion(options: CompletionRunOptions): CompletionRun {
  const { observer, random } = options;
  const controller = new AbortController();
  const hurry = new RetryHurry();
  let body: Readable | undefined;
  let isPaused = false;

  const queue = createEventQueue<CompletionEvent>({
    onDrained() {
      if (isPaused) body?.resume();
      isPaused = false;
    },
    onAbandoned: () => controller.abort(),
  });

  function push(event: CompletionEvent): void {
    queue.push(event);
    if (isPaused || queue.size < highWaterMark) return;
    isPaused = true;
    body?.pause();
  }

  async function attempt(): Promise<void> {
    const { response, context } = await options.open(controller.signal);
    body = response.body;
    const requestId = readRequestId(response.headers);
    observer.onResponse?.(requestId === undefined ? {} : { requestId });
    await readUntilFirstEvent(response, context);
  }

  /** Resolves with the first event; what fails after that fails the events, what fails before may be retried. */
  function readUntilFirstEvent(response: HttpResponse, context: ErrorContext): Promise<void> {
    return new Promise((resolve, reject) => {
      let hasBegun = false;
      readCompletion(response, context, {
        onEvent(event) {
          if (!hasBegun) resolve();
          hasBegun = true;
          push(event);
        },
        onEnd: queue.end,
        onError(error) {
          if (hasBegun) queue.fail(error);
          else reject(error);
        },
      });
    });
  }

  runWithRetries(attempt, {
    policy: options.policy,
    signal: controller.signal,
    hurry,
    ...(random === undefined ? {} : { random }),
    onRetry: (notice) => observer.onRetry?.(notice),
  }).catch((error: unknown) => queue.fail(error));

  return {
    events: queue.events,
    stop() {
      queue.close();
      controller.abort();
    },
    retryNow: () => hurry.retryNow(),
  };
}
