import assert from "node:assert/strict";
import { parseConversationSettings } from "../../../src/core/conversation/conversation.ts";

describe("parseConversationSettings", () => {
  it("reads all values that JSON supports", () => {
    const settings = {
      systemPrompt: "Be brief.",
      parameters: { seed: 7, stop: ["a", "b"], response_format: { type: "json_object" }, user: null },
      tools: ["search"],
    };
    assert.deepEqual(parseConversationSettings(JSON.parse(JSON.stringify(settings))), settings);
  });

  it("drops values of the wrong type", () => {
    const value = { systemPrompt: 7, parameters: { f: () => 1, n: Number.NaN, ok: 1 }, tools: [1, "f"] };
    assert.deepEqual(parseConversationSettings(value), { parameters: { ok: 1 }, tools: ["f"] });
    for (const other of [null, "x", [], undefined]) assert.equal(parseConversationSettings(other), undefined);
  });

  it("handles endlessly nested values", () => {
    let nested: unknown = {};
    for (let depth = 0; depth < 10_000; depth++) nested = { nested };
    assert.ok(parseConversationSettings({ parameters: nested }) !== undefined);
  });
});
