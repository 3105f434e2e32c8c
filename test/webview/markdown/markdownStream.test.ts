import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { MarkdownStream } from "../../../src/webview/markdown/markdownStream.ts";
import { cutRuns } from "../../../src/webview/markdown/runs.ts";
import { describeNode, FakeTarget } from "../support/fakeTarget.ts";
import type { FakeNode } from "../support/fakeTarget.ts";
import { randomMarkdown, randomNesting, randomParagraph } from "../support/randomMarkdown.ts";
import { renderPieces, renderWhole, splitAtRandom, splitUnits } from "../support/render.ts";
import { createRandom } from "../../support/random.ts";
import { readAttacks } from "../support/attacks.ts";

const showcase = readFileSync(new URL("../support/showcase.md", import.meta.url), "utf8");

/** Both with the default settings and with every open block split as early as possible. */
function assertSameHoweverCut(text: string, pieces: readonly string[]): void {
  const whole = renderWhole(text);
  assert.equal(renderPieces(pieces), whole, JSON.stringify(text));
  assert.equal(renderPieces(pieces, { cutAbove: 0 }), whole, JSON.stringify(text));
}

/** The number of node operations in a frame when the message has this text and a line is appended. */
function operationsOfNextLine(before: string, line: string): number {
  const target = new FakeTarget();
  const stream = new MarkdownStream(target, target.element("main", {}));
  for (const piece of before.match(/[^]{1,400}/g) ?? []) {
    stream.append(piece);
    stream.render();
  }
  const start = target.operations;
  stream.append(line);
  stream.render();
  return target.operations - start;
}

/** The blocks of a message without its footnotes, in order. */
function blocksOf(root: FakeNode): readonly FakeNode[] {
  const chapters = root.children.filter(({ attributes }) => attributes["class"] === "chapter");
  return chapters.flatMap(({ children }) => children.flatMap((section) => section.children));
}

function plainText(node: FakeNode): string {
  return node.name === "#text" ? node.text : node.children.map(plainText).join("");
}

describe("MarkdownStream", () => {
  it("creates the same nodes when a showcase arrives unit by unit", () => {
    assertSameHoweverCut(showcase, splitUnits(showcase));
  });

  it("creates the same nodes for random documents, however they are split", () => {
    for (let seed = 1; seed <= 60; seed += 1) {
      const random = createRandom(seed);
      const text = randomMarkdown(random, 1 + Math.floor(random() * 14));
      assertSameHoweverCut(text, splitUnits(text));
      assertSameHoweverCut(text, splitAtRandom(text, random, 30));
    }
  });

  it("creates the same nodes for long random documents", () => {
    for (let seed = 1; seed <= 12; seed += 1) {
      const random = createRandom(seed);
      const text = randomMarkdown(random, 150);
      assertSameHoweverCut(text, splitAtRandom(text, random, 60));
    }
  });

  it("creates the same nodes for nested blocks, however deep they are", () => {
    for (let seed = 1; seed <= 30; seed += 1) {
      const random = createRandom(seed);
      const text = randomNesting(random, 5 + Math.floor(random() * 60));
      assertSameHoweverCut(text, splitAtRandom(text, random, 60));
    }
  });

  it("creates the same nodes for every attack, unit by unit", () => {
    for (const { payload } of readAttacks()) {
      if (payload.length > 300) continue;
      assertSameHoweverCut(payload, splitUnits(payload));
    }
  });

  it("creates the same nodes for very long paragraphs, however they are split", () => {
    for (let seed = 1; seed <= 6; seed += 1) {
      const random = createRandom(seed);
      const text = randomParagraph(random, 30_000);
      assertSameHoweverCut(text, splitAtRandom(text, random, 900));
    }
  });

  it("creates the same nodes for a very long line after any kind of block", () => {
    const heads = [
      "a\n\n",
      "# a\n",
      "- a\n\n",
      "> a\n\n",
      "> a\n",
      "| a |\n|-|\n",
      "[a]: /x\n",
      "```\na\n```\n",
      "a\n",
    ];
    const random = createRandom(3);
    for (const head of heads) {
      const text = `${head}${randomParagraph(random, 6_000).replaceAll("\n", " ")}\n===\n\nend`;
      assertSameHoweverCut(text, splitAtRandom(text, random, 400));
    }
  });

  it("creates the same nodes for unclosed marks, in runs of limited length", () => {
    const random = createRandom(5);
    for (const marks of ["*_", "![", "*a **b", "\\", "[a](", "``` `", "$$a", "a*a_a", "~~a", "\\("]) {
      const text = marks.repeat(12_000 / marks.length);
      assert.ok(Math.max(...cutRuns(text).map(({ length }) => length)) < 6_500, marks);
      assertSameHoweverCut(text, splitAtRandom(text, random, 900));
    }
  });

  it("creates the same nodes for long tables whose link definitions come later", () => {
    for (const rows of [99, 100, 101, 149, 150, 151, 340]) {
      const row = "| a [label] | `b` |\n";
      const text = `| h [label] | i |\n|---|---|\n${row.repeat(rows)}\nend\n\n[label]: https://example.org\n`;
      assertSameHoweverCut(text, splitAtRandom(text, createRandom(rows), 300));
    }
  });

  it("creates the same nodes for very long lines of code and stacked marks, and shows all of their text", () => {
    const random = createRandom(7);
    const line = `${"\t\u00a0".repeat(2500)}😀${"x".repeat(5000)}`;
    const code = `a\n${line}\n${"b\n".repeat(130)}${line}\nc\n`;
    const marks = `a${"\u0301".repeat(9000)} b`;
    for (const [text, shown] of [
      [`\`\`\`\n${code}\`\`\``, code],
      [`\`\`\`\n${marks}\n\`\`\``, marks],
      [marks, marks],
      [`# ${marks}`, marks],
    ] as const) {
      assertSameHoweverCut(text, splitAtRandom(text, random, 900));
      const target = new FakeTarget();
      const root = target.element("main", {});
      const stream = new MarkdownStream(target, root);
      stream.append(text);
      stream.finish();
      assert.ok(plainText(root).includes(shown));
    }
  });

  it("lets the browser lay out a limited part of a line of code or of stacked marks at once", () => {
    const longestPiece = (text: string): number =>
      Math.max(...[...renderWhole(text).matchAll(/"(?:[^"\\]|\\.)*"/g)].map(([piece]) => piece.length));
    assert.ok(longestPiece(`\`\`\`\n${"x".repeat(100_000)}`) < 5000);
    assert.ok(longestPiece(`a${"\u0301".repeat(20_000)}`) < 200);
  });

  it("ends a run in stacked marks, so that a link doesn't keep all of them together", () => {
    for (const start of ["", "[", "**[", "> [", "`"]) {
      const text = `${start}a${"\u0301".repeat(7_000)}](https://example.org) b`;
      assert.ok(Math.max(...cutRuns(text).map(({ length }) => length)) <= 2_010, start);
      assertSameHoweverCut(text, splitAtRandom(text, createRandom(2), 900));
    }
    const link = `[a${"\u0301".repeat(100)} ${"word ".repeat(300)}](https://example.org)`;
    assert.match(renderWhole(link), /<a[^>]*href/);
  });

  it("shows more marks than anyone leaves open as they are, because their elements would take longer than a frame", () => {
    for (const start of ["", "| A |\n| --- |\n| "]) {
      const text = start + "**_* ".repeat(20_000);
      const rendered = renderWhole(text);
      assert.ok(rendered.includes("**_* **_* "), start);
      assert.ok(rendered.split("<em").length < 500, `${start}${rendered.split("<em").length}`);
      assertSameHoweverCut(text, splitAtRandom(text, createRandom(1), 5_000));
    }
    assert.ok(renderWhole("*a **b** c* _d_ ~~e~~ ".repeat(5_000)).split("<em").length >= 10_000);
  });

  it("gives runs without a letter a direction, because the browser would search all of them for one", () => {
    const rendered = renderWhole("**_* ".repeat(3000));
    assert.doesNotMatch(rendered, /class="run">/);
    assert.match(renderWhole("word ".repeat(3000)), /class="run">/);
  });

  it("shows every word of a very long paragraph, in order", () => {
    const text = "one **two** `three` [four](https://example.org/five) *six*\nseven ".repeat(1500).trim();
    const target = new FakeTarget();
    const root = target.element("main", {});
    const stream = new MarkdownStream(target, root);
    stream.append(text);
    stream.finish();
    assert.equal(plainText(root), "one two three four six\nseven ".repeat(1500).trim());
  });

  it("always shows the rendering of the text received so far", () => {
    const target = new FakeTarget();
    const root = target.element("main", {});
    const stream = new MarkdownStream(target, root, { cutAbove: 0 });
    const text = "A [label]\n\n- one\n- two\n\nb\n\n[label]: https://example.org\n";
    for (const unit of splitUnits(text)) {
      stream.append(unit);
      stream.render();
      stream.updateReferences();
    }
    const link = root.children[0]?.children[0]?.children[0]?.children[1];
    assert.equal(link?.attributes["href"], "https://example.org");
  });

  it("updates the references of thousands of blocks in several steps, the latest first", () => {
    let time = 0;
    const target = new FakeTarget();
    const root = target.element("main", {});
    const stream = new MarkdownStream(target, root, { now: () => (time += 1) });
    stream.append("A [link][a].\n\n".repeat(1000));
    stream.render();
    stream.append("[a]: https://example.org\n\nEnd.\n\n");
    stream.render();
    const links = (): number => describeNode(root).split("<a ").length - 1;
    // The last block is still open.
    assert.equal(links(), 1);
    let steps = 0;
    for (let isDone = false; !isDone; steps += 1) {
      isDone = stream.updateReferences(time + 100);
      assert.ok(links() <= (steps + 1) * 100 + 1);
      assert.equal(describeNode(blocksOf(root).at(-2) ?? root).split("<a ").length, 2);
    }
    assert.equal(links(), 1000);
    assert.ok(steps >= 10);
  });

  it("shows all text of lists and quotes nested deeper than the parser's limit", () => {
    const deep = (count: number, margin: string, mark: string): string =>
      Array.from({ length: count }, (_, index) => `${margin.repeat(index)}${mark} word${index}\n`).join("");
    for (const text of [
      `${deep(70, "  ", "-")}\nend`,
      `${deep(60, "   ", "1.")}end`,
      `${"> ".repeat(150)}word0\n\nend`,
    ]) {
      const shown = renderWhole(text);
      for (const [word] of text.matchAll(/word\d+|end/g)) assert.ok(shown.includes(word), word);
      assertSameHoweverCut(text, splitAtRandom(text, createRandom(9), 200));
    }
  });

  it("leaves footnotes where they are while the text before them grows", () => {
    const target = new FakeTarget();
    const root = target.element("main", {});
    const stream = new MarkdownStream(target, root);
    stream.append("[^a]: A note.\n\n");
    for (let index = 0; index < 100; index += 1) stream.append(`Text ${index}.\n\n`);
    stream.render();
    const before = target.operations;
    const notes = root.children.at(-1);
    stream.append("Another section.\n\n".repeat(40));
    stream.finish();
    assert.equal(root.children.at(-1), notes);
    assert.equal(notes?.attributes["class"], "footnotes");
    assert.ok(target.operations - before < 40 * 4 + 10);
  });

  it("gives no element many children, however long the message is", () => {
    const target = new FakeTarget();
    const root = target.element("main", {});
    const stream = new MarkdownStream(target, root);
    for (let index = 0; index < 4500; index += 1)
      stream.append(`Text ${index} with a note[^${index}].\n\n[^${index}]: Note.\n\n`);
    stream.finish();
    const widest = (node: FakeNode): number => Math.max(node.children.length, ...node.children.map(widest));
    assert.equal(blocksOf(root).length, 4500);
    assert.ok(widest(root) <= 64, `${widest(root)} children`);
  });

  it("puts a long block that can't be cut off until it has grown or there is time for it", () => {
    let time = 0;
    const target = new FakeTarget();
    const root = target.element("main", {});
    // Each call of the clock advances it by a millisecond.
    const stream = new MarkdownStream(target, root, { now: () => (time += 1) });
    const append = (text: string): boolean => {
      stream.append(text);
      return stream.render();
    };
    const heading = "x".repeat(20_000);
    assert.equal(append(`# ${heading}`), true);
    assert.equal(append("y"), false);
    assert.equal(plainText(root), heading);
    time += 100;
    assert.equal(stream.render(), true);
    assert.equal(plainText(root), `${heading}y`);
    assert.equal(append("z"), false);
    assert.equal(append("z".repeat(6000)), true);
    assert.equal(append("."), false);
    stream.renderNow();
    assert.equal(plainText(root), `${heading}y${"z".repeat(6001)}.`);
    assert.equal(append("!"), false);
    stream.finish();
    assert.equal(plainText(root), `${heading}y${"z".repeat(6001)}.!`);
  });

  it("handles line endings that are split in two", () => {
    assert.equal(renderPieces(["a\r", "\nb\r", "\n\r", "\nc"]), renderWhole("a\nb\n\nc"));
  });

  it("reports each finished block once", () => {
    const target = new FakeTarget();
    const finished: string[] = [];
    const stream = new MarkdownStream(target, target.element("main", {}), {
      onFinished: (block) => finished.push(block.name),
    });
    for (const unit of splitUnits("# a\n\nb\n\n- c\n- d\n\n```\ne\n```\n")) {
      stream.append(unit);
      stream.render();
    }
    stream.finish();
    assert.deepEqual(finished, ["h1", "p", "ul", "div"]);
  });

  const growing = {
    paragraphs: ["Some words that make a paragraph.\n\n", "One more.\n\n"],
    "list items": ["- an item of a list\n", "- one more\n"],
    "loose list items": ["- an item of a list\n\n", "- one more\n\n"],
    "table rows": ["| a | b |\n", "| c | d |\n"],
    "paragraph lines": ["some *words* of one long paragraph\n", "some *more*\n"],
    "sentences of one line": ["Some *words* of one long line. ", "Some *more*. "],
    "sentences of one line behind a heading": ["Some *words* of one long line. ", "Some *more*. "],
    "lines of code": ["const a = 1;\n", "const b = 2;\n"],
    "quoted blocks": ["> quoted\n>\n", "> more\n>\n"],
    "quoted lines": ["> quoted *words*\n", "> more\n"],
    "items in a quote": ["> - quoted *item*\n", "> - more\n"],
    "quotes in a quote": ["> > quoted\n> >\n", "> > more\n> >\n"],
    "table rows in a quote": ["> | a | b |\n", "> | c | d |\n"],
    "items in an item": ["  - nested *item*\n", "  - more\n"],
    "loose items in an item": ["  - nested *item*\n\n", "  - more\n\n"],
    "paragraphs in an item": ["  A paragraph.\n\n", "  More.\n\n"],
    "lines in an item": ["  some *words* in an item\n", "  some *more*\n"],
    "lines of code in an item": ["   const a = 1;\n", "   const b = 2;\n"],
    "paragraphs in a footnote": ["    A paragraph.\n\n", "    More.\n\n"],
    "items in an item in a quote": [">   - nested *item*\n", ">   - more\n"],
  };
  const heads: Readonly<Record<string, string>> = {
    "table rows": "| h | i |\n|---|---|\n",
    "lines of code": "```ts\n",
    "sentences of one line behind a heading": "# Heading\n\n",
    "table rows in a quote": "> | h | i |\n> |---|---|\n",
    "items in an item": "- item\n",
    "loose items in an item": "- item\n",
    "paragraphs in an item": "- item\n\n",
    "lines in an item": "- item\n",
    "lines of code in an item": "1. item\n\n   ```ts\n",
    "paragraphs in a footnote": "[^1]: Note\n\n",
    "items in an item in a quote": "> - item\n",
  };
  for (const [what, [line, next]] of Object.entries(growing)) {
    it(`changes no more nodes for ${what} in a long message than in a short one`, () => {
      const head = heads[what] ?? "";
      const short = operationsOfNextLine(head + line?.repeat(64 * 10), next ?? "");
      const long = operationsOfNextLine(head + line?.repeat(64 * 60), next ?? "");
      assert.ok(short > 0);
      assert.ok(long <= short + 4, `${short} operations became ${long}`);
    });
  }
});
