import assert from "node:assert/strict";
import { parseSettings } from "../../../src/core/conversation/parameters.ts";

describe("Untrusted settings", () => {
  it("are stripped of parameters that no request may contain and of values that aren't JSON", () => {
    assert.deepEqual(parseSettings({ parameters: { model: "x", messages: [], stream: false, seed: 1 } }), {
      parameters: { seed: 1 },
    });
    assert.deepEqual(parseSettings({ parameters: { seed: Number.NaN } }), {});
    assert.deepEqual(parseSettings({ systemPrompt: 3, tools: ["a", 4] }), { tools: ["a"] });
    for (const value of [undefined, null, "x", []]) assert.deepEqual(parseSettings(value), {});
  });

  it("are cut off at excessive nesting", () => {
    let deep: unknown = 1;
    for (let depth = 0; depth < 5000; depth++) deep = { deep };
    assert.ok(JSON.stringify(parseSettings({ parameters: { deep } })).length < 1000);
  });
});
