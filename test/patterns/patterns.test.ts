import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { checkPattern, CheckedPatterns } from "./checkPattern.ts";
import { exceptions } from "./exceptions.ts";
import { findPatterns, patternsOf } from "./findPatterns.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("regular expressions", () => {
  it("all take time in proportion to the text that they are run on", function () {
    this.timeout(900_000);
    const checked = new CheckedPatterns(`${root}out/checkedPatterns`);
    const found = findPatterns(root, "src");
    assert.ok(found.length > 400, `only ${found.length} patterns were found`);
    const problems = found
      .filter(
        ({ file, source }) =>
          !exceptions.some((known) => known.file === file && (known.source ?? source) === source),
      )
      .map(({ file, line, source, flags }) => ({
        file,
        line,
        source,
        flags,
        problem: checked.check(source, flags),
      }))
      .filter(({ problem }) => problem !== "")
      .map(({ file, line, source, flags, problem }) => `${file}:${line} /${source}/${flags}\n  ${problem}`);
    checked.save();
    assert.equal(problems.join("\n"), "");
  });

  it("are found in literals and in constant text given to RegExp", () => {
    const text = [
      'const names = ["a+", "b"].join("|");',
      "const end = String.raw`\\d*$`;",
      "const one = /x+y/gi;",
      'const two = new RegExp(`(?:${names})${end}`, "u");',
      "const three = RegExp(unknown);",
    ].join("\n");
    assert.deepEqual(
      patternsOf("a.ts", text).map(({ line, source, flags }) => [line, source, flags]),
      [
        [3, "x+y", "gi"],
        [4, "(?:a+|b)\\d*$", "u"],
      ],
    );
  });

  for (const [source, flags] of [
    ["(a+)+$", ""],
    ["\\s+$", ""],
    ["[.!?]+(?=\\s)", "u"],
    ["^(`{3,})[^\\n]*\\n([^]*?)\\n\\1$", "gm"],
  ] as const)
    it(`of the kind /${source}/ are refused`, () => assert.notEqual(checkPattern(source, flags), ""));

  it("that are linear pass", () => {
    for (const source of ["^\\s+", "(?<!\\s)\\s+$", "[^\\n]+", "\\b(?:a|b)c"])
      assert.equal(checkPattern(source, ""), "");
  });
});
