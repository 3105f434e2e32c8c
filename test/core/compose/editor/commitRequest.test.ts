import assert from "node:assert/strict";
import { commitMessageOf } from "../../../../src/core/compose/editor/commitRequest.ts";

describe("The commit message from a response", () => {
  it("is the content of the only code block", () => {
    assert.equal(
      commitMessageOf("Here it is:\n\n```text\nAdd x\n\nBecause.\n```\nDone."),
      "Add x\n\nBecause.",
    );
    assert.equal(commitMessageOf("~~~\nAdd x\n~~~"), "Add x");
  });

  it("is the whole response if there is no block or more than one", () => {
    assert.equal(commitMessageOf(" Add x\n"), "Add x");
    assert.match(commitMessageOf("```\na\n```\n```\nb\n```") ?? "", /^```/);
  });

  it("is undefined if the response is empty or far too long", () => {
    assert.equal(commitMessageOf("```\n```"), undefined);
    assert.equal(commitMessageOf(" "), undefined);
    assert.equal(commitMessageOf("x".repeat(20_000)), undefined);
  });
});
