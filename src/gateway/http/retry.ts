import { setTimeout as sleep } from "node:timers/promises";
import type { RetryNotice } from "../../core/conversation/completion.ts";
import { ServiceError } from "../../core/kernel/errors.ts";
import type { ErrorReason } from "../../core/kernel/errors.ts";
import { credentialForms } from "../../core/kernel/credential.ts";
import { readWords } from "../errors/phrases.ts";
import { isLongLimit } from "../errors/rateLimit.ts";
import { secretKinds } from "../../core/account/credentialKinds.ts";

/** How often and how long to try. */
export interface RetryPolicy {
  /** Total number of attempts; 1 means no retry. */
  readonly maxAttempts: number;
  /** The first wait is random between 0 and this value; the range doubles with each further wait. */
  readonly baseDelayMs: number;
  /** Maximum wait that we choose ourselves. */
  readonly maxDelayMs: number;
  /** If the server requests a longer wait than this, the error is shown instead of waiting silently. */
  readonly maxServerWaitMs: number;
}

/**
 * The policy, whose number of attempts the user can set. Its waits add up to at most 7 seconds, unless a server asks for
 * longer ones.
 */
export const defaultRetryPolicy: RetryPolicy = {
  maxAttempts: 4,
  baseDelayMs: 1_000,
  maxDelayMs: 20_000,
  maxServerWaitMs: 120_000,
};

/** How one request is retried. */
export interface RetryOptions {
  readonly policy: RetryPolicy;
  /** Ends the attempt and the wait; the promise then rejects with the signal's reason. */
  readonly signal: AbortSignal;
  /** Between 0 and 1; `Math.random` unless a test overrides it. */
  readonly random?: () => number;
  readonly onRetry?: (notice: RetryNotice) => void;
}

/** Failures of requests that were sent twice. */
const sentTwice = new WeakSet<ServiceError>();

/** The request that failed was sent twice, because the first connection was an old one. It counts as two attempts. */
export function noteSentTwice(failure: ServiceError): void {
  sentTwice.add(failure);
}

/**
 * Runs the attempt, numbered from 1, and repeats it if that is safe and may help. An attempt must not reject anymore
 * once its response has started to reach the user.
 */
export async function runWithRetries<T>(
  attempt: (attemptNumber: number) => Promise<T>,
  options: RetryOptions,
): Promise<T> {
  for (let attemptNumber = 1; ; attemptNumber++) {
    options.signal.throwIfAborted();
    try {
      return await attempt(attemptNumber);
    } catch (error) {
      options.signal.throwIfAborted();
      if (error instanceof ServiceError && sentTwice.has(error)) attemptNumber++;
      const waitMs = retryWait(error, attemptNumber, options);
      if (waitMs === undefined || !(error instanceof ServiceError)) throw error;
      const ended = new AbortController();
      const waiting = AbortSignal.any([options.signal, ended.signal]);
      options.onRetry?.({
        attempt: attemptNumber + 1,
        maxAttempts: options.policy.maxAttempts,
        waitMs,
        error,
        retryNow: () => ended.abort(),
      });
      await sleep(waitMs, undefined, { signal: waiting }).catch(() => options.signal.throwIfAborted());
    }
  }
}

/** Milliseconds to wait before the next attempt; undefined if there should be none. */
function retryWait(error: unknown, attemptNumber: number, options: RetryOptions): number | undefined {
  const { policy, random = Math.random } = options;
  if (!isRetriable(error) || attemptNumber >= policy.maxAttempts) return undefined;
  const serverWaitMs = error.retryAfterMs ?? 0;
  if (serverWaitMs > policy.maxServerWaitMs) return undefined;
  const ceilingMs = Math.min(policy.maxDelayMs, policy.baseDelayMs * 2 ** (attemptNumber - 1));
  const jitterMs = random() * ceilingMs;
  // The server's wait is a minimum. A little jitter on top keeps many clients from returning at the same moment.
  return Math.round(serverWaitMs > 0 ? serverWaitMs + Math.min(jitterMs, serverWaitMs / 10) : jitterMs);
}

/**
 * 425: too early; 498: a service has no capacity for this tier; 520 to 524: Cloudflare did not reach the server; 529:
 * the service is overloaded. The others are as defined by HTTP.
 */
const retriableStatus: ReadonlySet<number> = new Set([
  408, 425, 429, 498, 500, 502, 503, 504, 520, 521, 522, 523, 524, 529,
]);

/** Errors that will recur, regardless of their status: an expired token is refused with 498, too. */
const lasting: ReadonlySet<ErrorReason> = new Set<ErrorReason>([
  "payment",
  ...secretKinds.map((kind) => credentialForms[kind].refusedAs),
  "contextLength",
  "contentFilter",
  "unknownModel",
  "unsupportedParameter",
  "unsupportedInput",
]);

/** Errors that may pass without a status that indicates it, because the server reported them inside its response. */
const passing: ReadonlySet<ErrorReason> = new Set<ErrorReason>(["unreachable", "rateLimit", "overloaded"]);

/**
 * Whether the same request may succeed later and may be sent twice. A server that was idle for the whole request
 * timeout (600 s) isn't tried again: it may still be working on the first request, and the user has waited long enough.
 */
export function isRetriable(error: unknown): error is ServiceError {
  if (!(error instanceof ServiceError)) return false;
  const { reason, statusCode, serverMessage = "" } = error.facts;
  if (lasting.has(reason)) return false;
  // A quota that is renewed tomorrow isn't there in a moment.
  if (reason === "rateLimit" && error.retryAfterMs === undefined && isLongLimit(readWords(serverMessage)))
    return false;
  if (statusCode !== undefined) return retriableStatus.has(statusCode);
  // A proxy failure has a cause if the connection to it broke; without one, the setting is wrong.
  return passing.has(reason) || (reason === "proxy" && error.cause !== undefined);
}
