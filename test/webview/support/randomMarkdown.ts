const lines = [
  "Some plain words go here",
  "word *emphasis* and **strong** and `code`",
  "*open emphasis that goes on",
  "and closes here* maybe ~~gone~~",
  "# Heading",
  "###### Deep heading ##",
  "===",
  "---",
  "-",
  "- item",
  "  - nested item",
  "   continued",
  "    deep continued",
  "-  wide item",
  "* star item",
  "+",
  "1. one",
  "2. two",
  "7) seven",
  "   1. nested one",
  "- [ ] to do",
  "- [x] done",
  "> quoted",
  ">> deeper",
  "> - quoted item",
  ">",
  "```",
  "```ts",
  "~~~",
  "   ```",
  "  ```js",
  "const a = 1; // [label]",
  "a | b",
  "--|--",
  "| c | d |",
  "|---|:-:|",
  "| 1 | [label] |",
  "|x",
  "[label]",
  "See [label] and [other][label] and [x]",
  "[label]: https://example.org/one",
  "[other]: <https://example.org/two> 'Title",
  "goes on'",
  "- [label]: /in-item",
  "> [x]: /in-quote",
  "[label]:",
  "  /on-next-line",
  "<div>html</div>",
  "<!-- comment",
  "![picture](https://example.org/a.png)",
  "[link](javascript:alert(1)) <https://example.org>",
  "\tindented code",
  "    four spaces",
  "\\* escaped &amp; entity",
  "trailing spaces  ",
  "***",
  "1.",
  "- - -",
  "- # heading in item",
  "- ```",
  "  in fence",
  "- > quote in item",
  "日本語 العربية 👩‍💻",
  "a note[^1] and [^two] and [^none]",
  "[^1]: The note",
  "[^two]: Another with [label]",
  "    indented in the note",
  "$a + b$ costs $5 and $10",
  "$$",
  "$$ x = y $$",
  "$$ x $$ and more",
  "\\[ x^2",
  "\\]",
  "\\(a_1\\) and \\(open",
  "> $$",
];

/**
 * Lines that tend to interfere with each other, in random order. Few kinds of lines make long lists, tables and quotes;
 * many kinds make many short blocks.
 */
export function randomMarkdown(random: () => number, count: number): string {
  const kinds = random() < 0.5 ? lines.length : 3 + Math.floor(random() * 5);
  const first = kinds === lines.length ? 0 : Math.floor(random() * (lines.length - kinds));
  const blanks = random() < 0.3 ? 0 : 0.22;
  let text = "";
  for (let index = 0; index < count; index += 1) {
    const blank = random();
    if (blank < blanks) text += "\n";
    if (blank < blanks / 8) text += " \n";
    text += lines[first + Math.floor(random() * kinds)];
    text += random() < 0.02 ? "\r\n" : "\n";
  }
  return random() < 0.5 ? text : text.slice(0, -1);
}

const phrases = [
  "Some plain words go here",
  "with **strong** and *emphasised* ones",
  "and `code`, or ``more ` of it``",
  "[a link](https://example.org/(one) 'with a title')",
  "[label] and [other][label]",
  "2 * 3 ** 4",
  "a_b_c and ~~gone~~",
  "日本語の文章です。次の文です。",
  "العربية",
  "👩‍💻👩‍💻",
  "\\* escaped &amp; entity",
  "![picture](https://example.org/a.png)",
  "<https://example.org/auto>",
  "x".repeat(300),
  "$a_1 + b^2$",
  "\\(x * y * z\\)",
  "$5 or $6",
  "a note[^1]",
];
const strayPhrases = [
  "$x",
  "\\(",
  "$$",
  "**",
  "*open",
  "`",
  "[",
  "](",
  "``",
  "~~",
  "x".repeat(9000),
  "の".repeat(40_000),
  "👩‍💻".repeat(7000),
];
const separators = [" ", " ", " ", "\n", "\n", "  \n", "\\\n", "   ", "\n    ", "", ", "];
const endings = [
  "",
  "\n",
  "\n===\n",
  "\n---\n",
  "\na | b\n--|--\nc | d\n",
  "\n|---|\n",
  "\n- item\n",
  "\n\n[label]: /x\n",
];

/** One paragraph of roughly this many code units, with or without unclosed marks, and what may follow it. */
export function randomParagraph(random: () => number, length: number): string {
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? "";
  const strays = random() < 0.5 ? 0 : 0.02;
  let text = random() < 0.2 ? "  " : "";
  while (text.length < length) text += pick(random() < strays ? strayPhrases : phrases) + pick(separators);
  return text.trimEnd() + pick(endings);
}

const innerLines = [
  "- item [label]",
  "  - nested item",
  "    - deep item",
  "  continued",
  "1. one",
  "   - nested in one",
  "   text in one",
  "",
  "> quoted",
  "> - quoted item",
  ">   goes on",
  "> > deeper",
  "lazy words",
  "- [ ] to do",
  "- > quote in item",
  "  > goes on",
  "  | a | b |",
  "  |---|---|",
  "  | 1 | [x] |",
  "  ```ts",
  "  code",
  "    indented",
  "# Heading",
  "[x]: /x",
  "- [x] done",
  "10) ten",
  "    in ten",
  "-    wide",
  "     in wide",
  "* star",
  "\ttab",
  ">",
  "> ```",
  "> code",
  "[^1]: note",
  "    in the note[^1] [x]",
  "    - item in the note",
];

/** Deeply nested and long blocks: a few kinds of lines repeated, with others in between. */
export function randomNesting(random: () => number, count: number): string {
  const pick = (from: readonly string[]): string => from[Math.floor(random() * from.length)] ?? "";
  const few = Array.from({ length: 2 + Math.floor(random() * 4) }, () => pick(innerLines));
  const margins = ["", "", "> ", "  ", "    ", "- "];
  const margin = pick(margins);
  let text = random() < 0.5 ? `${pick(innerLines)}\n` : "";
  for (let index = 0; index < count; index += 1) {
    const line = pick(random() < 0.9 ? few : innerLines);
    const before = random() < 0.95 ? (margin === "- " && index > 0 ? "  " : margin) : pick(margins);
    text += `${before}${random() < 0.02 ? "long words ".repeat(420) : ""}${line}\n`;
  }
  return text;
}
