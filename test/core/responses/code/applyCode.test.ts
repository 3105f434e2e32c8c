import assert from "node:assert/strict";
import { applyCode, fillGaps } from "../../../../src/core/responses/code/applyCode.ts";
import { assertLinearWork } from "../../../support/countedWork.ts";

const file = `import { a } from "./a.ts";

export function one(): number {
  const value = a();
  return value;
}

export function two(): number {
  return 2;
}

export function three(): number {
  return 3;
}
`;

describe("applyCode", () => {
  it("treats a block that contains most of the file as the whole file", () => {
    const code = file.replace("return 2;", "return 22;").replace('"./a.ts"', '"./b.ts"');
    assert.deepEqual(applyCode(file, code), { way: "wholeFile", text: code });
  });

  it("applies a patch as the change that it means, or nowhere", () => {
    const change = "@@ -9 +9 @@\n-  return 2;\n+  return 22;";
    const patch = `--- a/a.ts\n+++ b/a.ts\n${change}`;
    const applied = { way: "matchingPart", text: file.replace("return 2;", "return 22;") };
    for (const code of [patch, change, change.slice(12)]) assert.deepEqual(applyCode(file, code), applied);
    assert.deepEqual(applyCode(file, "@@ @@\n-  return 4;\n+  return 5;"), { way: "nowhere", text: file });
    assert.equal(applyCode("", "--- /dev/null\n+++ b/a.ts\n@@ -0,0 +1 @@\n+a\n").text, "a\n");
  });

  it("refuses a patch that changes more places than anyone reviews, instead of looking for each of them", () => {
    const lines = Array.from({ length: 5_000 }, (_, index) => `const v${index} = ${index};`);
    const patchOf = (count: number): string =>
      lines
        .slice(0, count)
        .map((line) => `@@ @@\n-${line}\n+${line} // new\n`)
        .join("");
    assert.equal(applyCode(lines.join("\n"), patchOf(200)).way, "matchingPart");
    assert.equal(applyCode(lines.join("\n"), patchOf(201)).way, "nowhere");
  });

  it("uses the whole block for a new file", () => {
    assert.deepEqual(applyCode("", "const a = 1;\n"), { way: "wholeFile", text: "const a = 1;\n" });
  });

  it("replaces the function that a block starts with, and nothing else", () => {
    const code = "export function two(): number {\n  const twice = 4;\n  return twice / 2;\n}\n";
    const applied = applyCode(file, code);
    assert.equal(applied.way, "matchingPart");
    assert.equal(applied.text, file.replace("export function two(): number {\n  return 2;\n}\n", code));
  });

  it("replaces everything between the first and the last line that match the file", () => {
    const code = "  const value = a();\n  log(value);\n  return value;\n";
    assert.equal(
      applyCode(file, code).text,
      file.replace("  return value;\n", "  log(value);\n  return value;\n"),
    );
  });

  it("replaces a Python function by its indentation", () => {
    const python =
      "class A:\n    def first(self):\n        return 1\n\n    def second(self):\n        return 2\n";
    const code = "    def first(self):\n        total = 1\n        return total\n";
    assert.equal(
      applyCode(python, code).text,
      "class A:\n    def first(self):\n        total = 1\n        return total\n\n    def second(self):\n        return 2\n",
    );
  });

  it("has the lines of the original in its gaps if only a part of a selection is repeated", () => {
    const original =
      "function total(items) {\n  let sum = 0;\n  for (const item of items) sum += item;\n  return sum;\n}";
    const code =
      "function total(items) {\n  if (!items) return 0;\n  let sum = 0;\n  // ... existing code ...\n}";
    assert.equal(
      fillGaps(original, code),
      original.replace("  let sum", "  if (!items) return 0;\n  let sum"),
    );
    assert.equal(fillGaps(original, "function other() {}"), "function other() {}");
    const stub = "class A:\n    def total(self) -> int:\n        ...";
    assert.equal(fillGaps("class A:\n    def total(self) -> int:\n        return 1", stub), stub);
    const known = "// ... and so on\nrun();";
    assert.equal(fillGaps("// ... and so on\nstart();", known), known);
    assert.equal(
      fillGaps("start();", "// ... existing code ...\nunknown();"),
      "// ... existing code ...\nunknown();",
    );
  });

  it("keeps the code that a marked gap represents", () => {
    const code = `import { a } from "./c.ts";\n// ... existing code ...\nexport function three(): number {\n  return 33;\n}\n`;
    const withFirst = code.replace(
      'import { a } from "./c.ts";\n',
      'import { a } from "./a.ts";\nimport { b } from "./b.ts";\n',
    );
    const applied = applyCode(file, withFirst);
    assert.equal(applied.way, "matchingPart");
    assert.equal(
      applied.text,
      file
        .replace('"./a.ts";\n', '"./a.ts";\nimport { b } from "./b.ts";\n')
        .replace("return 3;", "return 33;"),
    );
  });

  it("keeps the code that an unmarked gap represents", () => {
    const body = Array.from({ length: 30 }, (_, index) => `  step${index}();`).join("\n");
    const long = `import { a } from "./a.ts";\n\nexport function one() {\n${body}\n}\n\nexport function last() {\n  return 1;\n}\n`;
    const code =
      'import { a } from "./a.ts";\nimport { b } from "./b.ts";\n\nexport function last() {\n  return 2;\n}\n';
    assert.equal(
      applyCode(long, code).text,
      long.replace('"./a.ts";\n', '"./a.ts";\nimport { b } from "./b.ts";\n').replace("return 1", "return 2"),
    );
  });

  it("appends code that matches nothing, and loses nothing", () => {
    const applied = applyCode(file, "const other = 5;\n");
    assert.deepEqual(applied, { way: "end", text: `${file}\nconst other = 5;\n` });
  });

  it("appends code if it is unclear where a gap belongs", () => {
    const applied = applyCode(file, "function unknown() {\n  // ... existing code ...\n}\n");
    assert.equal(applied.way, "end");
    assert.ok(applied.text.startsWith(file));
  });

  it("removes a first line that only names the file", () => {
    assert.equal(applyCode("", "// src/a.ts\n\nconst a = 1;\n").text, "const a = 1;\n");
  });

  it("keeps a first line that names the file if the file also has it", () => {
    assert.equal(
      applyCode("// src/a.ts\n", "// src/a.ts\nconst a = 1;\n").text,
      "// src/a.ts\nconst a = 1;\n",
    );
  });

  it("keeps the file's line endings and its missing final line break", () => {
    const lines = ["abc = 1", "bcd = 2", "cde = 3"];
    const whole = `${["abc = 1", "bcd = 4", "cde = 3"].join("\n")}\n`;
    assert.equal(applyCode(`${lines.join("\r\n")}\r\n`, whole).text, whole.replaceAll("\n", "\r\n"));
    assert.equal(applyCode(lines.join("\n"), whole).text, whole.trimEnd());
  });

  for (const [name, step] of [
    ["long files", 1],
    ["blocks with many unmarked gaps", 10],
  ] as const)
    it(`takes linear time for ${name}`, () =>
      assertLinearWork(
        200,
        (size) => Array.from({ length: size * step }, (_, index) => `line ${index}`),
        (lines) => {
          const block = lines.filter((_, index) => index % step === 0).join("\n");
          assert.equal(applyCode(lines.join("\n"), block).way, step === 1 ? "wholeFile" : "matchingPart");
        },
      ));
});
