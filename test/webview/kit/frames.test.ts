import assert from "node:assert/strict";
import { FrameBudget } from "../../../src/webview/kit/frames.ts";

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
