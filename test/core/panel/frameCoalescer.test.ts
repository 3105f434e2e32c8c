import assert from "node:assert/strict";
import type { MessageDelta } from "../../../src/core/conversation/conversation.ts";
import { FrameCoalescer, DeferredMessages } from "../../../src/core/panel/frameCoalescer.ts";
import type { DeltaMessage, DeferredMessage } from "../../../src/core/panel/frameCoalescer.ts";
import { ManualSchedule } from "../../support/manualSchedule.ts";

function createCoalescer(posted = { text: 0, reasoning: 0 }) {
  const frames = new ManualSchedule();
  const messages: DeltaMessage[] = [];
  const pauses: number[] = [];
  const coalescer = new FrameCoalescer(
    "m1",
    posted,
    (message) => messages.push(message),
    (run, ms) => {
      pauses.push(ms);
      return frames.schedule(run);
    },
  );
  return { coalescer, frames, messages, pauses };
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

  it("begins frames at the rate of a display with 60 Hz", () => {
    const { coalescer, frames, pauses } = createCoalescer();
    for (let index = 0; index < 20; index++) {
      coalescer.append(text("a"));
      frames.runAll();
    }
    assert.ok(pauses.length >= 20);
    for (const ms of pauses) assert.ok(ms >= 1_000 / 63 && ms <= 1_000 / 59, `${ms} ms`);
  });

  it("posts immediately again after a pause", () => {
    const { coalescer, frames, messages } = createCoalescer();
    coalescer.append(text("a"));
    frames.runAll();
    coalescer.append(text("b"));
    assert.equal(messages.length, 2);
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
