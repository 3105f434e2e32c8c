import assert from "node:assert/strict";
import { parseExactJson } from "../../../src/gateway/servers/exactJson.ts";

describe("JSON with long integers", () => {
  for (const [text, expected] of [
    [
      "[12345678901234567890, -9007199254740993, 9007199254740991]",
      ["12345678901234567890", "-9007199254740993", 9007199254740991],
    ],
    ['{"id" :\n 9223372036854775807}', { id: "9223372036854775807" }],
    ["12345678901234567890", 12345678901234567000],
    [
      "[1.2345678901234567890, 1e30, 12345678901234567890e2]",
      [1.2345678901234568, 1e30, 1.2345678901234568e21],
    ],
    [
      '{"text": "id: 12345678901234567890, [12345678901234567890]"}',
      { text: "id: 12345678901234567890, [12345678901234567890]" },
    ],
    ['\ufeff{"a": [12345678901234567890]}', { a: ["12345678901234567890"] }],
  ] as const) {
    it(`keeps every digit, and changes nothing else: ${text}`, () => {
      assert.deepEqual(parseExactJson(text), expected);
    });
  }

  it("is refused like any other text that isn't JSON", () => {
    for (const text of ["", "[", "<html>", '{"a": 12345678901234567890,}'])
      assert.throws(() => parseExactJson(text), SyntaxError);
  });
});
