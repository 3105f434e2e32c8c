import assert from "node:assert/strict";
import { StreamCounter } from "../../../../src/core/responses/exchange/exchange.ts";

describe("StreamCounter", () => {
  it("reports when the first bytes, the first delta and the first text arrived", () => {
    const counter = new StreamCounter(100);
    counter.addBytes(10, 100);
    counter.addBytes(10, 150);
    counter.addReasoning(3);
    counter.addBytes(10, 190);
    counter.addText(5);
    counter.addToolCall();
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

  it("loses nothing when the intervals get longer, however long the stream is", () => {
    const counter = new StreamCounter(0);
    for (let ms = 0; ms < 1_000_000; ms += 100) {
      counter.addBytes(2, ms);
      counter.addText(3);
    }
    const { intervals, intervalMs, bytes } = counter.tally();
    assert.ok(intervals.length <= 40);
    assert.ok(intervalMs * intervals.length >= 1_000_000 - 100);
    assert.equal(bytes, 20_000);
    const sum = (pick: (interval: (typeof intervals)[number]) => number): number =>
      intervals.reduce((total, interval) => total + pick(interval), 0);
    assert.equal(
      sum((interval) => interval.bytes),
      20_000,
    );
    assert.equal(
      sum((interval) => interval.deltas),
      10_000,
    );
    assert.equal(
      sum((interval) => interval.characters),
      30_000,
    );
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
