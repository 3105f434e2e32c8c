import assert from "node:assert/strict";
import { StreamCounter } from "../../../../src/core/responses/exchange/exchange.ts";

describe("StreamCounter", () => {
  it("reports when the first bytes, the first delta and the first text arrived", () => {
    const counter = new StreamCounter(100);
    counter.addBytes(10, 100);
    counter.addBytes(10, 150);
    counter.addDelta("reasoning");
    counter.addBytes(10, 190);
    counter.addDelta("text");
    counter.addDelta("toolCall");
    const tally = counter.tally();
    assert.equal(tally.firstByteMs, 100);
    assert.equal(tally.firstDeltaMs, 150);
    assert.equal(tally.firstTextMs, 190);
    assert.equal(tally.lastByteMs, 190);
    assert.deepEqual(
      [tally.bytes, tally.chunks, tally.textDeltas, tally.reasoningDeltas, tally.toolCallDeltas],
      [30, 3, 1, 1, 1],
    );
  });

  it("lists every gap of more than a second", () => {
    const counter = new StreamCounter(0);
    for (const ms of [0, 1_000, 2_001, 2_002, 7_002]) counter.addBytes(1, ms);
    assert.deepEqual(counter.tally().gaps, [
      { atMs: 1_000, lastedMs: 1_001 },
      { atMs: 2_002, lastedMs: 5_000 },
    ]);
  });

  it("keeps the longest gaps if there are many", () => {
    const counter = new StreamCounter(0);
    let now = 0;
    counter.addBytes(1, now);
    for (let index = 0; index < 200; index++) {
      now += 2_000 + index;
      counter.addBytes(1, now);
    }
    const { gaps } = counter.tally();
    assert.equal(gaps.length, 50);
    assert.equal(Math.min(...gaps.map(({ lastedMs }) => lastedMs)), 2_150);
    assert.deepEqual(
      gaps,
      gaps.toSorted((a, b) => a.atMs - b.atMs),
    );
  });
});
