import assert from "node:assert/strict";
import { ReadyMarks } from "../../../src/core/panel/readyMarks.ts";
import type { ReadyEvent } from "../../../src/core/panel/readyMarks.ts";

const hidden: ReadyEvent = {
  conversationId: "c1",
  state: "complete",
  isVisible: false,
  isWindowFocused: true,
  tookMs: 60_000,
};
const notifyAfterMs = 30_000;

describe("The marks of conversations that have something new", () => {
  it("are set only while the chat is hidden, and removed when it is seen", () => {
    const marks = new ReadyMarks();
    marks.add({ ...hidden, conversationId: "seen", isVisible: true }, notifyAfterMs);
    marks.add({ ...hidden, state: "failed" }, notifyAfterMs);
    assert.deepEqual([marks.of("seen"), marks.of("c1")], [undefined, "failed"]);
    assert.equal(marks.remove("c1"), true);
    assert.equal(marks.remove("c1"), false);
    assert.equal(marks.of("c1"), undefined);
  });

  it("for a waiting tool are removed when it no longer waits, but a newer mark stays", () => {
    const marks = new ReadyMarks();
    marks.add({ ...hidden, state: "waiting" }, notifyAfterMs);
    marks.add({ ...hidden, state: "complete" }, notifyAfterMs);
    assert.equal(marks.remove("c1", "waiting"), false);
    assert.equal(marks.of("c1"), "complete");
  });

  it("are counted by state", () => {
    const marks = new ReadyMarks();
    marks.add(hidden, notifyAfterMs);
    marks.add({ ...hidden, conversationId: "c2", state: "failed" }, notifyAfterMs);
    assert.deepEqual(marks.counts, { complete: 1, failed: 1, waiting: 0 });
  });

  it("come with a notification only in the background, after a long response", () => {
    const marks = new ReadyMarks();
    const away = { ...hidden, isWindowFocused: false };
    const notifies = (event: Partial<ReadyEvent>) => marks.add({ ...away, ...event }, notifyAfterMs);
    assert.equal(notifies({}), true);
    assert.equal(notifies({ isVisible: true }), true);
    assert.equal(notifies({ isWindowFocused: true }), false);
    assert.equal(notifies({ tookMs: 29_999 }), false);
    assert.equal(marks.add(away, undefined), false);
  });
});
