import assert from "node:assert/strict";
import {
  ClockOffset,
  ClockOffsets,
  describeCorrection,
  readClockSample,
} from "../../../src/gateway/auth/clockOffset.ts";
import type { ClockSample } from "../../../src/gateway/auth/clockOffset.ts";

const serverTime = Date.UTC(2026, 9, 1, 12, 0, 0);
const date = new Date(serverTime).toUTCString();

function response(skewMs: number, roundTripMs: number, headers: Record<string, string> = { date }) {
  const sentAt = serverTime + 500 - skewMs - roundTripMs / 2;
  return { headers, sentAt, receivedAt: sentAt + roundTripMs, isVerified: true };
}

function sample(offsetMs: number, roundTripMs = 100): ClockSample {
  return { offsetMs, roundTripMs, uncertaintyMs: roundTripMs / 2 + 500 };
}

describe("A clock sample", () => {
  it("is the offset of the server's date from the middle of the round trip, plus half a second", () => {
    assert.deepEqual(readClockSample(response(47_000, 200)), {
      offsetMs: 47_000,
      uncertaintyMs: 600,
      roundTripMs: 200,
    });
  });

  it("is not taken from cached, unverified, slow or undated responses", () => {
    assert.equal(readClockSample(response(47_000, 200, { date, age: "3" })), undefined);
    assert.equal(readClockSample({ ...response(47_000, 200), isVerified: false }), undefined);
    assert.equal(readClockSample(response(47_000, 10_000)), undefined);
    assert.equal(readClockSample(response(47_000, -1)), undefined);
    assert.equal(readClockSample(response(47_000, 200, {})), undefined);
    assert.equal(readClockSample(response(47_000, 200, { date: "12" })), undefined);
  });

  it("is never more than a day", () => {
    assert.equal(readClockSample(response(90_000_000, 200))?.offsetMs, 86_400_000);
    assert.equal(readClockSample(response(-90_000_000, 200))?.offsetMs, -86_400_000);
  });
});

describe("The clock offset", () => {
  let monotonicMs = 0;
  let wallMs = 0;
  const tick = (): { wallMs: number; monotonicMs: number } => ({
    wallMs: (wallMs += 1_000),
    monotonicMs: (monotonicMs += 1_000),
  });

  it("is applied if it is more than three seconds", () => {
    const clock = new ClockOffset();
    assert.equal(clock.observe(sample(2_900), tick()), false);
    assert.equal(clock.offsetMs, 0);
    assert.equal(clock.observe(sample(-47_000, 50), tick()), true);
    assert.equal(clock.offsetMs, -47_000);
  });

  it("is not applied if it is within its own uncertainty", () => {
    const clock = new ClockOffset();
    assert.equal(clock.observe(sample(4_900, 9_000), tick()), false);
    assert.equal(clock.observe(sample(5_100, 9_000), tick()), true);
  });

  it("trusts the fastest of the last few responses", () => {
    const clock = new ClockOffset();
    clock.observe(sample(10_000, 20), tick());
    assert.equal(clock.observe(sample(16_000, 3_000), tick()), false);
    assert.equal(clock.offsetMs, 10_000);
  });

  it("drops the fastest response after a few more", () => {
    const clock = new ClockOffset();
    clock.observe(sample(10_000, 20), tick());
    const changes = [1, 2, 3, 4, 5].map(() => clock.observe(sample(60_000, 100), tick()));
    assert.deepEqual(changes, [false, false, false, false, true]);
  });

  it("is measured again after sleep or after the clock was set", () => {
    const clock = new ClockOffset();
    clock.observe(sample(-47_000, 20), tick());
    wallMs -= 47_000;
    assert.equal(clock.observe(sample(0, 500), tick()), true);
    assert.equal(clock.offsetMs, 0);
  });

  it("is applied after a rejected signature only if the clock can be the cause", () => {
    const clock = new ClockOffset();
    assert.equal(clock.adoptAfterRefusal(sample(4_900), 0), false);
    assert.equal(clock.adoptAfterRefusal(sample(5_100, 9_000), 0), true);
    assert.equal(clock.offsetMs, 5_100);
    assert.equal(clock.adoptAfterRefusal(sample(5_200), 5_100), false);
  });

  it("is separate for each origin", () => {
    const clocks = new ClockOffsets();
    clocks.of("https://a.example").observe(sample(47_000), tick());
    assert.equal(clocks.of("https://a.example").offsetMs, 47_000);
    assert.equal(clocks.of("https://b.example").offsetMs, 0);
  });

  it("is separate for each profile and credential generation, starting with the previous value", () => {
    const origin = "https://a.example";
    const clocks = new ClockOffsets();
    const before = clocks.ownedBy("profile 1").of(origin);
    before.observe(sample(47_000), tick());
    const after = clocks.ownedBy("profile 2").of(origin);
    assert.equal(after.offsetMs, 47_000);
    before.adoptAfterRefusal(sample(-90_000), 47_000);
    assert.equal(after.offsetMs, 47_000);
    assert.equal(clocks.ownedBy("profile 2").of(origin), after);
    assert.equal(clocks.ownedBy("another").hintFor("https://b.example"), -90_000);
    assert.equal(clocks.ownedBy("another").hintFor(origin), undefined);
  });

  it("is described to the user", () => {
    assert.match(
      describeCorrection(-47_100, "gpu.example"),
      /^Your clock is 47 s ahead of .*gpu\.example\. The difference is corrected/,
    );
    assert.match(describeCorrection(600_000, "gpu.example"), /^Your clock is 10 min behind/);
  });
});
