import assert from "node:assert/strict";
import { estimateTokens } from "../../../../src/core/compose/meter/estimateTokens.ts";
import { createRandom } from "../../../support/random.ts";

const random = createRandom(11);
const bytes = (length: number): Buffer =>
  Buffer.from(Array.from({ length }, () => Math.floor(random() * 256)));
const hex = (length: number): string => bytes(length).toString("hex");
const uuid = (): string => [hex(4), hex(2), hex(2), hex(2), hex(6)].join("-");
const lines = (count: number, line: () => string): string => Array.from({ length: count }, line).join("\n");

/** Each with its tokens in the vocabulary o200k. */
const texts: readonly (readonly [name: string, text: string, tokens: number])[] = [
  ["base64", bytes(3_000).toString("base64"), 2725],
  ["hexadecimal digits", hex(2_000), 2296],
  ["UUIDs", lines(100, uuid), 2376],
  [
    "JSON records",
    JSON.stringify(Array.from({ length: 500 }, (_, id) => ({ id, name: `n${id}`, ok: true }))),
    6502,
  ],
  [
    "a lock file",
    lines(
      50,
      () =>
        `"node_modules/x": {\n  "version": "2.2.0",\n  "integrity": "sha512-${bytes(64).toString("base64")}"\n}`,
    ),
    4373,
  ],
  ["numbers", lines(300, () => (random() * 1e6).toFixed(4)), 1799],
  ["Thai", "ภาษาไทยเป็นภาษาที่มีระดับเสียงของคำแน่นอนหรือวรรณยุกต์เช่นเดียวกับภาษาจีน ".repeat(9), 253],
  ["Hindi", "हिन्दी विश्व की एक प्रमुख भाषा है और भारत की एक राजभाषा है। ".repeat(9), 156],
  [
    "Arabic",
    "اللغة العربية هي أكثر اللغات السامية تحدثا، وإحدى أكثر اللغات انتشارا في العالم. ".repeat(9),
    191,
  ],
  ["Russian", "Русский язык является одним из восточнославянских языков. ".repeat(9), 136],
  ["Chinese", "汉语，又称中文、华语，是汉藏语系的主要语言之一。".repeat(9), 162],
  ["Korean", "한국어는 대한민국과 조선민주주의인민공화국의 공용어이다. ".repeat(9), 190],
  ["English", "The code is divided into floors. A lower floor never imports a higher one. ".repeat(9), 145],
  [
    "code",
    "export function estimateTokens(text: string): number {\n  return Math.ceil(sum);\n}\n".repeat(9),
    153,
  ],
  ["emoji", "😀🎉👍🏽🔥✨🚀".repeat(30), 300],
];

describe("An estimate of tokens", () => {
  for (const [name, text, tokens] of texts)
    it(`of ${name} isn't far below what the text costs, so that a conversation is shortened in time`, () => {
      const share = estimateTokens(text) / tokens;
      assert.ok(share > 0.8 && share < 1.4, `${share.toFixed(2)} of ${tokens}`);
    });

  it("takes linear time, also for a text without spaces", () => {
    assert.ok(estimateTokens("x".repeat(2_000_000)) > 100_000);
    assert.ok(estimateTokens("🎉".repeat(200_000)) > 100_000);
  });
});
