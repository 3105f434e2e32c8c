import assert from "node:assert/strict";
import type { ErrorFacts } from "../../../src/core/kernel/errors.ts";
import { ServiceError } from "../../../src/core/kernel/errors.ts";
import type { ServerList, ServerStatus } from "../../../src/core/servers/server.ts";
import { ServerListState } from "../../../src/core/servers/serverListState.ts";
import type { ServerListRun } from "../../../src/core/servers/serverListState.ts";
import { ServerPoller } from "../../../src/core/servers/serverPoller.ts";

class View {
  now = 1_000_000;
  intervalMs = 30_000;
  asked = 0;
  isDown = false;
  isSilent = false;
  error: ErrorFacts = { reason: "unreachable", message: "Down." };
  statuses: readonly ServerStatus[] = ["running"];
  readonly timers = new Set<{ readonly callback: () => void; readonly dueAt: number }>();
  readonly list: ServerListState;
  readonly poller: ServerPoller;
  hasFocus = true;
  /** How much of the time since the start the machine was asleep, during which timers are paused. */
  #slept = 0;

  constructor() {
    this.list = new ServerListState({ list: () => this.#answer() }, () => this.now);
    this.poller = new ServerPoller(this.list, {
      now: () => this.now,
      schedule: (callback, delayMs) => {
        const timer = { callback, dueAt: this.now - this.#slept + delayMs };
        this.timers.add(timer);
        return () => this.timers.delete(timer);
      },
      random: () => 0.999999,
      intervalMs: () => this.intervalMs,
      hasFocus: () => this.hasFocus,
    });
  }

  focus(hasFocus: boolean): void {
    this.hasFocus = hasFocus;
    this.poller.paceChanged();
  }

  /** Time until the next poll according to the view. */
  get waits(): number | undefined {
    return this.poller.nextPollAt === undefined ? undefined : this.poller.nextPollAt - this.now;
  }

  /** Lets this much time pass, timer by timer, while responses arrive. */
  async pass(milliseconds: number): Promise<void> {
    const end = this.now + milliseconds;
    await settle();
    for (let timer = this.#next(end); timer !== undefined; timer = this.#next(end)) {
      this.now = Math.max(this.now, timer.dueAt + this.#slept);
      this.timers.delete(timer);
      timer.callback();
      await settle();
    }
    this.now = end;
  }

  sleep(milliseconds: number): void {
    this.now += milliseconds;
    this.#slept += milliseconds;
  }

  #next(end: number) {
    return [...this.timers]
      .filter(({ dueAt }) => dueAt + this.#slept <= end)
      .toSorted((first, second) => first.dueAt - second.dueAt)[0];
  }

  #answer(): ServerListRun {
    this.asked++;
    if (this.isSilent) return { list: new Promise(() => undefined), stop: () => undefined };
    const servers = this.statuses.map((status, index) => ({ key: String(index), status, record: {} }));
    const list: Promise<ServerList> = this.isDown
      ? Promise.reject(new ServiceError(this.error))
      : Promise.resolve({ servers });
    return { list, stop: () => undefined };
  }
}

async function settle(): Promise<void> {
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}

/** A view that has been visible for a moment. */
async function openView(prepare: (view: View) => void = () => undefined): Promise<View> {
  const view = new View();
  prepare(view);
  view.poller.setVisible(true);
  await settle();
  return view;
}

describe("ServerPoller", () => {
  it("requests the list when the view is first visible, and then every 30 s", async () => {
    const view = new View();
    await view.pass(60_000);
    assert.equal(view.asked, 0);
    view.poller.setVisible(true);
    await view.pass(0);
    assert.deepEqual([view.asked, view.waits], [1, 30_000]);
    await view.pass(29_999);
    assert.equal(view.asked, 1);
    await view.pass(1);
    assert.equal(view.asked, 2);
  });

  for (const [state, leave] of [
    ["while it is hidden", (view: View) => view.poller.setVisible(false)],
    ["while the window doesn't have the focus", (view: View) => view.focus(false)],
  ] as const) {
    it(`requests the list every 5 minutes ${state}, even while a server changes`, async () => {
      const view = await openView((created) => (created.statuses = ["starting"]));
      leave(view);
      await view.pass(299_999);
      assert.equal(view.asked, 1);
      await view.pass(1);
      assert.equal(view.asked, 2);
      await view.pass(3_000_000);
      assert.equal(view.asked, 12);
    });
  }

  it("requests a list that isn't viewed no more often than the user has set", async () => {
    const view = await openView((created) => (created.intervalMs = 900_000));
    view.focus(false);
    assert.equal(view.waits, 900_000);
    view.intervalMs = 0;
    view.poller.paceChanged();
    assert.deepEqual([view.waits, view.timers.size], [undefined, 0]);
  });

  it("requests a visible list once in a window that has never had the focus", async () => {
    const view = await openView((created) => (created.hasFocus = false));
    assert.deepEqual([view.asked, view.waits], [1, 300_000]);
  });

  it("requests the list of a new credential at once, even while it is hidden", async () => {
    const view = await openView();
    view.poller.setVisible(false);
    view.list.reset();
    await view.pass(0);
    assert.equal(view.asked, 2);
  });

  it("waits only for the rest of the interval when the view becomes visible again", async () => {
    const view = await openView();
    view.poller.setVisible(false);
    await view.pass(20_000);
    view.poller.setVisible(true);
    assert.equal(view.waits, 10_000);
  });

  it("polls immediately if the rows became outdated while hidden", async () => {
    const view = await openView();
    view.poller.setVisible(false);
    await view.pass(100_000);
    view.poller.setVisible(true);
    await view.pass(0);
    assert.equal(view.asked, 2);
  });

  it("polls immediately when the window gets the focus if the rows are older than the interval", async () => {
    const view = await openView();
    view.focus(false);
    await view.pass(29_000);
    view.focus(true);
    assert.equal(view.waits, 1_000);
    view.focus(false);
    await view.pass(1_000);
    view.focus(true);
    await view.pass(0);
    assert.equal(view.asked, 2);
  });

  it("isn't kept from the next attempt by a focus that keeps changing", async () => {
    const view = await openView((created) => (created.isDown = true));
    for (let times = 0; times < 6; times++) {
      view.focus(times % 2 === 1);
      await view.pass(5_000);
    }
    assert.equal(view.asked, 2);
  });

  it("polls every 5 s while a server changes, for up to 10 minutes per change", async () => {
    const view = await openView((created) => (created.statuses = ["starting"]));
    assert.equal(view.waits, 5_000);
    await view.pass(599_000);
    assert.equal(view.waits, 1_000);
    await view.pass(2_000);
    assert.equal(view.waits, 29_000);
    view.statuses = ["starting", "stopping"];
    await view.pass(30_000);
    assert.ok((view.waits ?? Infinity) <= 5_000);
  });

  it("backs off after failures, up to 5 minutes, and resets after the first success", async () => {
    const view = await openView((created) => (created.isDown = true));
    const waits: (number | undefined)[] = [];
    for (let failures = 1; failures <= 9; failures++) {
      waits.push(view.waits);
      await view.pass(view.waits ?? 0);
    }
    assert.deepEqual(
      waits,
      [30, 30, 30, 40, 80, 160, 300, 300, 300].map((seconds) => seconds * 1_000),
    );
    view.isDown = false;
    await view.pass(300_000);
    assert.equal(view.waits, 30_000);
  });

  it("polls a failing gateway no more often than a working one", async () => {
    const asked = await Promise.all(
      [false, true].map(async (isDown) => {
        const view = await openView((created) => (created.isDown = isDown));
        await view.pass(600_000);
        return view.asked;
      }),
    );
    assert.ok((asked[1] ?? Infinity) <= (asked[0] ?? 0), asked.join());
  });

  it("polls no sooner than the server allows, even if hidden in the meantime", async () => {
    const view = await openView((created) => {
      created.isDown = true;
      created.error = { reason: "rateLimit", message: "Slow down.", retryAfterMs: 90_000 };
    });
    view.poller.setVisible(false);
    await view.pass(10_000);
    view.poller.setVisible(true);
    await view.pass(79_000);
    assert.equal(view.asked, 1);
  });

  it("never has more than one timer", async () => {
    const view = await openView();
    await Promise.all([view.list.refresh(), view.list.refresh()]);
    view.poller.paceChanged();
    view.poller.setVisible(true);
    assert.equal(view.timers.size, 1);
  });

  it("polls immediately after the profile or credential changes, even after a rate limit", async () => {
    const view = await openView((created) => {
      created.isDown = true;
      created.error = { reason: "rateLimit", message: "Slow down.", retryAfterMs: 90_000 };
    });
    view.list.reset();
    await view.pass(0);
    assert.equal(view.asked, 2);
  });

  it("stops after it is disposed", async () => {
    const view = await openView();
    view.poller.dispose();
    await view.list.refresh();
    assert.equal(view.timers.size, 0);
  });
});

describe("ServerPoller, after sleep", () => {
  it("polls once after a short wait", async () => {
    const view = await openView();
    view.sleep(8 * 3_600_000);
    await view.pass(4_900);
    assert.equal(view.asked, 1);
    await view.pass(5_000);
    assert.equal(view.asked, 2);
    await view.pass(20_000);
    assert.equal(view.asked, 2);
  });

  it("restarts its backoff", async () => {
    const view = await openView((created) => (created.isDown = true));
    await view.pass(400_000);
    const before = view.asked;
    view.sleep(3_600_000);
    await view.pass(9_500);
    assert.equal(view.asked, before + 1);
    assert.ok((view.waits ?? Infinity) <= 30_000);
  });

  it("doesn't wait for a request from before the sleep", async () => {
    const view = await openView((created) => (created.isSilent = true));
    view.sleep(3_600_000);
    view.isSilent = false;
    await view.pass(10_000);
    assert.deepEqual([view.asked, view.list.current.state], [2, "ready"]);
  });

  it("still polls no sooner than the server allowed before the sleep", async () => {
    const view = await openView((created) => {
      created.isDown = true;
      created.error = { reason: "rateLimit", message: "Slow down.", retryAfterMs: 120_000 };
    });
    view.sleep(60_000);
    await view.pass(55_000);
    assert.equal(view.asked, 1);
    await view.pass(10_000);
    assert.equal(view.asked, 2);
  });

  it("isn't delayed by a clock that was set back", async () => {
    const view = await openView();
    view.sleep(-7_200_000);
    await view.pass(10_000);
    assert.equal(view.asked, 2);
  });
});
