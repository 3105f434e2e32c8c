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
const preferences = { notifyAfterMs: 30_000, isMuted: (id: string) => id === "muted" };

describe("The marks of conversations that have something new", () => {
  it("are set only while the chat is hidden, and removed when it is seen", () => {
    const marks = new ReadyMarks();
    marks.add({ ...hidden, conversationId: "seen", isVisible: true }, preferences);
    marks.add({ ...hidden, state: "failed" }, preferences);
    assert.deepEqual([marks.of("seen"), marks.of("c1")], [undefined, "failed"]);
    assert.equal(marks.remove("c1"), true);
    assert.equal(marks.remove("c1"), false);
    assert.equal(marks.of("c1"), undefined);
  });

  it("for a waiting tool are removed when it no longer waits, but a newer mark stays", () => {
    const marks = new ReadyMarks();
    marks.add({ ...hidden, state: "waiting" }, preferences);
    marks.add({ ...hidden, state: "complete" }, preferences);
    assert.equal(marks.remove("c1", "waiting"), false);
    assert.equal(marks.of("c1"), "complete");
  });

  it("are counted by state without the muted conversations", () => {
    const marks = new ReadyMarks();
    marks.add(hidden, preferences);
    marks.add({ ...hidden, conversationId: "c2", state: "failed" }, preferences);
    marks.add({ ...hidden, conversationId: "muted", state: "waiting" }, preferences);
    assert.deepEqual(marks.counts(preferences.isMuted), { complete: 1, failed: 1, waiting: 0 });
  });

  it("come with a notification only in the background, after a long response that isn't muted", () => {
    const marks = new ReadyMarks();
    const away = { ...hidden, isWindowFocused: false };
    const notifies = (event: Partial<ReadyEvent>, change: Partial<typeof preferences> = {}) =>
      marks.add({ ...away, ...event }, { ...preferences, ...change });
    assert.equal(notifies({}), true);
    assert.equal(notifies({ isVisible: true }), true);
    assert.equal(notifies({ isWindowFocused: true }), false);
    assert.equal(notifies({ tookMs: 29_999 }), false);
    assert.equal(notifies({ conversationId: "muted" }), false);
    assert.equal(marks.add(away, { ...preferences, notifyAfterMs: undefined }), false);
  });
});
