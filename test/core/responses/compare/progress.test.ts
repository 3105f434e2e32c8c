import assert from "node:assert/strict";
import { describeProgress } from "../../../../src/core/responses/compare/progress.ts";

describe("The timing of one of several responses", () => {
  it("shows the waiting time", () => {
    assert.equal(describeProgress({ status: "streaming", sinceMs: 1_240, length: 0 }), "Waiting for 1.2 s");
  });

  it("estimates the speed while text arrives, once there is enough of it", () => {
    const progress = { status: "streaming", firstMs: 500, length: 400 } as const;
    assert.equal(describeProgress({ ...progress, sinceMs: 550 }), "500 ms to first token");
    assert.equal(
      describeProgress({ ...progress, sinceMs: 2_500 }),
      "500 ms to first token · about 50 tokens/s",
    );
  });

  it("shows the measured values at the end, in the words of the line under a response", () => {
    const end = { sinceMs: 9_999, length: 9_999, timing: { firstDeltaMs: 500, totalMs: 2_500 } };
    assert.equal(
      describeProgress({ ...end, status: "complete", usage: { completionTokens: 13 } }),
      "2.5 s total · 500 ms to first token · 6 tokens/s",
    );
    assert.equal(
      describeProgress({ ...end, status: "stopped" }),
      "Stopped · 2.5 s total · 500 ms to first token",
    );
    assert.equal(describeProgress({ sinceMs: 5, length: 0, status: "failed" }), "Failed");
  });
});
