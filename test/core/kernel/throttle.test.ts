import assert from "node:assert/strict";
import { Throttle } from "../../../src/core/kernel/throttle.ts";

describe("Throttle", () => {
  it("allows one action for each key in each interval", () => {
    let now = 0;
    const cooldown = new Throttle(60_000, () => now);
    assert.equal(cooldown.tryAcquire("a"), true);
    now = 59_999;
    assert.equal(cooldown.tryAcquire("a"), false);
    assert.equal(cooldown.tryAcquire("b"), true);
    now = 60_000;
    assert.equal(cooldown.tryAcquire("a"), true);
  });
});
