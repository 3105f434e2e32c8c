import assert from "node:assert/strict";
import { parseRateLimitWait, parseRetryAfter } from "../../src/gateway/rateLimit.ts";

const now = Date.parse("2026-10-21T07:28:00Z");

describe("the server's wait", () => {
  const waits: readonly (readonly [value: string, ms: number | undefined])[] = [
    ["20", 20_000],
    ["1.5", 1_500],
    ["0", 0],
    ["Wed, 21 Oct 2026 07:28:30 GMT", 30_000],
    ["Wednesday, 21-Oct-26 07:28:30 GMT", 30_000],
    ["Wed, 21 Oct 2026 07:27:00 GMT", 0],
    ["6m0s", 360_000],
    ["120ms", 120],
    ["soon", undefined],
    ["-5", undefined],
    ["", undefined],
    ["99999999", undefined],
  ];
  for (const [value, ms] of waits) {
    it(`reads Retry-After “${value}”`, () =>
      assert.equal(parseRetryAfter({ "retry-after": value }, now), ms));
  }

  it("takes retry-after-ms before Retry-After", () => {
    assert.equal(parseRetryAfter({ "retry-after-ms": "250", "retry-after": "9" }, now), 250);
  });

  it("reads a date against the server's own clock", () => {
    const headers = { "retry-after": "Wed, 21 Oct 2026 08:00:10 GMT", date: "Wed, 21 Oct 2026 08:00:00 GMT" };
    assert.equal(parseRetryAfter(headers, now), 10_000);
  });

  it("waits for the limit that is used up", () => {
    const headers = {
      "x-ratelimit-remaining-requests": "59",
      "x-ratelimit-reset-requests": "1m",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "6m0s",
    };
    assert.equal(parseRateLimitWait(headers, now), 360_000);
    assert.equal(parseRateLimitWait({ ...headers, "retry-after": "2" }, now), 2_000);
  });

  it("reads a reset in seconds, as a time in seconds and in milliseconds", () => {
    assert.equal(parseRateLimitWait({ "ratelimit-reset": "30" }, now), 30_000);
    assert.equal(parseRateLimitWait({ "x-ratelimit-reset": String(now / 1_000 + 30) }, now), 30_000);
    assert.equal(parseRateLimitWait({ "x-ratelimit-reset": String(now + 30_000) }, now), 30_000);
    assert.equal(parseRateLimitWait({ ratelimit: '"default";r=0;t=30' }, now), 30_000);
  });

  it("says nothing where the headers are silent", () => assert.equal(parseRateLimitWait({}, now), undefined));
});
