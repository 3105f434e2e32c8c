import assert from "node:assert/strict";
import { formatTree, formatProblems, maxProblems } from "../../../../src/core/compose/context/contextPart.ts";
import type { Problem } from "../../../../src/core/compose/context/contextPart.ts";

describe("A folder listing", () => {
  it("lists folders first and marks those that were not opened", () => {
    const text = formatTree([
      { name: "b.ts", isFolder: false },
      { name: "src", isFolder: true, children: [{ name: "a.ts", isFolder: false }] },
      { name: "empty", isFolder: true, children: [] },
      { name: "deep", isFolder: true },
    ]);
    assert.equal(text, "deep/ …\nempty/\nsrc/\n  a.ts\nb.ts");
  });
});

describe("A list of problems", () => {
  const problem = (parts: Partial<Problem>): Problem => ({
    path: "a.ts",
    line: 1,
    column: 1,
    severity: "error",
    message: "Broken.",
    ...parts,
  });

  it("is formatted like compiler output, the most severe first", () => {
    const text = formatProblems([
      problem({ severity: "warning", message: "Two\nlines", source: "ts", code: "6133" }),
      problem({ path: "b.ts", line: 9, column: 4 }),
      problem({ line: 5 }),
    ]);
    assert.equal(
      text,
      "a.ts:5:1 error: Broken.\nb.ts:9:4 error: Broken.\na.ts:1:1 warning: Two\n    lines (ts 6133)",
    );
  });

  it("shows how many problems it leaves out", () => {
    const text = formatProblems(Array.from({ length: maxProblems + 3 }, () => problem({})));
    assert.equal(text.split("\n").length, maxProblems + 1);
    assert.ok(text.endsWith("… and 3 more"));
  });
});
