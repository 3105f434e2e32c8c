import assert from "node:assert/strict";
import { FrameCoalescer, FramePacing, messageIntervalMs } from "../../../src/core/panel/frameCoalescer.ts";
import { parseFromWebview } from "../../../src/core/panel/parseFromWebview.ts";
import { FrameBudget, FrameWaits, summarizeFrames } from "../../../src/webview/kit/frames.ts";

/** Milliseconds until the next frame is due after one with this cost. */
function pauseAfter(cost: number, isBehind: boolean): number {
  const budget = new FrameBudget();
  budget.start(1000);
  budget.end(1000 + cost, isBehind);
  let pause = 0;
  while (!budget.isDue(1000 + cost + pause)) pause += 1;
  return pause;
}

describe("The budget of a frame", () => {
  it("has no pause after a cheap frame, and longer pauses after more expensive frames", () => {
    assert.equal(pauseAfter(10, false), 0);
    assert.ok(pauseAfter(20, false) > 0);
    assert.ok(pauseAfter(40, false) > pauseAfter(20, false));
    assert.ok(pauseAfter(10_000, false) <= 1000);
  });

  it("has no pause while text is waiting, unless the frame itself was too long", () => {
    assert.equal(pauseAfter(40, true), 0);
    assert.ok(pauseAfter(100, true) > 0);
    assert.ok(pauseAfter(100, true) < pauseAfter(100, false));
  });

  it("has no pause after one slow frame among cheap ones, but has one after several slow ones", () => {
    const budget = new FrameBudget();
    let now = 1000;
    const frame = (cost: number): boolean => {
      budget.start(now);
      // Reported when it is rendered, and again when it is laid out.
      budget.end(now + cost / 2, false);
      budget.end((now += cost), false);
      return budget.isDue(now);
    };
    const isDueAfter = [5, 100, 5, 100, 100, 100].map(frame);
    assert.deepEqual(isDueAfter, [true, true, true, true, true, false]);
  });
});

describe("The summary of frames", () => {
  const waits = [3, 4, 5, 4, 3, 4, 5, 4, 3, 4, 5, 4];

  it("is the distance of neighboring frames and the average wait", () => {
    for (const distances of [
      [16.7, 16.7],
      [33.4, 16.6, 16.8],
      [16.7, 66.8, 50.1, 16.7],
    ]) {
      const summary = summarizeFrames(distances, waits);
      assert.ok(summary?.waitMs !== undefined);
      assert.ok(Math.abs(summary.periodMs - 16.7) < 0.1, `${summary.periodMs}`);
      assert.ok(Math.abs(summary.waitMs - 4) < 0.5, `${summary.waitMs}`);
    }
  });

  it("treats a wait of nearly a whole frame as close to none", () => {
    const { waitMs } = summarizeFrames([16.7], [0.2, 16.4, 0.1, 16.5]) ?? {};
    assert.ok(waitMs !== undefined && (waitMs < 1 || waitMs > 15.7), `${waitMs}`);
  });

  it("has no average wait if messages arrive at any time", () => {
    const anyTime = waits.map((_, index) => (index * 16.7) / 12);
    assert.deepEqual(summarizeFrames([16.7], anyTime), { periodMs: 16.7 });
  });

  it("doesn't exist if the page draws fewer frames than any display", () => {
    for (const distances of [[], [0], [100, 100, 120], [1_000]])
      assert.equal(summarizeFrames(distances, waits), undefined);
  });
});

/**
 * A page on a simulated display, with the real measurement of its frames, and a host that sends it a growing response
 * with the real timing. All times are in milliseconds.
 */
class PacedPage {
  now = 1_000;
  periodMs: number;
  isFocused = true;
  /** The time between two pieces of the response. */
  pieceMs = 1;
  /** What the host has rejected. */
  readonly rejected: unknown[] = [];
  readonly #pacing = new FramePacing(() => this.now);
  readonly #coalescer = new FrameCoalescer(
    "a",
    { text: 0, reasoning: 0 },
    () => this.#post(),
    (run, ms) => {
      const interval = messageIntervalMs({
        isVisible: true,
        isFocused: this.isFocused,
        isFarAbove: false,
      });
      // Timers are set to whole milliseconds.
      return this.#at(this.now + Math.floor(this.#pacing.delayMs(Math.max(ms, interval))), run);
    },
  );
  readonly #waits = new FrameWaits((report) => this.#receive({ type: "frames", ...report }));
  #events: { readonly at: number; readonly run: () => void }[] = [];
  #callbacks: FrameRequestCallback[] = [];
  #arrivals: number[] = [];
  #shown: number[] = [];

  constructor(periodMs: number) {
    this.periodMs = periodMs;
    this.#at(this.now + 3.3, () => this.#onFrame());
    this.#grow();
  }

  /** Returns how long each of the messages that were shown in this time had waited for its frame. */
  run(ms: number): readonly number[] {
    const end = this.now + ms;
    this.#shown = [];
    const replaced = globals.map(
      (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
    );
    const page = {
      document: { hidden: false },
      performance: { now: () => this.now },
      requestAnimationFrame: (callback: FrameRequestCallback) => this.#callbacks.push(callback),
    };
    for (const name of globals)
      Object.defineProperty(globalThis, name, { value: page[name], configurable: true });
    try {
      for (let next = this.#next(); next !== undefined && next.at <= end; next = this.#next()) {
        this.#events = this.#events.filter((event) => event !== next);
        this.now = next.at;
        next.run();
      }
    } finally {
      for (const [name, descriptor] of replaced)
        if (descriptor === undefined) Reflect.deleteProperty(globalThis, name);
        else Object.defineProperty(globalThis, name, descriptor);
    }
    this.now = end;
    return this.#shown;
  }

  #next() {
    return this.#events.toSorted((left, right) => left.at - right.at)[0];
  }

  #at(at: number, run: () => void): () => void {
    const event = { at, run };
    this.#events.push(event);
    return () => (this.#events = this.#events.filter((other) => other !== event));
  }

  #grow(): void {
    this.#coalescer.append({ kind: "text", text: "x" });
    this.#at(this.now + this.pieceMs, () => this.#grow());
  }

  #post(): void {
    this.#at(this.now + 0.5, () => {
      this.#arrivals.push(this.now);
      this.#waits.messageArrived();
    });
  }

  #onFrame(): void {
    const callbacks = this.#callbacks;
    this.#callbacks = [];
    for (const callback of callbacks) callback(this.now);
    this.#shown.push(...this.#arrivals.map((arrivedAt) => this.now - arrivedAt));
    this.#arrivals = [];
    this.#at(this.now + this.periodMs, () => this.#onFrame());
  }

  #receive(report: unknown): void {
    const message = parseFromWebview(report);
    if (message?.type === "frames") this.#pacing.adjust(message);
    else this.rejected.push(report);
  }
}

/** What a page uses of its surroundings to measure its frames. */
const globals = ["document", "performance", "requestAnimationFrame"] as const;

describe("The messages to a page", () => {
  /** Runs the page for as long as its messages may need to get in step with its frames. */
  function assertInStep(page: PacedPage, perSecond: number): void {
    page.run(6_000);
    const waits = page.run(1_000);
    const name = `at ${Math.round(1_000 / page.periodMs)} Hz`;
    for (const wait of waits) assert.ok(wait > 2 && wait < 6, `A message waited ${wait} ms ${name}.`);
    assert.ok(Math.abs(waits.length - perSecond) <= 2, `${waits.length} messages per second ${name}`);
    assert.deepEqual(page.rejected, []);
  }

  const rates = [
    [24, 24],
    [30, 30],
    [50, 50],
    [60, 60],
    [75, 75],
    [90, 90],
    [100, 50],
    [120, 60],
    [144, 72],
  ] as const;
  for (const [hertz, perSecond] of rates)
    it(`get in step with frames at ${hertz} Hz, even if the display was a different one before`, () => {
      for (const [other] of rates) {
        const page = new PacedPage(1_000 / other);
        page.run(3_000);
        page.periodMs = 1_000 / hertz;
        assertInStep(page, perSecond);
      }
    });

  it("aren't more frequent on displays with very high refresh rates", () => {
    for (const hertz of [240, 360, 500]) {
      const page = new PacedPage(1_000 / hertz);
      page.run(3_000);
      const waits = page.run(1_000);
      assert.ok(waits.length > 50 && waits.length < 70, `${waits.length} messages per second`);
      assert.deepEqual(page.rejected, []);
    }
  });

  it("come with every frame again after another window had the focus", () => {
    const page = new PacedPage(1_000 / 60);
    page.run(3_000);
    page.isFocused = false;
    assertInStep(page, 20);
    page.isFocused = true;
    assertInStep(page, 60);
  });

  it("come with every frame after a slow response", () => {
    for (const pieceMs of [1_000 / 30, 1_000 / 20, 83, 200]) {
      const page = new PacedPage(1_000 / 60);
      page.pieceMs = pieceMs;
      page.run(10_000);
      page.pieceMs = 1;
      assertInStep(page, 60);
    }
  });

  it("come with every frame again after the page was busy or throttled", () => {
    for (const busyMs of [33, 80, 250, 1_000]) {
      const page = new PacedPage(1_000 / 60);
      page.run(3_000);
      page.periodMs = busyMs;
      page.run(20_000);
      page.periodMs = 1_000 / 60;
      assertInStep(page, 60);
    }
  });
});
