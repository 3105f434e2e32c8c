import assert from "node:assert/strict";
import { CodeReply, reindent } from "../../../../src/core/compose/editor/codeReply.ts";

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
    assert.equal(read("```\na\n```\n\n```\nb\n```", 3).hasMore, true);
    assert.equal(read("```\na\n```\nDone.", 3).hasMore, false);
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

  it("stays unchanged if it is right, deeper, or of another kind", () => {
    for (const code of ["    c();", "      c();", "\tc();", ""]) assert.equal(reindent(original, code), code);
    assert.equal(reindent("a();", "  b();"), "  b();");
  });
});
