import assert from "node:assert/strict";
import { parseCutJson } from "../../../src/gateway/completion/jsonNodes.ts";

describe("Truncated JSON", () => {
  const value = {
    id: 'x"y\\z',
    list: [1, -2.5e3, true, null, "é😀\u2028", [], {}],
    choices: [{ index: 0, message: { content: 'one\n\\u0041 "two"', empty: "" } }],
    last: "end",
  };

  it("can be parsed wherever it is cut, and contains nothing that the whole doesn't contain", () => {
    for (const text of [JSON.stringify(value), JSON.stringify(value, undefined, 2)]) {
      for (let end = 1; end <= text.length; end++) {
        const cut = parseCutJson(text.slice(0, end));
        assert.notEqual(cut, undefined, text.slice(0, end));
        assertPart(cut, value);
      }
      assert.deepEqual(parseCutJson(text), value);
    }
  });

  it("keeps the received part of a string", () => {
    assert.deepEqual(parseCutJson('{"a":"on\\u00e9 tw\\u00'), { a: "oné tw" });
    assert.deepEqual(parseCutJson('{"a":"x\\\\\\'), { a: "x\\" });
    assert.deepEqual(parseCutJson('{"a":1,"b":tru'), { a: 1 });
    assert.deepEqual(parseCutJson("[12,3"), [12]);
  });

  it("is not parsed if it isn't JSON", () => {
    for (const text of ["", "]", "{]", "hello", "}{"]) assert.equal(parseCutJson(text), undefined, text);
  });
});

/** Every property of the part is in the whole. Strings may be shorter. */
function assertPart(part: unknown, whole: unknown): void {
  if (typeof part === "string") assert.ok(typeof whole === "string" && whole.startsWith(part));
  else if (Array.isArray(part)) {
    assert.ok(Array.isArray(whole));
    for (const [index, item] of part.entries()) assertPart(item, whole[index]);
  } else if (typeof part === "object" && part !== null) {
    for (const [name, member] of Object.entries(part))
      assertPart(member, Object.getOwnPropertyDescriptor(whole, name)?.value);
  } else assert.equal(part, whole);
}
