import assert from "node:assert/strict";
import type { MessageDelta } from "../../../src/core/conversation/conversation.ts";
import {
  FrameCoalescer,
  frameMs,
  messageIntervalMs,
  DeferredMessages,
  FramePacing,
} from "../../../src/core/panel/frameCoalescer.ts";
import type { DeltaMessage, DeferredMessage } from "../../../src/core/panel/frameCoalescer.ts";
import { ManualSchedule } from "../../support/manualSchedule.ts";

function createCoalescer(posted = { text: 0, reasoning: 0 }) {
  const frames = new ManualSchedule();
  const messages: DeltaMessage[] = [];
  const coalescer = new FrameCoalescer(
    "m1",
    posted,
    (message) => messages.push(message),
    (run) => frames.schedule(run),
  );
  return { coalescer, frames, messages };
}

const text = (value: string): MessageDelta => ({ kind: "text", text: value });
const reasoning = (value: string): MessageDelta => ({ kind: "reasoning", text: value });

describe("FrameCoalescer", () => {
  it("posts the first delta immediately, without waiting for a frame", () => {
    const { coalescer, messages } = createCoalescer();
    coalescer.append(text("a"));
    assert.deepEqual(
      messages.map((message) => message.text),
      ["a"],
    );
  });

  it("posts everything that arrived within a frame as one message, in order", () => {
    const { coalescer, frames, messages } = createCoalescer();
    for (const value of ["a", "b", "c", "d"]) coalescer.append(text(value));
    frames.runAll();
    assert.deepEqual(
      messages.map((message) => [message.textOffset, message.text]),
      [
        [0, "a"],
        [1, "bcd"],
      ],
    );
  });

  it("counts offsets in UTF-16 units, separately for text and reasoning, starting from what the page has", () => {
    const { coalescer, frames, messages } = createCoalescer({ text: 10, reasoning: 5 });
    coalescer.append(reasoning("🙂"));
    coalescer.append(text("é🙂"));
    coalescer.append(reasoning("x"));
    frames.runAll();
    assert.deepEqual(messages, [
      { type: "delta", messageId: "m1", textOffset: 10, text: "", reasoningOffset: 5, reasoning: "🙂" },
      { type: "delta", messageId: "m1", textOffset: 10, text: "é🙂", reasoningOffset: 7, reasoning: "x" },
    ]);
  });

  it("posts pending text when it is flushed, and posts nothing twice", () => {
    const { coalescer, frames, messages } = createCoalescer();
    coalescer.append(text("a"));
    coalescer.append(text("b"));
    coalescer.flush();
    coalescer.flush();
    frames.runAll();
    assert.deepEqual(
      messages.map((message) => message.text),
      ["a", "b"],
    );
  });

  it("leaves no timer running after a flush, after an empty frame and after it is disposed", () => {
    const { coalescer, frames } = createCoalescer();
    coalescer.append(text("a"));
    coalescer.flush();
    assert.equal(frames.pending, 0);
    coalescer.append(text("b"));
    frames.runAll();
    assert.equal(frames.pending, 0);
    coalescer.append(text("c"));
    coalescer.dispose();
    assert.equal(frames.pending, 0);
  });

  it("posts immediately again after a pause", () => {
    const { coalescer, frames, messages } = createCoalescer();
    coalescer.append(text("a"));
    frames.runAll();
    coalescer.append(text("b"));
    assert.equal(messages.length, 2);
  });

  it("gets fewer frames while its window has no focus or its end is far below, and few while its page is hidden", () => {
    const [focused, unfocused] = [true, false].map((isFocused) =>
      messageIntervalMs({ isVisible: true, isFocused, isFarAbove: false }),
    );
    const far = messageIntervalMs({ isVisible: true, isFocused: true, isFarAbove: true });
    const hidden = messageIntervalMs({ isVisible: false, isFocused: true, isFarAbove: false });
    assert.equal(focused, frameMs);
    assert.ok(Number(unfocused) >= 3 * frameMs && Number(unfocused) <= 100);
    assert.ok(far >= 6 * frameMs && far <= 150);
    assert.ok(hidden >= 1_000);
  });
});

describe("The pace of the messages to a page", () => {
  it("stays in step with the frames over a pause", () => {
    const periodMs = 1_000 / 60;
    let now = 1_000;
    const pacing = new FramePacing(() => now);
    /** Sends a message; returns how long it waits for its frame. */
    const send = (): number => {
      now += pacing.delayMs(frameMs);
      return periodMs - (now % periodMs);
    };
    for (let report = 0; report < 8; report++) pacing.adjust({ waitMs: send(), periodMs });
    for (const pause of [0, 1, 5, 9, 13, 1_234.5]) {
      now += pause;
      const wait = send();
      assert.ok(wait > 3 && wait < 5, `A message waited ${wait} ms.`);
    }
  });

  it("is about that of the schedule, whatever the page reports and however the clock jumps", () => {
    let now = 0;
    const pacing = new FramePacing(() => now);
    const year = 365 * 24 * 3_600_000;
    for (now of [1_000, year, 1_000, 100 * year])
      for (const periodMs of [1, 4, 10.7, 11, 16.7, 33, 42])
        for (const ms of [frameMs, 50, 1_000])
          for (const part of [0, 0.2, 0.6, 1]) {
            pacing.adjust({ waitMs: part * periodMs, periodMs });
            const delay = pacing.delayMs(ms);
            assert.ok(
              delay >= ms / 3 && delay <= ms + 1.5 * periodMs,
              `${delay} ms instead of ${ms} ms, with a frame every ${periodMs} ms at ${now} ms`,
            );
          }
  });
});

function showMessage(messageId: string): DeferredMessage {
  return { type: "showMessage", messageId, words: [] };
}

function compose(text: string): DeferredMessage {
  return { type: "compose", text, parts: [] };
}

function deferred(...messages: readonly DeferredMessage[]): DeferredMessages {
  const waiting = new DeferredMessages();
  for (const message of messages) waiting.defer(message);
  return waiting;
}

describe("DeferredMessages", () => {
  it("are sent once, with the focus first and the text to compose last", () => {
    const waiting = deferred(
      compose("a"),
      { type: "editSettings", field: "systemPrompt" },
      showMessage("m1"),
      { type: "focus" },
    );
    const types = waiting.take().map(({ type }) => type);
    assert.deepEqual(types, ["focus", "showMessage", "editSettings", "compose"]);
    assert.deepEqual(waiting.take(), []);
  });

  it("are reduced to the last of each kind", () => {
    const waiting = deferred(showMessage("m1"), { type: "focus" }, showMessage("m2"), { type: "focus" });
    assert.deepEqual(waiting.take(), [{ type: "focus" }, showMessage("m2")]);
  });

  it("keep everything that is to be composed, in order", () => {
    assert.deepEqual(deferred(compose("a"), compose("b")).take(), [compose("a"), compose("b")]);
  });
});
