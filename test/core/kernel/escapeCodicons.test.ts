import assert from "node:assert/strict";
import { escapeCodicons } from "../../../src/core/kernel/foreignText.ts";

describe("A server's text in a list of VS Code", () => {
  it("makes no icon", () => {
    assert.equal(escapeCodicons("a $(verified) b $(sync~spin)"), String.raw`a \$(verified) b \$(sync~spin)`);
  });

  it("stays as it is where it would make none", () => {
    assert.equal(escapeCodicons("$5 $(a b) $() (x)"), "$5 $(a b) $() (x)");
  });
});
