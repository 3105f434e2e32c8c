import assert from "node:assert/strict";
import { wireNames } from "../../../../src/core/responses/tools/toolChoices.ts";

describe("The names of tools on the wire", () => {
  it("are VS Code's own if the service accepts them", () => {
    assert.deepEqual([...wireNames(["run_in_terminal", "mcp_git-log"])].toSorted(), [
      ["mcp_git-log", "mcp_git-log"],
      ["run_in_terminal", "run_in_terminal"],
    ]);
  });

  it("contain only allowed characters, and at most 64 of them", () => {
    const long = `vendor.tool/${"x".repeat(100)}`;
    for (const name of wireNames([long, "", "道具", "a b"]).keys())
      assert.match(name, /^[a-zA-Z0-9_-]{1,64}$/);
  });

  it("are unique and map back to their tools, whatever the order", () => {
    const names = ["a.b", "a/b", "a_b", `${"x".repeat(64)}1`, `${"x".repeat(64)}2`];
    const byWireName = wireNames(names);
    assert.deepEqual([...byWireName.values()].toSorted(), names.toSorted());
    assert.equal(byWireName.get("a_b"), "a_b");
    assert.deepEqual(wireNames(names.toReversed()), byWireName);
  });
});
