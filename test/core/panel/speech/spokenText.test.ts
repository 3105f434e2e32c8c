import assert from "node:assert/strict";
import { SpokenText } from "../../../../src/core/panel/speech/spokenText.ts";
import { assertLinearWork } from "../../../support/countedWork.ts";

function say(pieces: readonly string[]): readonly string[] {
  const spoken = new SpokenText((language, lines) => `<${language} ${lines}>`);
  return [...pieces.flatMap((piece) => spoken.append(piece)), ...spoken.finish()];
}

describe("SpokenText", () => {
  it("speaks each sentence only once it is complete", () => {
    const spoken = new SpokenText(() => "");
    assert.deepEqual(spoken.append("The first one. The sec"), ["The first one."]);
    assert.deepEqual(spoken.append("ond one! And"), ["The second one!"]);
    assert.deepEqual(spoken.finish(), ["And"]);
  });

  it("passes over what isn't heard, and then continues with the next sentence", () => {
    let isHeard = true;
    const spoken = new SpokenText(
      () => "",
      () => isHeard,
    );
    assert.deepEqual(spoken.append("The first one. "), ["The first one."]);
    isHeard = false;
    assert.deepEqual(spoken.append("The second one. The\nthird. And the "), []);
    isHeard = true;
    assert.deepEqual(spoken.append("fourth. "), ["And the fourth."]);
  });

  it("speaks the same sentences however the text is split", () => {
    const text = "# Head\n\nOne. Two?\n\n```ts\na();\nb();\n```\nEnd **of** it.\n- [x] done\n1. `first`\n";
    const whole = ["Head", "One.", "Two?", "<ts 2>", "End of it.", "done", "first"];
    assert.deepEqual(say([text]), whole);
    assert.deepEqual(say(text.split("")), whole);
  });

  it("ends Chinese and Japanese sentences at their own punctuation", () => {
    assert.deepEqual(say(["你好。今天天气很好！", "そうです。"]), ["你好。", "今天天气很好！", "そうです。"]);
  });

  it("doesn't end a sentence at a decimal point", () => {
    assert.deepEqual(say(["Pi is 3.14 or so. ", "Yes."]), ["Pi is 3.14 or so.", "Yes."]);
  });

  it("announces code instead of reading it aloud, even if it is split", () => {
    assert.deepEqual(say(["```python\nprint(1)\nprint("]), ["<python 2>"]);
  });

  for (const [name, text] of [
    ["a list item", "10. Run:\n    ```sh\n    npm i\n    ```\n    Done.\n"],
    ["a nested item, next to its mark", "- Steps:\n  - ```sh\n    npm i\n    ```\nDone.\n"],
    ["a quotation", "> Run:\n> ```sh\n> npm i\n> ```\n> Done.\n"],
    ["a quotation that ends before the block", "> ```sh\n> npm i\nDone.\n"],
  ] as const)
    it(`announces code in ${name}`, () => {
      const said = text.includes("Run") ? ["Run:"] : text.includes("Steps") ? ["Steps:"] : [];
      assert.deepEqual(say([text]), [...said, "<sh 1>", "Done."]);
      assert.deepEqual(say(text.split("")), [...said, "<sh 1>", "Done."]);
    });

  it("ends code only at a line that consists of its mark", () => {
    const text = "````md\n```js\n1\n```\n````\n~~~\n~~~js\n> ~~~\n~~~~\nDone.\n";
    assert.deepEqual(say([text]), ["<md 3>", "< 2>", "Done."]);
    assert.deepEqual(say(text.split("")), ["<md 3>", "< 2>", "Done."]);
  });

  it("speaks a line that starts with inline code", () => {
    const text = "```npm i``` installs it.\nDone.\n";
    assert.deepEqual(say([text]), ["npm i installs it.", "Done."]);
    assert.deepEqual(say(text.split("")), ["npm i installs it.", "Done."]);
  });

  it("reads table cells with pauses and skips the separator row", () => {
    assert.deepEqual(say(["| a | b |\n| --- | --- |\n| 1 | 2 |\n"]), ["a, b", "1, 2"]);
  });

  it("reads the text of a link, not its target", () => {
    assert.deepEqual(say(["See [the manual](https://example.com/a_b) now.\n"]), ["See the manual now."]);
  });

  it("splits an endless sentence", () => {
    const said = say(["word ".repeat(1_000)]);
    assert.ok(said.length > 5);
    assert.ok(said.every((sentence) => sentence.length <= 400));
  });

  for (const [name, piece] of [
    ["marks without an end", "!"],
    ["closing quotation marks", '!"'],
    ["open brackets", "[["],
    ["open links", "[a]("],
    ["bars", " |"],
    ["spaces", " "],
    ["quotation signs", "> "],
    ["stars", "*"],
    ["sentences", "So. "],
    ["ideographic marks", "。"],
    ["lines", "a\n"],
    ["code without a line end", "```\nx"],
    ["list marks", "1. "],
    ["fences", "> ```\n"],
  ] as const)
    it(`takes linear time for ${name}`, async () => {
      const speak = (text: string): void => {
        const spoken = new SpokenText(() => "");
        spoken.append(text);
        spoken.finish();
      };
      assertLinearWork(4_000, (size) => piece.repeat(size), speak);
      assertLinearWork(
        2_000,
        (size) => Array.from({ length: size }, () => piece),
        (pieces) => say(pieces),
      );
    });

  it("handles a delta with more sentences than a call can have arguments", () => {
    assert.equal(say(["So. ".repeat(200_000)]).length, 200_000);
  });
});
