import assert from "node:assert/strict";
import { indentCode } from "../../../../src/core/responses/code/applyCode.ts";
import { languageId } from "../../../../src/core/responses/code/codeLanguage.ts";
import { readShellCommand } from "../../../../src/core/responses/code/shellCommand.ts";

describe("readShellCommand", () => {
  it("gives the lines of a shell block as they are", () => {
    assert.deepEqual(readShellCommand("npm ci\nnpm test\n", "bash"), {
      state: "ready",
      text: "npm ci\nnpm test",
      lines: 2,
    });
  });

  it("takes the commands out of a session with prompts and outputs", () => {
    const session = "$ ls \\\n  -l\ntotal 0\n$ pwd\n/home\n";
    const command = readShellCommand(session, "console");
    assert.equal(command.state === "ready" && command.text, "ls \\\n  -l\npwd");
  });

  it("runs nothing that isn't a shell's", () => {
    assert.equal(readShellCommand("print(1)", "python").state, "noShell");
    assert.equal(readShellCommand("ls", "").state, "noShell");
  });

  it("runs nothing that can't be seen", () => {
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

  it("runs nothing that is too long to be read in a dialog", () => {
    assert.equal(readShellCommand("ls\n".repeat(21), "sh").state, "tooLong");
    assert.equal(readShellCommand("x".repeat(1501), "sh").state, "tooLong");
    assert.equal(readShellCommand(" \n", "sh").state, "empty");
  });
});

describe("languageId", () => {
  it("knows what fences call the languages of VS Code", () => {
    const known = ["typescript", "shellscript", "python", "lua"];
    assert.equal(languageId("TS", known), "typescript");
    assert.equal(languageId("zsh", known), "shellscript");
    assert.equal(languageId("lua", known), "lua");
    assert.equal(languageId("klingon", known), undefined);
    assert.equal(languageId(undefined, known), undefined);
  });
});

describe("indentCode", () => {
  it("indents the lines that follow as far as the cursor's line", () => {
    assert.equal(indentCode("if a:\n    b\n\nc\n", "  "), "if a:\n      b\n\n  c");
    assert.equal(indentCode("a\nb\n", "x = "), "a\nb");
    assert.equal(indentCode("a\nb\n", ""), "a\nb");
  });
});
