import assert from "node:assert/strict";
import { commitMessageOf } from "../../../../src/core/compose/commands/commitMessage.ts";

describe("The commit message in a response", () => {
  it("is what is in its only code block", () => {
    assert.equal(
      commitMessageOf("Here it is:\n\n```text\nAdd x\n\nBecause.\n```\nDone."),
      "Add x\n\nBecause.",
    );
    assert.equal(commitMessageOf("~~~\nAdd x\n~~~"), "Add x");
  });

  it("is all of it if there is no block, or several", () => {
    assert.equal(commitMessageOf(" Add x\n"), "Add x");
    assert.match(commitMessageOf("```\na\n```\n```\nb\n```") ?? "", /^```/);
  });

  it("is nothing if nothing is said, or far too much", () => {
    assert.equal(commitMessageOf("```\n```"), undefined);
    assert.equal(commitMessageOf(" "), undefined);
    assert.equal(commitMessageOf("x".repeat(20_000)), undefined);
  });
});
