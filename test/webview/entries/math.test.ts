import assert from "node:assert/strict";
import { renderPieces, renderWhole, splitUnits } from "../support/render.ts";

/** The formulas in a text, with display math in double brackets. */
function formulasOf(text: string): readonly string[] {
  const found = renderWhole(text).matchAll(
    /<span class="(math|math display)" data-math=("(?:[^"\\]|\\.)*")/g,
  );
  return [...found].map(([, kind, tex = '""']) => {
    const source: unknown = JSON.parse(tex);
    return kind === "math" ? String(source) : `[[${String(source)}]]`;
  });
}

describe("Math in Markdown", () => {
  const cases: Readonly<Record<string, readonly string[]>> = {
    "$a$ and \\(b\\)": ["a", "b"],
    "so $$a$$ and \\[b\\]": ["[[a]]", "[[b]]"],
    "$$\na\n- b\n= c\n$$": ["[[a\n- b\n= c]]"],
    "\\[\na\n\\]": ["[[a]]"],
    "$$ a $$": ["[[a]]"],
    "- $$\n  a\n  $$": ["[[a]]"],
    "> \\[ a\n> b \\]": ["[[a\nb]]"],
    "text\n$$\na\n$$": ["[[a]]"],
    "$a\\$b$": ["a\\$b"],
    "$a_1*b*$": ["a_1*b*"],
    "[$a$](https://example.org)": ["a"],
    "It costs $5 and $10.": [],
    "From $5-$10 or 5$ to 6$": [],
    "$5 for one, 6$ for two": [],
    "US$5 and A$6": [],
    "$ a $": [],
    "$HOME and $PATH, $HOME/$PATH": [],
    "`$a$` and \\$a$": [],
    "    $a$": [],
    "```\n$$\na\n$$\n```": [],
    $open: [],
    "$$\nopen\n\nnext": [],
    "\\[open\n\n\\]": [],
    "\\(open": [],
    "$$ $$ and \\(\\)": [],
  };
  for (const [text, formulas] of Object.entries(cases)) {
    it(`is ${formulas.length === 0 ? "none" : formulas.join(" and ")} in ${JSON.stringify(text)}`, () => {
      assert.deepEqual(formulasOf(text), formulas);
      assert.equal(renderPieces(splitUnits(text), { cutAbove: 0 }), renderWhole(text));
    });
  }

  it("remains text if it isn't closed", () => {
    assert.match(renderWhole("$$\n- a"), /"\$\$\\n- a"/);
  });

  it("is found in linear time", () => {
    for (const piece of ["\\(", "\\[", "$", "$$", "$a ", "$$\n", "\\[\n"])
      assert.ok(renderWhole(piece.repeat(20_000)).length > 0);
  });
});

describe("Footnotes in Markdown", () => {
  it("are placed after the text, wherever they were defined", () => {
    const nodes = renderWhole("A[^1].\n\n[^1]: The note.\n\nMore.");
    assert.ok(nodes.indexOf('"More."') < nodes.indexOf('class="footnotes"'));
    assert.match(nodes, /data-footnote-ref="1"/);
  });

  it("are linked from references in text that was finished long before", () => {
    const text = `A[^n] and [^m].\n\n${"Words.\n\n".repeat(100)}[^n]: The note.\n`;
    const nodes = renderPieces(splitUnits(text));
    assert.equal(nodes, renderWhole(text));
    assert.match(nodes, /data-footnote-ref="n"/);
    assert.doesNotMatch(nodes, /data-footnote-ref="m"/);
  });

  it("contain the indented text below them, and end at the next one", () => {
    const nodes = renderWhole("A[^1][^2]\n\n[^1]: one\n    more\n\n    - list\n[^2]: two\n\ntext");
    assert.equal(nodes.match(/data-footnote="/g)?.length, 2);
    assert.match(nodes, /<li/);
    assert.ok(nodes.indexOf('"text"') < nodes.indexOf('data-footnote="1"'));
  });

  it("remain text without a definition, and in lists and quotes", () => {
    assert.doesNotMatch(renderWhole("A[^1] [^2]\n\n- [^1]: in a list\n\n> [^2]: in a quote"), /footnote/);
  });

  it("aren't links, and links aren't footnotes", () => {
    const nodes = renderWhole("[^a] [a] [fn:^a]\n\n[^a]: note\n\n[a]: https://example.org\n");
    assert.equal(nodes.match(/<a /g)?.length, 1);
    assert.equal(nodes.match(/data-footnote-ref/g)?.length, 1);
  });
});
