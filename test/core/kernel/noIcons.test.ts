import assert from "node:assert/strict";
import { noIcons } from "../../../src/core/kernel/noIcons.ts";

describe("A server's text in a list of VS Code", () => {
  it("makes no icon", () => {
    assert.equal(noIcons("a $(verified) b $(sync~spin)"), String.raw`a \$(verified) b \$(sync~spin)`);
  });

  it("stays as it is where it would make none", () => {
    assert.equal(noIcons("$5 $(a b) $() (x)"), "$5 $(a b) $() (x)");
  });
});
