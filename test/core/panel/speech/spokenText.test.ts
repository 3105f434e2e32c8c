import assert from "node:assert/strict";
import { SpokenText } from "../../../../src/core/panel/speech/spokenText.ts";
import { assertLinearWork } from "../../../support/countedWork.ts";

function say(pieces: readonly string[]): readonly string[] {
  const spoken = new SpokenText((language, lines) => `<${language} ${lines}>`);
  return [...pieces.flatMap((piece) => spoken.append(piece)), ...spoken.finish()];
}

describe("SpokenText", () => {
  it("says each sentence when it is whole, not before", () => {
    const spoken = new SpokenText(() => "");
    assert.deepEqual(spoken.append("The first one. The sec"), ["The first one."]);
    assert.deepEqual(spoken.append("ond one! And"), ["The second one!"]);
    assert.deepEqual(spoken.finish(), ["And"]);
  });

  it("says the same however the text is cut into pieces", () => {
    const text = "# Head\n\nOne. Two?\n\n```ts\na();\nb();\n```\nEnd **of** it.\n- [x] done\n1. `first`\n";
    const whole = ["Head", "One.", "Two?", "<ts 2>", "End of it.", "done", "first"];
    assert.deepEqual(say([text]), whole);
    assert.deepEqual(say(text.split("")), whole);
  });

  it("ends sentences of Chinese and Japanese at their own marks", () => {
    assert.deepEqual(say(["你好。今天天气很好！", "そうです。"]), ["你好。", "今天天气很好！", "そうです。"]);
  });

  it("doesn't take the point of a number for an end", () => {
    assert.deepEqual(say(["Pi is 3.14 or so. ", "Yes."]), ["Pi is 3.14 or so.", "Yes."]);
  });

  it("names code instead of spelling it, also where it is cut", () => {
    assert.deepEqual(say(["```python\nprint(1)\nprint("]), ["<python 2>"]);
  });

  it("says cells of a table with pauses and leaves out its rule", () => {
    assert.deepEqual(say(["| a | b |\n| --- | --- |\n| 1 | 2 |\n"]), ["a, b", "1, 2"]);
  });

  it("says names of links, not their targets", () => {
    assert.deepEqual(say(["See [the manual](https://example.com/a_b) now.\n"]), ["See the manual now."]);
  });

  it("cuts what never ends", () => {
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
  ] as const)
    it(`takes time in proportion to its text: ${name}`, async () => {
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

  it("takes a delta of more sentences than a call takes arguments", () => {
    assert.equal(say(["So. ".repeat(200_000)]).length, 200_000);
  });
});
