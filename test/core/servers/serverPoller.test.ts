import assert from "node:assert/strict";
import { ServiceError } from "../../../src/core/errors.ts";
import type { ServerList, ServerStatus } from "../../../src/core/server.ts";
import { pollDelay } from "../../../src/core/servers/pollDelay.ts";
import { ServerListState } from "../../../src/core/servers/serverListState.ts";
import type { ServerListSnapshot } from "../../../src/core/servers/serverListState.ts";
import { ServerPoller } from "../../../src/core/servers/serverPoller.ts";

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

describe("pollDelay", () => {
  it("is the user's interval while nothing changes", () => {
    assert.equal(pollDelay({ snapshot: good, intervalMs: 30_000, random: 0.5 }), 30_000);
  });

  it("is 5 s while a server starts or stops, for 10 minutes at most", () => {
    const situation = { snapshot: good, intervalMs: 30_000, random: 0.5 };
    assert.equal(pollDelay({ ...situation, changingForMs: 0 }), 5_000);
    assert.equal(pollDelay({ ...situation, changingForMs: 600_000 }), 30_000);
  });

  it("is nothing where polling is off or nobody is signed in", () => {
    assert.equal(pollDelay({ snapshot: good, intervalMs: 0, random: 0.5 }), undefined);
    const signedOut = { ...failed(1), state: "signedOut" as const };
    assert.equal(pollDelay({ snapshot: signedOut, intervalMs: 30_000, random: 0.5 }), undefined);
  });

  it("grows from 5 s to 5 min with full jitter after failures", () => {
    const delay = (failures: number, random: number): number | undefined =>
      pollDelay({ snapshot: failed(failures), intervalMs: 30_000, random });
    assert.deepEqual([delay(1, 0.999999), delay(2, 0.5), delay(40, 0.999999)], [5_000, 5_000, 300_000]);
    assert.equal(delay(9, 0), 1_000);
  });

  it("is never shorter than the server allows", () => {
    const snapshot: ServerListSnapshot = {
      ...failed(1),
      error: { reason: "rateLimit", message: "Slow down.", retryAfterMs: 60_000 },
    };
    assert.equal(pollDelay({ snapshot, intervalMs: 30_000, random: 0.1 }), 60_000);
  });
});

/** A view with a clock, a timer and a gateway in the test's hand. */
function createView(status: ServerStatus = "running"): {
  readonly list: ServerListState;
  readonly poller: ServerPoller;
  readonly timers: { callback: () => void; delayMs: number }[];
  asked: number;
  now: number;
  isDown: boolean;
  intervalMs: number;
} {
  const view = {
    asked: 0,
    now: 0,
    isDown: false,
    intervalMs: 30_000,
    timers: [] as { callback: () => void; delayMs: number }[],
  };
  const list = new ServerListState(
    {
      list: () => {
        view.asked++;
        const answer: Promise<ServerList> = view.isDown
          ? Promise.reject(new ServiceError({ reason: "unreachable", message: "Down." }))
          : Promise.resolve({ servers: [{ key: "a", status, record: {} }], path: "" });
        return { list: answer, stop: () => undefined };
      },
    },
    () => view.now,
  );
  const poller = new ServerPoller(list, {
    now: () => view.now,
    schedule: (callback, delayMs) => {
      const timer = { callback, delayMs };
      view.timers.push(timer);
      return () => view.timers.splice(view.timers.indexOf(timer), 1);
    },
    random: () => 0.999999,
    intervalMs: () => view.intervalMs,
  });
  return Object.assign(view, { list, poller });
}

describe("ServerPoller", () => {
  it("asks when the view is first seen and not before", async () => {
    const view = createView();
    assert.equal(view.asked, 0);
    view.poller.setVisible(true);
    await view.list.poll();
    assert.equal(view.asked, 1);
    assert.deepEqual(
      view.timers.map(({ delayMs }) => delayMs),
      [30_000],
    );
  });

  it("pauses while hidden", async () => {
    const view = createView();
    view.poller.setVisible(true);
    await view.list.poll();
    view.poller.setVisible(false);
    assert.deepEqual(view.timers, []);
  });

  it("waits only for what is left of the interval when the view is seen again", async () => {
    const view = createView();
    view.poller.setVisible(true);
    await view.list.poll();
    view.poller.setVisible(false);
    view.now = 20_000;
    view.poller.setVisible(true);
    assert.deepEqual(
      view.timers.map(({ delayMs }) => delayMs),
      [10_000],
    );
  });

  it("polls at once when the rows became old while hidden", async () => {
    const view = createView();
    view.poller.setVisible(true);
    await view.list.poll();
    view.poller.setVisible(false);
    view.now = 3_600_000;
    view.poller.setVisible(true);
    assert.deepEqual(
      view.timers.map(({ delayMs }) => delayMs),
      [0],
    );
  });

  it("polls every 5 s while a server changes, for 10 minutes", async () => {
    const view = createView("starting");
    view.poller.setVisible(true);
    await view.list.poll();
    assert.equal(view.timers[0]?.delayMs, 5_000);
    view.now = 600_000;
    await view.list.refresh();
    assert.equal(view.timers[0]?.delayMs, 30_000);
  });

  it("backs off after failures", async () => {
    const view = createView();
    view.isDown = true;
    view.poller.setVisible(true);
    await view.list.poll();
    await view.list.poll();
    assert.deepEqual(
      view.timers.map(({ delayMs }) => delayMs),
      [10_000],
    );
  });

  it("has never more than one timer", async () => {
    const view = createView();
    view.poller.setVisible(true);
    await view.list.poll();
    await Promise.all([view.list.refresh(), view.list.refresh()]);
    view.poller.intervalChanged();
    view.poller.setVisible(true);
    assert.equal(view.timers.length, 1);
  });

  it("asks anew for another profile", async () => {
    const view = createView();
    view.poller.setVisible(true);
    await view.list.poll();
    view.list.reset();
    await view.list.poll();
    assert.equal(view.asked, 2);
  });

  it("is silent after it was disposed", async () => {
    const view = createView();
    view.poller.setVisible(true);
    await view.list.poll();
    view.poller.dispose();
    await view.list.refresh();
    assert.deepEqual(view.timers, []);
  });
});
