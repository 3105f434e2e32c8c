import assert from "node:assert/strict";
import { escapeCodicons } from "../../../src/core/kernel/foreignText.ts";

describe("A server's text in a VS Code list", () => {
  it("adds no icon", () => {
    assert.equal(escapeCodicons("a $(verified) b $(sync~spin)"), String.raw`a \$(verified) b \$(sync~spin)`);
  });

  it("stays unchanged if it contains no icon", () => {
    assert.equal(escapeCodicons("$5 $(a b) $() (x)"), "$5 $(a b) $() (x)");
  });
});
