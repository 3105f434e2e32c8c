import assert from "node:assert/strict";
import { SingleRuns } from "../../../src/core/kernel/singleRuns.ts";

describe("Single runs", () => {
  it("aren't started again while they are in progress, but afterward, even if they failed", async () => {
    const runs = new SingleRuns();
    const started: string[] = [];
    let finish: () => void = () => undefined;
    const first = runs.run("a", () => {
      started.push("a");
      return new Promise((resolve) => (finish = resolve));
    });
    const start = (id: string) => runs.run(id, async () => void started.push(id));
    await start("a");
    await start("b");
    assert.deepEqual(started, ["a", "b"]);
    finish();
    await first;
    await start("a");
    await assert.rejects(
      runs.run("a", () => Promise.reject(new Error("failed"))),
      /failed/,
    );
    await start("a");
    assert.deepEqual(started, ["a", "b", "a", "a"]);
  });
});
