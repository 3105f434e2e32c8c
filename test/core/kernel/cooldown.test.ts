import assert from "node:assert/strict";
import { Cooldown } from "../../../src/core/kernel/cooldown.ts";

describe("a cooldown", () => {
  it("lets something about each key happen once in its time", () => {
    let now = 0;
    const cooldown = new Cooldown(60_000, () => now);
    assert.equal(cooldown.begin("a"), true);
    now = 59_999;
    assert.equal(cooldown.begin("a"), false);
    assert.equal(cooldown.begin("b"), true);
    now = 60_000;
    assert.equal(cooldown.begin("a"), true);
  });
});
