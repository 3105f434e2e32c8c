import assert from "node:assert/strict";
import { changedPart } from "../../../../src/core/responses/code/applyCode.ts";

describe("changedPart", () => {
  const texts = [
    "",
    "a",
    "a\n",
    "a\nb\nc\n",
    "a\nx\nc\n",
    "a\r\nb\r\nc",
    "a\r\nc",
    "b\nb\nb\n",
    "b\nb\n",
    "c\nb",
    "\na\n",
    "\n\nb",
    "\r\na",
  ];
  for (const before of texts) {
    it(`turns ${JSON.stringify(before)} into any other text by replacing whole lines`, () => {
      for (const after of texts) {
        const part = changedPart(before, after);
        if (part === undefined) assert.equal(before, after);
        else {
          assert.equal(before.slice(0, part.start) + part.text + before.slice(part.end), after);
          assert.ok(part.start === 0 || before[part.start - 1] === "\n");
          assert.ok(part.end === before.length || before[part.end - 1] === "\n");
        }
      }
    });
  }

  it("returns only the line that differs", () => {
    assert.deepEqual(changedPart("a\nb\nc\n", "a\nx\nc\n"), { start: 2, end: 4, text: "x\n" });
  });
});
