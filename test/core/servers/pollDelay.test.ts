import assert from "node:assert/strict";
import type { ServerListSnapshot } from "../../../src/core/servers/serverListState.ts";
import { pollDelay as delayOf } from "../../../src/core/servers/serverPoller.ts";

const good: ServerListSnapshot = {
  state: "ready",
  servers: [],
  isRefreshing: false,
  listedAt: 0,
  failures: 0,
};
const failed = (failures: number): ServerListSnapshot => ({
  ...good,
  failures,
  error: { reason: "unreachable", message: "Down." },
});

type Situation = Parameters<typeof delayOf>[0];

/** Of a list that the user is looking at. */
const pollDelay = (situation: Omit<Situation, "isViewed">): number | undefined =>
  delayOf({ ...situation, isViewed: true });

describe("pollDelay", () => {
  it("is the user's interval while nothing changes", () => {
    assert.equal(pollDelay({ snapshot: good, intervalMs: 30_000, random: 0.5 }), 30_000);
  });

  it("is 5 s while a server starts or stops, for at most 10 minutes", () => {
    const situation = { snapshot: good, intervalMs: 30_000, random: 0.5 };
    assert.equal(pollDelay({ ...situation, changingForMs: 0 }), 5_000);
    assert.equal(pollDelay({ ...situation, changingForMs: 600_000 }), 30_000);
  });

  it("is 5 minutes or the user's longer interval for a list that isn't viewed", () => {
    const situation = { snapshot: good, random: 0.5, isViewed: false, changingForMs: 0 };
    assert.equal(delayOf({ ...situation, intervalMs: 30_000 }), 300_000);
    assert.equal(delayOf({ ...situation, intervalMs: 900_000 }), 900_000);
    assert.equal(delayOf({ ...situation, intervalMs: 0 }), undefined);
  });

  it("is undefined if polling is off or no one is signed in", () => {
    assert.equal(pollDelay({ snapshot: good, intervalMs: 0, random: 0.5 }), undefined);
    const signedOut = { ...failed(1), state: "signedOut" as const };
    assert.equal(pollDelay({ snapshot: signedOut, intervalMs: 30_000, random: 0.5 }), undefined);
  });

  it("grows from 5 s to 5 min with full jitter after failures", () => {
    const delay = (failures: number, random: number): number | undefined =>
      pollDelay({ snapshot: failed(failures), intervalMs: 1_000, random });
    assert.deepEqual([delay(1, 0.999999), delay(2, 0.5), delay(40, 0.999999)], [5_000, 5_000, 300_000]);
    assert.equal(delay(9, 0), 1_000);
  });

  it("is never shorter after failures than without them", () => {
    for (const changingForMs of [undefined, 0]) {
      const situation = { intervalMs: 30_000, ...(changingForMs === undefined ? {} : { changingForMs }) };
      const healthy = pollDelay({ ...situation, snapshot: good, random: 0 }) ?? 0;
      for (const failures of [1, 2, 5, 20]) {
        const delay = pollDelay({ ...situation, snapshot: failed(failures), random: 0 }) ?? 0;
        assert.ok(delay >= healthy, `${failures}: ${delay}`);
      }
    }
  });

  it("is never shorter than the server allows", () => {
    const snapshot: ServerListSnapshot = {
      ...failed(1),
      error: { reason: "rateLimit", message: "Slow down.", retryAfterMs: 60_000 },
    };
    assert.equal(pollDelay({ snapshot, intervalMs: 30_000, random: 0.1 }), 60_000);
  });
});
