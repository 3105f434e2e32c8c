import assert from "node:assert/strict";
import {
  parseLimitReset,
  parseRetryAfter,
  parseWaitField,
  parseWaitWords,
} from "../../../src/gateway/errors/rateLimit.ts";

const now = Date.parse("2026-10-21T07:28:00Z");

describe("The wait that a server requests", () => {
  const waits: readonly (readonly [value: string, ms: number | undefined])[] = [
    ["20", 20_000],
    ["1.5", 1_500],
    ["0", 0],
    ["Wed, 21 Oct 2026 07:28:30 GMT", 30_000],
    ["Wednesday, 21-Oct-26 07:28:30 GMT", 30_000],
    ["Wed, 21 Oct 2026 07:27:00 GMT", 0],
    ["6m0s", 360_000],
    ["120ms", 120],
    ["1h2m3.5s", 3_723_500],
    ["00:00:17", 17_000],
    ["PT30S", 30_000],
    ["1 minute and 30 seconds", 90_000],
    ["2026-10-21T07:28:20Z", 20_000],
    ["2026-10-21 07:28:10", 10_000],
    ["soon", undefined],
    ["-5", undefined],
    ["", undefined],
    ["99999999", undefined],
  ];
  for (const [value, ms] of waits) {
    it(`is read from Retry-After “${value}”`, () =>
      assert.equal(parseRetryAfter({ "retry-after": value }, now), ms));
  }

  it("comes from retry-after-ms rather than Retry-After", () => {
    assert.equal(parseRetryAfter({ "retry-after-ms": "250", "retry-after": "9" }, now), 250);
  });

  it("is computed from a date relative to the server's own clock", () => {
    const headers = { "retry-after": "Wed, 21 Oct 2026 08:00:10 GMT", date: "Wed, 21 Oct 2026 08:00:00 GMT" };
    assert.equal(parseRetryAfter(headers, now), 10_000);
  });

  it("comes from the limit that is used up", () => {
    const headers = {
      "x-ratelimit-remaining-requests": "59",
      "x-ratelimit-reset-requests": "1m",
      "x-ratelimit-remaining-tokens": "0",
      "x-ratelimit-reset-tokens": "6m0s",
    };
    assert.equal(parseLimitReset(headers, now), 360_000);
  });

  it("is read from a reset in seconds, or a time in seconds or milliseconds", () => {
    assert.equal(parseLimitReset({ "ratelimit-reset": "30" }, now), 30_000);
    assert.equal(parseLimitReset({ "x-ratelimit-reset": String(now / 1_000 + 30) }, now), 30_000);
    assert.equal(parseLimitReset({ "x-ratelimit-reset": String(now + 30_000) }, now), 30_000);
    assert.equal(parseLimitReset({ ratelimit: '"default";r=0;t=30' }, now), 30_000);
  });

  it("is undefined without such headers", () => assert.equal(parseLimitReset({}, now), undefined));

  const resets: readonly (readonly [headers: Readonly<Record<string, string>>, ms: number])[] = [
    [{ "anthropic-ratelimit-requests-reset": "2026-10-21T07:28:20Z" }, 20_000],
    [{ "x-ratelimit-reset-ms": "1500" }, 1_500],
    [{ "x-ratelimit-reset-after": "0.35" }, 350],
    [{ "x-ratelimit-reset-tokens": "17.9s" }, 17_900],
    [{ "x-rate-limit-reset": "1m" }, 60_000],
    [{ "x-ratelimit-reset-requests-day": "33011.5" }, 33_011_500],
    [{ "x-retry-after": "4" }, 4_000],
    [{ "x-ms-retry-after-ms": "400" }, 400],
    [{ "x-ratelimit-reset": "Wed, 21 Oct 2026 07:28:30 GMT" }, 30_000],
  ];
  for (const [headers, ms] of resets) {
    it(`is read from ${JSON.stringify(headers)}`, () =>
      assert.equal(parseRetryAfter(headers, now) ?? parseLimitReset(headers, now), ms));
  }

  const sentences: readonly (readonly [words: string, ms: number | undefined])[] = [
    ["Please try again in 4s.", 4_000],
    ["Please retry after 1m30s", 90_000],
    ["Please try again in 7h12m3.5s. Visit us", 25_923_500],
    ["Please try again in 120ms", 120],
    ["Please retry in 32.4s.", 32_400],
    ["Please wait 35 seconds before retrying", 35_000],
    ["wait 1 minute and 30 seconds", 90_000],
    ["Try again in 60 seconds. Passed model=x", 60_000],
    ["The limit will reset in 2 hours", 7_200_000],
    ["Retry-After: 30", 30_000],
    ["retry_after=5", 5_000],
    ["{'retryDelay': '17s'}", 17_000],
    ["Please retry your request after 20 seconds", 20_000],
    ["Try again at 2026-10-21T07:29:00Z", 60_000],
    ["blocked until 2026-10-21 07:29:00", 60_000],
    ["请在30秒后重试", 30_000],
    ["请等待 2 分钟后重试", 120_000],
    ["Rate limit of 10 per 60s exceeded", undefined],
    ["wait for 3 files", undefined],
    ["Please wait a moment", undefined],
    ["try again in 9000 hours", undefined],
  ];
  for (const [words, ms] of sentences) {
    it(`is read from “${words}”`, () => assert.equal(parseWaitWords(words, now), ms));
  }

  it("is read from the fields of a body", () => {
    assert.equal(parseWaitField("retrydelay", "17s", now), 17_000);
    assert.equal(parseWaitField("retrydelay", { seconds: 17 }, now), 17_000);
    assert.equal(parseWaitField("retryafterms", 400, now), 400);
    assert.equal(parseWaitField("retryafter", 0.5, now), 500);
    assert.equal(parseWaitField("retryafter", "soon", now), undefined);
    assert.equal(parseWaitField("retryafter", ["1"], now), undefined);
  });
});
