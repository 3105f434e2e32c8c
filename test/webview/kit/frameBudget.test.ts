import assert from "node:assert/strict";
import { FrameBudget } from "../../../src/webview/kit/frameBudget.ts";

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
  it("has no pause after a cheap frame, and a longer one the more a frame costs", () => {
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
});
