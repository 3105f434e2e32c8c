import assert from "node:assert/strict";
import type { RetryNotice } from "../../../src/core/conversation/completion.ts";
import type { ErrorFacts } from "../../../src/core/kernel/errors.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import type { RetryOptions } from "../../../src/gateway/http/retry.ts";
import { defaultRetryPolicy, isRetriable, runWithRetries } from "../../../src/gateway/http/retry.ts";

function serviceError(facts: Partial<ErrorFacts>): ServiceError {
  return new ServiceError({ reason: "unavailable", message: "It failed.", ...facts });
}

/** Fails with each of the errors in turn, then succeeds. Every wait is skipped. */
async function run(
  errors: readonly ServiceError[],
  options: Partial<RetryOptions> = {},
): Promise<{
  readonly result: unknown;
  readonly attempts: number;
  readonly notices: readonly RetryNotice[];
}> {
  const notices: RetryNotice[] = [];
  let attempts = 0;
  const result: unknown = await runWithRetries(
    async (attemptNumber) => {
      attempts = attemptNumber;
      const error = errors[attemptNumber - 1];
      if (error !== undefined) throw error;
      return "done";
    },
    {
      policy: defaultRetryPolicy,
      signal: new AbortController().signal,
      random: () => 0.5,
      onRetry(notice) {
        notices.push(notice);
        setImmediate(() => notice.retryNow());
      },
      ...options,
    },
  ).catch((error: unknown) => error);
  return { result, attempts, notices };
}

describe("Retries", () => {
  for (const statusCode of [408, 429, 500, 502, 503, 504]) {
    it(`happen after ${statusCode}`, () => assert.equal(isRetriable(serviceError({ statusCode })), true));
  }
  for (const statusCode of [400, 401, 402, 403, 404, 413, 422, 501]) {
    it(`never happen after ${statusCode}`, () =>
      assert.equal(isRetriable(serviceError({ statusCode })), false));
  }

  it("happen after a failed connection, but not after an untrusted certificate or a timeout", () => {
    assert.equal(isRetriable(serviceError({ reason: "unreachable" })), true);
    assert.equal(isRetriable(serviceError({ reason: "tls" })), false);
    assert.equal(isRetriable(serviceError({ reason: "timeout" })), false);
    assert.equal(isRetriable(serviceError({ reason: "payment", statusCode: 429 })), false);
    assert.equal(isRetriable(new Error("A mistake of our own")), false);
  });

  it("happen after an unreachable proxy, but not after one that refuses or has an invalid address", () => {
    const facts = { reason: "proxy", message: "It failed." } as const;
    assert.equal(isRetriable(new ServiceError(facts, new Error("ECONNREFUSED"))), true);
    assert.equal(isRetriable(new ServiceError({ ...facts, statusCode: 407 })), false);
    assert.equal(isRetriable(new ServiceError(facts)), false);
  });

  it("don't happen if a quota is used up for longer, unless the server names the wait", () => {
    const daily = {
      reason: "rateLimit",
      statusCode: 429,
      serverMessage: "Daily token limit reached",
    } as const;
    assert.equal(isRetriable(serviceError(daily)), false);
    assert.equal(isRetriable(serviceError({ ...daily, retryAfterMs: 20_000 })), true);
    assert.equal(isRetriable(serviceError({ ...daily, serverMessage: "60 requests per minute" })), true);
  });

  it("double the jitter range and report every wait", async () => {
    const error = serviceError({ statusCode: 503 });
    const { result, attempts, notices } = await run([error, error, error]);
    assert.equal(result, "done");
    assert.equal(attempts, 4);
    assert.deepEqual(
      notices.map(({ attempt, maxAttempts, waitMs }) => [attempt, maxAttempts, waitMs]),
      [
        [2, 4, 500],
        [3, 4, 1_000],
        [4, 4, 2_000],
      ],
    );
  });

  it("give up after the last attempt with the last error", async () => {
    const errors = [1, 2, 3, 4].map((number) =>
      serviceError({ statusCode: 500, message: `It failed ${number}.` }),
    );
    const { result, attempts } = await run(errors);
    assert.equal(attempts, 4);
    assert.equal(result, errors[3]);
  });

  it("never wait less than the server requests", async () => {
    const { notices } = await run([serviceError({ statusCode: 429, retryAfterMs: 5_000 })], {
      random: () => 0,
    });
    assert.equal(notices[0]?.waitMs, 5_000);
  });

  it("don't happen if the server requests an excessively long wait", async () => {
    const error = serviceError({ statusCode: 429, retryAfterMs: 3_600_000 });
    const { result, notices } = await run([error]);
    assert.equal(result, error);
    assert.equal(notices.length, 0);
  });

  it("end the wait with the signal's reason", async () => {
    const controller = new AbortController();
    const reason = new Error("The user's stop");
    const { result, attempts } = await run([serviceError({ statusCode: 503 })], {
      signal: controller.signal,
      onRetry: () => setImmediate(() => controller.abort(reason)),
    });
    assert.equal(result, reason);
    assert.equal(attempts, 1);
  });
});
