import assert from "node:assert/strict";
import { indentCode } from "../../../../src/core/responses/code/applyCode.ts";
import { languageId } from "../../../../src/core/responses/code/codeLanguage.ts";
import { readShellCommand } from "../../../../src/core/responses/code/shellCommand.ts";

describe("readShellCommand", () => {
  it("returns the lines of a shell block unchanged", () => {
    assert.deepEqual(readShellCommand("npm ci\nnpm test\n", "bash"), {
      state: "ready",
      text: "npm ci\nnpm test",
      lines: 2,
    });
  });

  it("extracts the commands from a session with prompts and output", () => {
    const session = "$ ls \\\n  -l\ntotal 0\n$ pwd\n/home\n";
    const command = readShellCommand(session, "console");
    assert.equal(command.state === "ready" && command.text, "ls \\\n  -l\npwd");
  });

  it("rejects code that isn't for a shell", () => {
    assert.equal(readShellCommand("print(1)", "python").state, "noShell");
    assert.equal(readShellCommand("ls", "").state, "noShell");
  });

  it("rejects text with invisible characters", () => {
    for (const text of [
      "ls\u001b[201~\nid",
      "ls \u202Egnp.a",
      "l\u200Bs",
      "ls\u0007",
      "ls\u0085id",
      "ls\u2028id",
      "a\u{E0041}",
    ])
      assert.equal(readShellCommand(text, "sh").state, "hidden", JSON.stringify(text));
    assert.equal(readShellCommand("a\rb", "sh").state, "ready");
  });

  it("rejects text that is too long to read in a dialog", () => {
    assert.equal(readShellCommand("ls\n".repeat(21), "sh").state, "tooLong");
    assert.equal(readShellCommand("x".repeat(1501), "sh").state, "tooLong");
    assert.equal(readShellCommand(" \n", "sh").state, "empty");
  });
});

describe("languageId", () => {
  it("maps the language of a fence to VS Code's language ID", () => {
    const known = ["typescript", "shellscript", "python", "lua"];
    assert.equal(languageId("TS", known), "typescript");
    assert.equal(languageId("zsh", known), "shellscript");
    assert.equal(languageId("lua", known), "lua");
    assert.equal(languageId("klingon", known), undefined);
    assert.equal(languageId(undefined, known), undefined);
  });
});

describe("indentCode", () => {
  it("indents the following lines to match the line of the cursor", () => {
    assert.equal(indentCode("if a:\n    b\n\nc\n", "  "), "if a:\n      b\n\n  c");
    assert.equal(indentCode("a\nb\n", "x = "), "a\nb");
    assert.equal(indentCode("a\nb\n", ""), "a\nb");
  });
});
