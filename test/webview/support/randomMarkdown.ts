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
];

/**
 * Lines that like to disturb each other, in a random order. Few kinds of lines make long lists, tables and quotes,
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
