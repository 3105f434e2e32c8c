import assert from "node:assert/strict";
import { argumentsText } from "../../../../src/core/responses/tools/argumentsText.ts";

describe("The displayed arguments of a call", () => {
  it("are indented like ordinary JSON", () => {
    const values = [
      {},
      [],
      { a: [], b: {} },
      { a: [1, { b: 'x"\\{[,:' }], c: null, d: -1.5e3 },
      "text",
      7,
      true,
    ];
    for (const value of values) {
      const whole = JSON.stringify(value, undefined, 2);
      for (const json of [JSON.stringify(value), whole])
        assert.deepEqual(argumentsText(json, 1_000), { text: whole, isCut: false });
    }
  });

  it("stay as the model wrote them, including long numbers, escapes and duplicate properties", () => {
    const { text } = argumentsText('{"a":12345678901234567890,"a":"\\u0041"}', 1_000);
    assert.equal(text, '{\n  "a": 12345678901234567890,\n  "a": "\\u0041"\n}');
  });

  it("are left unchanged if they aren't JSON", () => {
    assert.deepEqual(argumentsText('{"a": ', 1_000), { text: '{"a": ', isCut: false });
    assert.deepEqual(argumentsText("", 1_000), { text: "", isCut: false });
  });

  it("are truncated if they are long, however they are nested", () => {
    const long = JSON.stringify({ text: "x".repeat(1_000_000) });
    const nested = `${"[".repeat(3_000)}${"]".repeat(3_000)}`;
    for (const json of [long, nested, "not JSON ".repeat(1_000)]) {
      const { text, isCut } = argumentsText(json, 5_000);
      assert.equal(text.length, 5_000);
      assert.ok(isCut);
    }
    assert.ok(argumentsText(nested, Infinity).text.length < 300_000);
  });
});
