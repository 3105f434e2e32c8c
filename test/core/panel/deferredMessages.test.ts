import assert from "node:assert/strict";
import { DeferredMessages } from "../../../src/core/panel/frameCoalescer.ts";
import type { DeferredMessage } from "../../../src/core/panel/frameCoalescer.ts";

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
