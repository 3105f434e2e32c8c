import { assertLinearWork } from "../../support/countedWork.ts";
import { renderPieces } from "../support/render.ts";

/** The text of each kind of input for a given size. */
const inputs: Readonly<Record<string, (size: number) => string>> = {
  "footnotes with their notes": (size) =>
    texts(size, (index) => `Word[^${index}].\n\n[^${index}]: Note ${index}.\n\n`),
  "footnotes without notes": (size) => texts(size, (index) => `Word[^${index}]. `),
  "notes that nothing refers to": (size) => texts(size, (index) => `[^${index}]: Note.\n\n`),
  "link definitions after their uses": (size) =>
    texts(size, (index) => `[a ${index}][r${index}]\n\n`) +
    texts(size, (index) => `[r${index}]: https://example.org/${index}\n\n`),
  "link definitions before their uses": (size) =>
    texts(size, (index) => `[r${index}]: https://example.org/${index}\n\n[a ${index}][r${index}]\n\n`),
  "references without definitions": (size) => texts(size, (index) => `[a][r${index}]\n\n`),
  "rows of a table": (size) => `| a | b |\n| - | - |\n${"| **x** | `y` |\n".repeat(size)}`,
  "columns of a table": (size) =>
    `${"| a ".repeat(size)}|\n${"| - ".repeat(size)}|\n${"| x ".repeat(size)}|\n`,
  tables: (size) => "| a |\n| - |\n| x |\n\n".repeat(size),
  formulas: (size) => texts(size, (index) => `The $x_${index}$ and $$y$$ of it.\n\n`),
  "formulas in one paragraph": (size) => texts(size, (index) => `$x_${index}$ and \\(y\\) `),
  "formulas that never close": (size) => "a $x \\( y $$ \\[ ".repeat(size),
  "lists of two levels": (size) => "- a\n  - b\n    text\n".repeat(size),
  "levels of nested lists": (size) => texts(Math.min(size, 90), (index) => `${"  ".repeat(index)}- a\n`),
  "numbered items with paragraphs": (size) => texts(size, (index) => `${index + 1}. a\n\n   b\n\n`),
  "runs of emphasis": (size) => "*a **b** c* _d_ ~~e~~ ".repeat(size),
  "runs of emphasis that never close": (size) => "*a **b _c ".repeat(size),
  // Paragraphs of up to 32,000 code units are parsed again as a whole. These are longer.
  "stars without a space": (size) => `a${"*".repeat(size * 200)}`,
  "letters without a space": (size) => "x".repeat(size * 200),
  ampersands: (size) => "&".repeat(size * 200),
  "stars with words between": (size) => "a**b*c".repeat(size),
  // Text that is a single block, or not yet one, and can't be split while it grows.
  "stars of a rule": (size) => "*".repeat(size * 150),
  "underscores and spaces of a rule": (size) => "_ ".repeat(size * 75),
  "dashes of a rule in an item": (size) => `* ${"-".repeat(size * 150)}`,
  "stars of a rule in a quote": (size) => `> ${"*".repeat(size * 150)}`,
  "equals signs under a heading": (size) => `a\n${"=".repeat(size * 150)}`,
  "dashes under a heading in an item": (size) => `- a\n  ${"-".repeat(size * 150)}`,
  "words of a heading": (size) => `# ${"some *words* ".repeat(size * 10)}`,
  "signs behind a heading": (size) => `# a ${"#".repeat(size * 150)}`,
  "words of a cell": (size) => `| a |\n| - |\n| ${"some *words* ".repeat(size * 10)}`,
  "cells of an open row": (size) => `| a |\n| - |\n${"| a ".repeat(size * 30)}`,
  "dashes of a delimiter row": (size) => `| a |\n| ${"-".repeat(size * 150)}`,
  "units of a definition's address": (size) => `[a]: https://${"x".repeat(size * 150)}`,
  "units of a definition's label": (size) => `[${"x".repeat(size * 150)}`,
  "lines of a definition's title": (size) => `[a]: /x '${"some words\n".repeat(size * 10)}`,
  "definitions without a blank line": (size) => "[a]: /x\n".repeat(size * 20),
  "words behind a fence": (size) => `\`\`\`${"x ".repeat(size * 75)}`,
  "backticks of a fence": (size) => "`".repeat(size * 150),
  "units of a line of code": (size) => `\`\`\`\n${"x".repeat(size * 150)}`,
  "units of a line of code in a quote": (size) => `> \`\`\`\n> ${"x".repeat(size * 150)}`,
  "lines of an open formula": (size) => `$$\n${"x\n".repeat(size * 40)}`,
  "opening brackets": (size) => "[".repeat(size * 100),
  "opening brackets of images": (size) => "![".repeat(size * 50),
  "opening brackets behind a word": (size) => `a${"[".repeat(size * 100)}`,
  "pairs of brackets": (size) => "[]".repeat(size * 40),
  "links that never close": (size) => "[a](".repeat(size * 20),
  "labels that never close": (size) => "[a][".repeat(size * 10),
  "angle brackets": (size) => "<".repeat(size * 100),
  "units of an address": (size) => `<https://${"x".repeat(size * 150)}`,
  "tildes behind a word": (size) => `a${"~~".repeat(size * 50)}`,
  "levels of emphasis": (size) => "*a ".repeat(size * 20) + "b* ".repeat(size * 20),
  "parts of a Windows path": (size) => `C:${"\\\\_a".repeat(size * 30)}`,
  "starts of Windows paths": (size) => "C:\\\\a b\\\\c ..\\\\ ".repeat(size * 8),
  "words after the start of a Windows path": (size) => `C:\\\\${"a ".repeat(size * 50)}\\\\`,
  "addresses without a space": (size) => "https://a".repeat(size * 15),
  "addresses that end with brackets": (size) => `https://a${")".repeat(size * 100)}`,
  "marks between Chinese characters": (size) => "字**，**".repeat(size * 10),
  "tabs and no-break spaces": (size) => "\t\u00A0".repeat(size * 75),
  "nested emphasis of both kinds": (size) => "**_* ".repeat(size * 30),
  "combining marks": (size) => `a${"\u0301".repeat(size * 150)}`,
  "combining marks in a link": (size) => `[a${"\u0301".repeat(size * 150)}](https://example.org)`,
  "blank lines": (size) => "\n".repeat(size * 150),
  "blank lines of a quote": (size) => ">\n".repeat(size * 75),
  "spaces of an item": (size) => `- ${" ".repeat(size * 150)}`,
  "lines of indented code": (size) => "    x\n".repeat(size * 20),
};

function texts(count: number, create: (index: number) => string): string {
  return Array.from({ length: count }, (_, index) => create(index)).join("");
}

function pieces(text: string): readonly string[] {
  return text.match(/[^]{1,512}/g) ?? [];
}

/** Large enough that the larger input, which is twice as big, exceeds every limit from which on text is shown as it is. */
const smallSize = 300;

describe("Markdown rendering", function () {
  this.timeout(120_000);

  for (const [kind, create] of Object.entries(inputs)) {
    it(`takes linear time for ${kind} that arrive in pieces`, async () => {
      assertLinearWork(
        smallSize,
        (size) => pieces(create(size)),
        (list) => void renderPieces(list),
      );
    });
  }
});
