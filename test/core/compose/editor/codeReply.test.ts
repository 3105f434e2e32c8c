import assert from "node:assert/strict";
import {
  CodeReply,
  reindent,
  replacementOf,
  withoutSurroundings,
} from "../../../../src/core/compose/editor/codeReply.ts";

/** Feeds the response in pieces of this length. */
function read(response: string, length: number, isMarkdown = false): CodeReply {
  const reply = new CodeReply({ isMarkdown });
  for (let at = 0; at < response.length; at += length) reply.push(response.slice(at, at + length));
  reply.finish();
  return reply;
}

describe("The code in a response", () => {
  const cases: readonly (readonly [string, string, string, boolean?])[] = [
    [
      "is the content of its code block",
      "```ts\nconst a = 1;\n\nconst b = 2;\n```\n",
      "const a = 1;\n\nconst b = 2;",
    ],
    [
      "is the whole response without a code block",
      "const a = 1;\nconst b = 2;\n\n",
      "const a = 1;\nconst b = 2;",
    ],
    ["doesn't include an introduction or an explanation", "Here it is:\n\n```\nx\n```\nI changed x.", "x"],
    [
      "keeps its indentation and blank lines",
      "```py\n\n    if a:\n        b\n\n```",
      "\n    if a:\n        b\n",
    ],
    ["has no carriage returns", "```js\r\na();\r\nb();\r\n```\r\n", "a();\nb();"],
    ["ends at a fence as long as the first one", "````md\n```js\na\n```\n````\n", "```js\na\n```"],
    [
      "includes the code blocks of a Markdown text",
      "```md\n# A\n```js\na\n```\nend\n```\n",
      "# A\n```js\na\n```\nend",
    ],
    ["may be fenced with tildes", "~~~\na ```b\n~~~", "a ```b"],
    ["may be empty", "```\n```", ""],
    [
      "doesn't include the indentation of its block in a list",
      "1. Change it:\n\n   ```py\n   if a:\n       b\n   ```",
      "if a:\n    b",
    ],
    ["keeps fences in unfenced Markdown", "# A\n\n```js\na\n```", "# A\n\n```js\na\n```", true],
    ["keeps backticks that aren't a fence", "`a` and ``b``", "`a` and ``b``"],
  ];
  for (const [title, response, code, isMarkdown] of cases) {
    it(title, () => {
      for (const length of [1, 2, 3, 7, response.length])
        assert.equal(read(response, length, isMarkdown).code, code, `in pieces of ${length}`);
    });
  }

  it("is never shown with part of its fences while it streams", () => {
    const reply = new CodeReply();
    const seen: string[] = [];
    for (const char of "```ts\na\nb\n```\nmore") {
      reply.push(char);
      seen.push(reply.code);
    }
    assert.deepEqual([...new Set(seen)], ["", "a", "a\nb"]);
  });

  it("is known to be cut off while its block is open, and to be one of several", () => {
    assert.equal(read("```\na\n", 3).isOpen, true);
    assert.equal(read("```\na\n```", 3).isOpen, false);
    assert.equal(read("```\na\n```\n\n```\nb\n```", 3).blocks.length, 2);
    assert.equal(read("```\na\n```\nDone.", 3).blocks.length, 1);
  });

  it("is missing in an empty response, but not if an empty block removes it", () => {
    assert.equal(read("\n \n", 1).isEmpty, true);
    assert.equal(read("```\n```", 1).isEmpty, false);
  });

  it("doesn't include reasoning that was recognized only at its end", () => {
    const reply = new CodeReply();
    reply.push("I think\n```\nwrong\n```\n");
    reply.restart();
    reply.push("```\nright\n```");
    reply.finish();
    assert.equal(reply.code, "right");
  });
});

describe("A response that isn't just the part", () => {
  const [before, after] = ["import a;\n\nfunction f() {\n", "\n}\n\nfunction g() {}\n"];

  it("is freed from the lines of the file around it, even from all of them", () => {
    const part = "  return 2;";
    assert.equal(withoutSurroundings(`${before}${part}${after.trimEnd()}`, before, after), part);
    assert.equal(withoutSurroundings(`function f() {\n${part}\n}`, before, after), part);
    assert.equal(withoutSurroundings(`${part}\n}\n\nfunction g() {}`, before, after), part);
    for (const code of [part, "  if (a) {\n    b();\n  }", "}", "", "import b;\n  c();"])
      assert.equal(withoutSurroundings(code, before, after), code);
  });

  it("is freed from them if it has fewer blank lines, and from comments that stand for them", () => {
    const [head, tail] = ["import os\n\n\ndef a():\n    return 1\n\n\n", "\n\n\ndef c():\n    return 3\n"];
    const part = "def b():\n    return 2";
    for (const code of [
      `import os\n\ndef a():\n    return 1\n\n${part}\n\ndef c():\n    return 3\n`,
      `# ... existing code ...\n\n${part}\n\n# ... rest of the file ...`,
      `def a():\n    return 1\n\n\n\n${part}\n\n\ndef c():`,
      `import os\nimport re\n\ndef a():\n    return 1\n\n${part}\n\ndef c():\n    return 3`,
    ])
      assert.equal(withoutSurroundings(code, head, tail), part);
    const comment = "// ... a list follows\nb();";
    assert.equal(withoutSurroundings(comment, "// ... a list follows\n", "").trim(), "b();");
    assert.equal(withoutSurroundings("// ...", before, after), "// ...");
  });

  it("is recognized as words to the user, but no code or text is", () => {
    const isProse = (text: string, isMarkdown = false): boolean => read(text, 5, isMarkdown).isProse("");
    for (const text of [
      ...["No change needed", "No changes are necessary", "No changes", "Nothing to change", "LGTM"],
      ...["The code is already correct", "Your function already handles null", "Looks good to me"],
      ...["// No changes needed", "/* No changes needed */", "<!-- No changes needed -->", "无需修改"],
      ...["```\nNo changes needed\n```", "**No changes needed**", "(No changes)", "No errors found"],
      ...[
        "There is nothing to change",
        "The code doesn't need to be changed",
        "No refactoring needed",
        "It's already correct",
      ],
      ...[
        "Code unchanged",
        "The code remains unchanged",
        "Function left unchanged.",
        "The code stays as it is",
      ],
      ...[
        "No changes needed\n\nThe function already handles null",
        "**No changes needed**\n\n- `a` is checked",
      ],
      "No changes needed\n\nfunction f() {\n  return 1;\n}",
    ])
      assert.ok(isProse(text), text);
    assert.ok(isProse("No changes needed\n\nThe text is fine", true), "of a text in Markdown");
    const log = "No errors found\n1 file";
    assert.ok(!read(log, 5).isProse(log.replace("1", "2")), "a line of the original");
    for (const text of [
      ...["nothing", "unchanged", "None", "noChanges()", "code", "no_change_needed", "END FUNCTION"],
      ...[
        "NO ACTION",
        "// no changes to x\nfoo();",
        "// No changes needed\nfoo();",
        "code = unchanged",
        "for a in b:\n    c()",
        "while True:",
      ],
    ])
      assert.ok(!isProse(text), text);
    assert.ok(!read("Returns the total.", 5).isProse("Returns the sum."), "a text like the original");
    for (const text of [
      "I'm sorry, but I can't help with that.",
      "```\nI'm sorry, but I can't help with that.\n```",
      "The function already does what you ask for.",
      "抱歉，我无法修改这段代码。",
      "The code looks fine; nothing has to change.",
      "No changes are needed: `x[0]` is already an int.",
      "```\nI apologize, but I can't do that.\n```",
      "As an AI language model, I can't modify `{files}`",
    ])
      assert.ok(isProse(text), text);
    for (const text of [
      "const a = 1;",
      "return x",
      "x.",
      "a(); b().",
      "# A comment.",
      "```\nThe text of a file.\n```",
      "SELECT a FROM b",
    ])
      assert.ok(!isProse(text), text);
    assert.ok(!isProse("The text of a document.", true));
  });
});

describe("The replacement in a response", () => {
  const part = "function one() {\n  const x = 1;\n  return x;\n}";
  const file = `import a from "a";\nimport c from "c";\n\n${part}\n\nfunction two() {\n  return 2;\n}\n`;
  const wanted = part.replace("= 1", "= 10");

  function replace(response: string, of = part, text = file): ReturnType<typeof replacementOf> {
    const start = text.indexOf(of);
    const reply = read(response, 3);
    assert.ok(!reply.isProse(of), response);
    return replacementOf(reply, text, { start, end: start + of.length }, true);
  }

  it("is what a patch in any form changes, even with wrong numbers of lines or another indentation", () => {
    const change = "-  const x = 1;\n+  const x = 10;";
    const search = "<<<<<<< SEARCH\n  const x = 1;\n=======\n  const x = 10;\n>>>>>>> REPLACE";
    for (const response of [
      `\`\`\`diff\n@@ -3,9 +3,2 @@\n function one() {\n${change}\n   return x;\n }\n\`\`\``,
      `Here's the diff:\n\n--- a/x.ts\n+++ b/x.ts\n@@ -4 +4 @@\n${change}\n\nThis changes x.`,
      `diff --git a/x b/x\nindex 123abc..456def 100644\n--- a/x\n+++ b/x\n@@ @@\n${change}`,
      `\`\`\`diff\n${change}\n\`\`\``,
      "```diff\n- const x = 1;\n+ const x = 10;\n```",
      search,
      `x.ts\n\`\`\`ts\n${search}\n\`\`\``,
      search.replace("SEARCH", "SEARCH\n:start_line:4\n-------"),
      "------- SEARCH\n  const x = 1;\n=======\n  const x = 10;\n+++++++ REPLACE",
      `*** Begin Patch\n*** Update File: x.ts\n@@ function one() {\n${change}\n*** End Patch`,
    ])
      assert.deepEqual(replace(response), { code: wanted, others: [] }, response);
    const two = `${search}\n\`\`\`\n\n\`\`\`\n${search.replace("const x = 1", "return x").replace("const x = 10", "return -x")}`;
    assert.equal(
      replace(`\`\`\`\n${two}\n\`\`\``).code,
      wanted.replace("return x", "return -x"),
      "of all blocks",
    );
  });

  it("is none if a patch doesn't fit or fits in two places, and no change until it is complete", () => {
    assert.equal(replace("@@ @@\n-  const z = 1;\n+  const z = 2;").code, undefined);
    const text = "f() {\n  return 0;\n}\ng() {\n  return 0;\n}";
    assert.equal(replace("@@ @@\n-  return 0;\n+  return 1;", text, text).code, undefined);
    const start = file.indexOf(part);
    const reply = read("@@ @@\n-  const x = 1;", 3);
    assert.equal(replacementOf(reply, file, { start, end: start + part.length }, false).code, part);
  });

  it("is below the line that a hunk is headed with, where the same lines are in several places", () => {
    const bodies = ["one", "two", "one_more"].map(
      (name) => `  def ${name}(self):\n    a = 1\n    return 0\n`,
    );
    const text = `class X:\n${bodies.join("\n")}\nclass Y:\n${bodies.join("\n")}\n`;
    const changed = (name: string, nth: number): string => {
      const parts = text.split("return 0");
      assert.ok(parts[nth]?.includes(`def ${name}(`));
      return `${parts.slice(0, nth + 1).join("return 0")}return 9${parts.slice(nth + 1).join("return 0")}`;
    };
    const change = "-    return 0\n+    return 9";
    for (const [head, name, nth] of [
      ["@@ class X:\n@@   def two(self):", "two", 1],
      ["@@ -9,3 +9,3 @@ class X:\n@@ def one", "one", 0],
      ["@@ class Y\n@@ def one_more(self): @@", "one_more", 5],
      ["@@ class Y:\n@@ def one(self):\n   def one(self):\n     a = 1", "one", 3],
    ] as const)
      assert.equal(replace(`${head}\n${change}`, text, text).code, changed(name, nth), head);
    const two = `*** Begin Patch\n*** Update File: x.py\n@@ class X:\n@@ def one\n${change}\n@@ class Y:\n@@ def two\n${change}\n*** End Patch`;
    assert.equal(replace(two, text, text).code?.split("return 9").length, 3, "each heading of its own");
    for (const head of ["@@ class X:", "@@ def one", "@@ def missing", "@@ @@"])
      assert.equal(replace(`${head}\n${change}`, text, text).code, undefined, head);
    const late = text.replace("class Y", `${"  return 0\n".repeat(1_500)}class Y`);
    assert.ok(replace(`@@ class Y:\n@@ def two\n${change}`, late, late).code !== undefined);
  });

  it("is text that only looks like a patch if the file is one, or its lines begin with such signs", () => {
    for (const [code, of] of [
      ["- a\n- c", "- a\n- b"],
      ["-1\n+2", "-1\n+3"],
      ["@@ -1 +1 @@\n-a\n+c", "@@ -1 +1 @@\n-a\n+b"],
    ] as const)
      assert.equal(replace(code, of, of).code, code);
  });

  it("comes with the lines that the response changes elsewhere", () => {
    const added = 'import b from "b";';
    const whole = file.replace("import c", `${added}\nimport c`).replace("= 1", "= 10");
    assert.deepEqual(replace(whole.trim()), { code: wanted, others: [added] });
    const patch = `@@ @@\n import a from "a";\n+${added}\n@@ @@\n-  const x = 1;\n+  const x = 10;`;
    assert.deepEqual(replace(patch), { code: wanted, others: [added] });
  });

  it("is the code block that is most like the part, without an introduction", () => {
    assert.equal(
      replace(`Add:\n\`\`\`\nimport b from "b";\n\`\`\`\nand\n\`\`\`\n${wanted}\n\`\`\``).code,
      wanted,
    );
    for (const words of ["Here is the new code:\n\n", "Sure! Here's the function:\n", "修改后的代码：\n"])
      assert.equal(replace(words + wanted).code, wanted);
    assert.equal(replace("for a in b:\n    c()", "for a in c:\n    c()").code, "for a in b:\n    c()");
  });

  it("has no line numbers unless the part has some", () => {
    const number = (mark: string, first: number): string =>
      wanted
        .split("\n")
        .map((line, index) => `${first + index}${mark}${line}`)
        .join("\n");
    for (const code of [number(" | ", 4), number(": ", 4), number("\t", 4), number("→", 4), number(" | ", 1)])
      assert.equal(replace(code).code, wanted);
    assert.equal(replace("5: const x = 10;", "  const x = 1;").code, "  const x = 10;");
    assert.equal(replace("1: a,\n2: b,", "", "\nfoo\n").code, "1: a,\n2: b,");
  });

  it("has no braces around a property, and the comma after it", () => {
    const json = '{\n  "name": "x",\n  "scripts": {\n    "a": "b"\n  },\n  "z": 1\n}\n';
    for (const [code, of, result] of [
      ['{\n  "scripts": {\n    "a": "c"\n  }\n}', '  "scripts": {\n    "a": "b"\n  },', undefined],
      ['{ "name": "y" }', '  "name": "x",', '  "name": "y",'],
      ['"name": "y"', '  "name": "x",', '  "name": "y",'],
      ['{\n    "z": 2\n}', '  "z": 1', '  "z": 2'],
      [json.trim().replace("1", "2"), json.trim(), json.trim().replace("1", "2")],
      ['"name": { "first": "x" },', '  "name": "x",', '  "name": { "first": "x" },'],
    ] as const)
      assert.equal(replace(code, of, json).code, result ?? of.replace('"b"', '"c"'));
  });
});

describe("The indentation of a response", () => {
  const original = "    if (a) {\n      b();\n    }";

  it("is that of the original if the model moved the code to the left margin", () => {
    assert.equal(reindent(original, "if (a) {\n\n  c();\n}"), "    if (a) {\n\n      c();\n    }");
  });

  it("is that of the original if the model dropped it on the first line only", () => {
    assert.equal(reindent(original, "if (a) {\n      c();\n    }"), "    if (a) {\n      c();\n    }");
  });

  it("is that of the original if the body of moved code happens to be as deep as the original", () => {
    const method = "    def a(self):\n        return 1";
    for (const head of ["def a(self):", "def a(self):  # one", "for x in y: "])
      assert.equal(reindent(method, `${head}\n    return 1`), `    ${head}\n        return 1`);
    assert.equal(reindent(method, "@b\n    def a(self):\n        c"), "    @b\n    def a(self):\n        c");
    assert.equal(
      reindent(method, "def a(self):\n        b\n\n    def c(self):\n        d"),
      "    def a(self):\n        b\n\n    def c(self):\n        d",
    );
  });

  it("is that of an otherwise empty line", () => {
    assert.equal(reindent("    ", "a();\nb();"), "    a();\n    b();");
    assert.equal(reindent("", "a();"), "a();");
  });

  it("is that of the original line by line, whatever structure the language has", () => {
    const cases: readonly (readonly [original: string, code: string, wanted: string])[] = [
      ["  div.box\n    p Hello", "div.box\n  p Hi", "  div.box\n    p Hi"],
      [
        "    a(b)\n        .c(d)\n        .e(f)",
        "a(b)\n    .c(d)\n    .e(g)",
        "    a(b)\n        .c(d)\n        .e(g)",
      ],
      ["    run \\\n        --rm a", "run \\\n    --rm b", "    run \\\n        --rm b"],
      ["  where go n =\n          n + 1", "where go n =\n        n + 2", "  where go n =\n          n + 2"],
      ["        x = 1\n    y = 2", "x = 10\n    y = 20", "        x = 10\n    y = 20"],
      ["def f():\n    return 1", "    def f():\n        return 2", "def f():\n    return 2"],
      [
        "  .b\n    color: red",
        ".b\n  color: blue\n  &:hover\n    color: red",
        "  .b\n    color: blue\n    &:hover\n      color: red",
      ],
      ["  if (a) {\n    b();\n  }", "if (a) {\n    c();\n}", "  if (a) {\n    c();\n  }"],
      [
        "    if (a) {\n        b();\n    }",
        "if (a) {\n  c(d,\n      e);\n}",
        "    if (a) {\n        c(d,\n                e);\n    }",
      ],
      ["  a(b,\n      c);", "a(b,\n    d);", "  a(b,\n      d);"],
      [
        "    xs\n    |> List.map g",
        "xs\n    |> List.map g\n    |> List.sum",
        "    xs\n    |> List.map g\n    |> List.sum",
      ],
      ["  let x = 1\n      y = 2", "let x = 1\n    y = 3", "  let x = 1\n      y = 3"],
      ["      - run: x", "- run: x\n  env:\n    A: 1", "      - run: x\n        env:\n          A: 1"],
      ["    a()\n        b()", "try:\n    a()\n        b()", "    try:\n        a()\n            b()"],
    ];
    for (const [original, code, wanted] of cases) assert.equal(reindent(original, code), wanted);
  });

  it("leaves texts of several lines as they are, if the original has them at the same depth", () => {
    const wanted = '    sql = """\nSELECT b\nFROM t\n"""\n    run(sql)';
    const before = '    sql = """\nSELECT a\nFROM t\n"""\n    run(sql)';
    assert.equal(reindent(before, 'sql = """\nSELECT b\nFROM t\n"""\nrun(sql)'), wanted);
    const shell = "    cat <<EOF\nhello\nEOF\n    echo done";
    assert.equal(reindent(shell, "cat <<EOF\nbye\nEOF\necho done"), shell.replace("hello", "bye"));
    const inner = "    q(`\n      SELECT a\n    `);";
    assert.equal(reindent(inner, "q(`\n  SELECT b\n`);"), "    q(`\n      SELECT b\n    `);");
  });

  it("is in tabs or spaces as in the file", () => {
    assert.equal(reindent("\tif (a) {\n\t\tb();\n\t}", "if (a) {\n  c();\n}"), "\tif (a) {\n\t\tc();\n\t}");
    assert.equal(
      reindent("    if (a) {\n        b();\n    }", "\tif (a) {\n\t\tc();\n\t}"),
      "    if (a) {\n        c();\n    }",
    );
    assert.equal(reindent("a();", "if (a) {\n    c();\n}", "f() {\n\ta();\n}"), "if (a) {\n\tc();\n}");
  });

  it("stays unchanged if it is right or deeper, or the file has none", () => {
    assert.equal(reindent("x", "while True:\n    a"), "while True:\n    a");
    for (const code of ["    c();", "      c();", ""]) assert.equal(reindent(original, code), code);
    assert.equal(reindent("a();", "  b();"), "  b();");
  });
});
