import assert from "node:assert/strict";
import { renderPieces, renderWhole, splitUnits } from "../support/render.ts";

/** The rendering, which must be the same when the text arrives unit by unit. */
function render(text: string): string {
  const whole = renderWhole(text);
  assert.equal(renderPieces(splitUnits(text)), whole);
  return whole;
}

/** The texts inside each element with this name, or everywhere. */
function textsIn(text: string, name = "main"): readonly string[] {
  const lines = render(text).split("\n");
  const indent = (line: string): number => line.search(/\S/);
  return lines.flatMap((line, index) => {
    if (!line.trimStart().startsWith(`<${name}`)) return [];
    const rest = lines.slice(index + 1);
    const end = rest.findIndex((next) => indent(next) <= indent(line));
    const inner = end < 0 ? rest : rest.slice(0, end);
    return [inner.map((part) => (part.trimStart().startsWith('"') ? String(JSON.parse(part)) : "")).join("")];
  });
}

describe("Emphasis beside Chinese, Japanese and Korean characters", () => {
  const cases: readonly (readonly [string, readonly string[]])[] = [
    ["**重要提示：**请先备份。", ["重要提示："]],
    ["含**「重点」**内容。", ["「重点」"]],
    ["これは**（括弧付き）。**です。", ["（括弧付き）。"]],
    ["한국어**[강조]**입니다.", ["[강조]"]],
    ["**“引用”**的文字", ["“引用”"]],
    ["使用**v1.0（beta）**版", ["v1.0（beta）"]],
    [
      "**提示：**请先备份。含**「重点」**内容。これは**（括弧）。**です。",
      ["提示：", "「重点」", "（括弧）。"],
    ],
    ["- **步骤一、**打开设置", ["步骤一、"]],
    ["𠮷野家**「丼」**𠮷", ["「丼」"]],
    ["2 ** 3，而不是 4 ** 5", []],
    ['a**"b"**c', []],
  ];
  for (const [text, strong] of cases)
    it(`is bold for ${JSON.stringify(strong)} in ${text}`, () => {
      assert.deepEqual(textsIn(text, "strong"), strong);
    });

  it("is found for strikethrough, and for code inside bold", () => {
    assert.deepEqual(textsIn("~~删除（带括号）。~~这个", "s"), ["删除（带括号）。"]);
    assert.deepEqual(textsIn("例子**`code`**例子", "strong"), ["code"]);
  });

  it("still leaves underscores inside a word alone", () => {
    assert.deepEqual(textsIn("变量_名称_在此", "em"), []);
  });
});

describe("Windows paths", () => {
  const paths = [
    "D:\\proj\\data\\_scratch\\out\\A0.wav",
    "\\\\server\\share\\_old\\#1",
    "C:\\Users\\me\\.config\\[app]",
    "C:\\Program Files\\_x\\(86)\\-y",
    "..\\_build\\out",
    ".\\*.log",
    "~\\.ssh\\#config",
    "%APPDATA%\\_Code\\!user",
    "$env:TEMP\\_a\\.b",
  ];
  for (const path of paths)
    it(`keep their backslashes: ${path}`, () => {
      for (const text of [
        path,
        `Saved to ${path} and done`,
        `**Saved** (${path})`,
        `| a |\n|---|\n| ${path} |`,
      ])
        assert.ok(textsIn(text).join("").includes(path), render(text));
    });

  it("end at the next space, so that other characters can still be escaped", () => {
    assert.match(
      textsIn("In C:\\a\\_b, use \\*this\\* and \\_that\\_").join(""),
      /C:\\a\\_b, use \*this\* and _that_/,
    );
    assert.deepEqual(textsIn("1\\. one 5\\*3\\_ a\\_b"), ["1. one 5*3_ a_b"]);
  });

  it("stay as they are in the targets of links", () => {
    assert.match(render("[a](c:\\proj\\_x\\a.ts)"), /c:(?:\\|%5C)proj(?:\\|%5C)_x/);
  });
});

describe("Line breaks in table cells", () => {
  it("are shown for <br>, and other HTML stays text", () => {
    const table = render("| a | b |\n|---|---|\n| one<br>two | <BR/>x<br />y <b>z</b> |");
    assert.equal(table.split("<br>").length - 1, 3, table);
    assert.match(table, /"y <b>z<\/b>"/);
  });
});

describe("Links", () => {
  /** The targets of the links, with their texts. */
  function links(text: string): readonly string[] {
    const targets = [
      ...render(text).matchAll(/<a (?:[^>]*?data-file="([^"]*)"|[^>]*?href="([^"]*)")[^>]*>/g),
    ];
    const words = textsIn(text, "a ");
    return targets.map(([, file, href], index) => `${words[index] ?? ""} → ${file ?? href ?? ""}`);
  }

  it("open the files that a response names", () => {
    const files = [
      "[a](src/a.ts#L1)",
      "[x](<Stored Procedures/x.sql>)",
      "[abs](/home/me/ws/src/a.ts)",
      "[uri](file:///home/me/a.ts#L1)",
      "`src/a.ts:1`",
    ];
    assert.deepEqual(files.flatMap(links), [
      "a → src/a.ts#L1",
      "x → Stored%20Procedures/x.sql",
      "abs → /home/me/ws/src/a.ts",
      "uri → file:///home/me/a.ts#L1",
      "src/a.ts:1 → src/a.ts:1",
    ]);
    assert.deepEqual(links("[win](c:\\src\\_a.ts#1-2)"), ["win → c:%5Csrc%5C_a.ts#1-2"]);
  });

  it("aren't created for network paths, commands, and code without a file", () => {
    const texts = [
      "[a](//server/share/a.ts)",
      "[a](file://server/a.ts)",
      "[a](command:x/a.ts)",
      "`npm/yarn`",
      "`a.b`",
    ];
    for (const text of texts) assert.deepEqual(links(text), [], text);
  });

  it("contain no link to a file inside a link", () => {
    assert.deepEqual(links("[see `src/a.ts`](https://example.org)"), ["see src/a.ts → https://example.org"]);
    assert.deepEqual(links("[**`src/a.ts`**](src/b.ts)"), ["src/a.ts → src/b.ts"]);
  });

  const addresses: readonly (readonly [string, string])[] = [
    ["See https://example.com/docs?a=1.", "https://example.com/docs?a=1"],
    ["(http://127.0.0.1:8080/v1)", "http://127.0.0.1:8080/v1"],
    ["https://en.wikipedia.org/wiki/A_(b), and", "https://en.wikipedia.org/wiki/A_(b)"],
    ["**https://example.com/a_b_c**", "https://example.com/a_b_c"],
    ["访问https://example.com/文档，然后", "https://example.com/文档"],
    ["| a |\n|---|\n| https://example.com/x |", "https://example.com/x"],
    ["~~HTTPS://EXAMPLE.COM~~", "HTTPS://EXAMPLE.COM"],
  ];
  for (const [text, address] of addresses)
    it(`are created for the address in ${JSON.stringify(text)}`, () => {
      assert.deepEqual(
        links(text).map((link) => link.split(" → ")[0]),
        [address],
      );
    });

  it("aren't created for addresses in code, in other words, or without a host", () => {
    for (const text of ["`https://a.example`", "xhttps://a.example", "https://", "https://…", "http:/a"])
      assert.deepEqual(links(text), [], text);
  });
});
