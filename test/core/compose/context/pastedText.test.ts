import assert from "node:assert/strict";
import { isLongText, pastedPart, pastedTextOf } from "../../../../src/core/compose/context/pastedText.ts";

describe("Pasted text", () => {
  it("counts as long above 20,000 characters or 400 lines", () => {
    assert.equal(isLongText("x".repeat(20_000)), false);
    assert.equal(isLongText("x".repeat(20_001)), true);
    assert.equal(isLongText("\n".repeat(399)), false);
    assert.equal(isLongText("\n".repeat(400)), true);
  });

  for (const text of ["a", "a\nb", "```\ncode\n```", "  spaces ", "Pasted text:\n\n```\nx\n```"])
    it(`is restored unchanged: ${JSON.stringify(text)}`, () =>
      assert.equal(pastedTextOf(pastedPart(text)), text));

  it("is distinguished from other attachments, and is not restored if it is too long for a text field", () => {
    assert.equal(pastedTextOf({ type: "text", text: "File `a`:\n\n```\na\n```" }), undefined);
    assert.equal(pastedTextOf(pastedPart("x".repeat(2_000_000))), undefined);
  });
});
