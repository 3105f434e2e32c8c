import assert from "node:assert/strict";
import { FrameBudget, summarizeFrames } from "../../../src/webview/kit/frames.ts";

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

/** Frames in which a message waited this long, at 60 Hz, without those at some of the places. */
function framesWith(waits: readonly number[], skipped: readonly number[] = []) {
  return waits
    .map((waitMs, index) => ({ dueAt: 1_000 + index * 16.7, waitMs }))
    .filter((_, index) => !skipped.includes(index));
}

describe("The summary of frames", () => {
  const waits = [3, 4, 5, 4, 3, 4, 5, 4, 3, 4, 5, 4];

  it("is the distance of neighboring frames and the average wait", () => {
    for (const skipped of [[], [4], [2, 3, 7]]) {
      const summary = summarizeFrames(framesWith(waits, skipped));
      assert.ok(summary);
      assert.ok(Math.abs(summary.periodMs - 16.7) < 0.1, `${summary.periodMs}`);
      assert.ok(Math.abs(summary.waitMs - 4) < 0.5, `${summary.waitMs}`);
    }
  });

  it("treats a wait of nearly a whole frame as close to none", () => {
    const summary = summarizeFrames(
      framesWith(waits.map((wait, index) => (index % 2 === 0 ? 0.2 : 16.4 + wait / 100))),
    );
    assert.ok(summary);
    assert.ok(summary.waitMs < 1 || summary.waitMs > 15.7, `${summary.waitMs}`);
  });

  it("doesn't exist if messages arrive at any time, or if there are no two frames", () => {
    assert.equal(summarizeFrames(framesWith(waits.map((_, index) => (index * 16.7) / 12))), undefined);
    assert.equal(summarizeFrames(framesWith([4])), undefined);
    assert.equal(summarizeFrames([]), undefined);
  });
});
