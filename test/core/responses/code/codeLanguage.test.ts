import assert from "node:assert/strict";
import {
  fileNameInComment,
  fileNameFromProse,
  parseFenceInfo,
  relativePath,
} from "../../../../src/core/responses/code/codeLanguage.ts";

describe("The file that a code block names", () => {
  const infos: Readonly<Record<string, readonly [string, string?]>> = {
    ts: ["ts"],
    "ts src/a.ts": ["ts", "src/a.ts"],
    "ts:src/a.ts": ["ts", "src/a.ts"],
    'ts title="src/a b.ts"': ["ts"],
    'ts title="src/a.ts" {1,3}': ["ts", "src/a.ts"],
    "js {file=a.js}": ["js", "a.js"],
    "python filename: app/main.py": ["python", "app/main.py"],
    "src/a.tsx": ["tsx", "src/a.tsx"],
    Dockerfile: ["", "Dockerfile"],
    "c++": ["c++"],
    "": [""],
    "js 1.2": ["js"],
    "sh https://example.org/a.sh": ["sh"],
  };
  for (const [info, [language, fileName]] of Object.entries(infos)) {
    it(`is ${fileName ?? "none"} after \`\`\`${info}`, () => {
      assert.deepEqual(parseFenceInfo(info), fileName === undefined ? { language } : { language, fileName });
    });
  }

  it("is read from a comment that contains nothing else", () => {
    assert.equal(fileNameInComment("// src/a.ts"), "src/a.ts");
    assert.equal(fileNameInComment("# File: app/main.py"), "app/main.py");
    assert.equal(fileNameInComment("<!-- index.html -->"), "index.html");
    assert.equal(fileNameInComment("/* a.css */"), "a.css");
    assert.equal(fileNameInComment("// see src/a.ts for more"), undefined);
    assert.equal(fileNameInComment("// Node.js"), undefined);
    assert.equal(fileNameInComment("#!/bin/sh"), undefined);
  });

  it("is read from a sentence that introduces the block", () => {
    assert.equal(fileNameFromProse("Change it.\nThen update `src/a.ts`:"), "src/a.ts");
    assert.equal(fileNameFromProse("src/a.ts"), "src/a.ts");
    assert.equal(fileNameFromProse("File: a.ts"), "a.ts");
    assert.equal(fileNameFromProse("It is like a.ts but not b.ts:"), undefined);
    assert.equal(fileNameFromProse("This is what main.py does."), undefined);
  });

  it("is never outside the workspace", () => {
    assert.equal(relativePath("./src/a.ts"), "src/a.ts");
    assert.equal(relativePath("src\\a.ts"), "src/a.ts");
    for (const name of [
      "/etc/passwd",
      "../a.ts",
      "a/../../b.ts",
      "~/.bashrc",
      "C:\\a.ts",
      "\\\\host\\a.ts",
      ".",
    ])
      assert.equal(relativePath(name), undefined, name);
  });
});
