import assert from "node:assert/strict";
import {
  ClockOffsets,
  ServerClock,
  correctedOffset,
  describeCorrection,
  readClockOffset,
} from "../../../src/gateway/auth/clockOffset.ts";

const serverTime = Date.UTC(2026, 9, 1, 12, 0, 0);
const date = new Date(serverTime).toUTCString();

function response(skewMs: number, roundTripMs: number, headers: Record<string, string> = { date }) {
  const sentAt = serverTime + 500 - skewMs - roundTripMs / 2;
  return { headers, sentAt, receivedAt: sentAt + roundTripMs, isVerified: true };
}

describe("The offset of a server's clock", () => {
  it("is from the middle of the round trip to the server's date plus half a second", () => {
    assert.equal(readClockOffset(response(47_000, 200)), 47_000);
    assert.equal(readClockOffset(response(-90_000_000, 200)), -90_000_000);
  });

  it("is not taken from cached, unverified, slow or undated responses", () => {
    assert.equal(readClockOffset(response(47_000, 200, { date, age: "3" })), undefined);
    assert.equal(readClockOffset({ ...response(47_000, 200), isVerified: false }), undefined);
    assert.equal(readClockOffset(response(47_000, 10_000)), undefined);
    assert.equal(readClockOffset(response(47_000, -1)), undefined);
    assert.equal(readClockOffset(response(47_000, 200, {})), undefined);
    assert.equal(readClockOffset(response(47_000, 200, { date: "12" })), undefined);
  });

  it("explains a rejected signature only if it is more than five seconds from what was signed", () => {
    assert.equal(correctedOffset(response(4_900, 200), 0), undefined);
    assert.equal(correctedOffset(response(5_100, 200), 0), 5_100);
    assert.equal(correctedOffset(response(47_000, 200), 45_000), undefined);
    assert.equal(correctedOffset(response(0, 200), -3_600_000), 0);
  });

  it("is separate for each origin", () => {
    const clocks = new ClockOffsets();
    clocks.of("https://a.example").offsetMs = 47_000;
    assert.equal(clocks.of("https://a.example").offsetMs, 47_000);
    assert.equal(clocks.of("https://b.example").offsetMs, 0);
  });

  it("is described to the user", () => {
    assert.match(
      describeCorrection(-47_100, "gpu.example"),
      /^Your clock is 47 s ahead of .*gpu\.example\. The difference is corrected/,
    );
    assert.match(describeCorrection(600_000, "gpu.example"), /^Your clock is 10 min behind/);
  });
});

describe("Nonces", () => {
  const { signal } = new AbortController();
  const at = (seconds: number) => (): number => seconds * 1_000 + 999;

  it("are the current second, also for many requests with different content", async () => {
    const clock = new ServerClock();
    const nonces = await Promise.all(
      Array.from({ length: 40 }, (_, page) => clock.takeNonce(`?page=${page}`, at(100), signal)),
    );
    assert.deepEqual(new Set(nonces), new Set([100]));
  });

  it("never repeat for the same content, stay within a small window, and then wait for the clock", async () => {
    const clock = new ServerClock();
    const taken: number[] = [];
    for (let count = 0; count < 11; count++) taken.push(await clock.takeNonce("a", at(100), signal));
    assert.deepEqual(
      taken,
      Array.from({ length: 11 }, (_, index) => 100 + index),
    );
    let seconds = 100;
    assert.equal(await clock.takeNonce("a", () => seconds++ * 1_000, signal), 111);
    assert.equal(await clock.takeNonce("a", at(200), signal), 200);
  });

  it("start over if the clock is set back or corrected", async () => {
    const clock = new ServerClock();
    await clock.takeNonce("a", at(1_000), signal);
    assert.equal(await clock.takeNonce("a", at(940), signal), 940);
    assert.equal(await clock.takeNonce("a", at(940), signal), 941);
  });

  it("stop waiting once the request is aborted", async () => {
    const clock = new ServerClock();
    const controller = new AbortController();
    for (let count = 0; count < 11; count++) await clock.takeNonce("a", at(100), signal);
    const waiting = clock.takeNonce("a", at(100), controller.signal);
    controller.abort();
    await assert.rejects(waiting);
  });
});
