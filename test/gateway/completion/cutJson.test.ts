import assert from "node:assert/strict";
import { parseCutJson } from "../../../src/gateway/completion/cutJson.ts";
import { assertLinearWork } from "../../support/countedWork.ts";

describe("JSON text whose end is missing", () => {
  it("is read up to where it was cut", () => {
    assert.deepEqual(parseCutJson('{"a":[1,{"b":"c\\"d'), { a: [1, { b: 'c"d' }] });
    assert.deepEqual(parseCutJson('{"a":"\\u00e4\\u00'), { a: "\u00e4" });
    assert.deepEqual(parseCutJson('["a","\\n","b","c\\'), ["a", "\n", "b", "c"]);
  });

  for (const [name, piece] of [
    ["strings", '"text",'],
    ["escapes", '"\\n",'],
    ["objects", '{"a":'],
  ] as const)
    it(`is read in linear time if it has many ${name}`, () =>
      assertLinearWork(
        1_000,
        (size) => `[${piece.repeat(size)}"\\n`,
        (text) => void parseCutJson(text),
      ));
});
