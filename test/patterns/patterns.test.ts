import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { checkPattern, CheckedPatterns } from "./checkPattern.ts";
import { exceptions } from "./exceptions.ts";
import { findPatterns, patternsOf } from "./findPatterns.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));

describe("Regular expressions", () => {
  let found: ReturnType<typeof findPatterns> = [];

  // Reading all sources takes seconds.
  before(() => (found = findPatterns(root, "src")));

  it("all run in linear time", async function () {
    this.timeout(900_000);
    const checked = new CheckedPatterns(`${root}out/checkedPatterns`);
    assert.ok(found.length > 400, `only ${found.length} patterns were found`);
    const problems: string[] = [];
    for (const { file, line, source, flags } of found) {
      if (exceptions.some((known) => known.file === file && (known.source ?? source) === source)) continue;
      const problem = await checked.check(source, flags);
      if (problem !== "") problems.push(`${file}:${line} /${source}/${flags}\n  ${problem}`);
    }
    checked.save();
    assert.equal(problems.join("\n"), "");
  });

  it("have at most 200 characters", () => {
    const long = found.filter(({ source }) => source.length > 200);
    assert.deepEqual(
      long.map(({ file, line }) => `${file}:${line}`),
      [],
    );
  });

  it("are found in literals and in constant text passed to RegExp", () => {
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
    it(`like /${source}/ are rejected`, async () => assert.notEqual(await checkPattern(source, flags), ""));

  it("that are linear are accepted", async () => {
    for (const source of ["^\\s+", "(?<!\\s)\\s+$", "[^\\n]+", "\\b(?:a|b)c"])
      assert.equal(await checkPattern(source, ""), "");
  });
});
