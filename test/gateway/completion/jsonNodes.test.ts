import assert from "node:assert/strict";
import { isJson } from "../../../src/core/kernel/json.ts";
import { locateValues, parseCutJson, validValueEnd } from "../../../src/gateway/completion/jsonNodes.ts";
import { assertLinearWork } from "../../support/countedWork.ts";
import { createRandom } from "../../support/random.ts";
import { damage, randomValue } from "../../support/randomJson.ts";

describe("The end of a JSON value in a text", () => {
  it("is found for what JSON.parse accepts, and for nothing else", () => {
    for (let seed = 1; seed <= 4000; seed += 1) {
      const random = createRandom(seed);
      const whole = JSON.stringify(randomValue(random, 4), undefined, random() < 0.3 ? 1 : 0);
      const text = random() < 0.3 ? whole : damage(random, whole);
      // Whitespace around a value belongs to the surrounding text.
      if (text !== text.trim()) continue;
      const isValue = validValueEnd(text, 0) === text.length;
      assert.equal(isValue, isJson(text), text);
      assert.equal(validValueEnd(`[${text}`, 1) === text.length + 1, isValue, text);
    }
  });

  it("isn't found if values are nested too deeply or the text ends", () => {
    assert.equal(validValueEnd("[".repeat(31) + "]".repeat(31), 0), 62);
    assert.equal(validValueEnd("[".repeat(32) + "]".repeat(32), 0), -1);
    assert.equal(validValueEnd("[".repeat(100_000), 0), -1);
    for (const text of ["[]", "[0]", "[10,0,255]", "[1, 2]", "[1,[2],-3.5e1]"])
      assert.equal(validValueEnd(text, 0), text.length, text);
    for (const text of [
      "",
      "{",
      "[",
      '"',
      '"a',
      '{"a"',
      '{"a":',
      '{"a":1',
      "[1",
      "[1,",
      "[1,]",
      "[,1]",
      "[1,,2]",
      "[01]",
      "[1 2]",
      "-",
      "1.",
      "1e",
      "tru",
      '"\\',
    ])
      assert.equal(validValueEnd(text, 0), -1, text);
  });

  it("is known for each member, unless a name occurs twice", () => {
    const text = '{"a": [1, {"b" : "\\""}], "c":null}';
    const root = locateValues(text);
    const at = (...names: readonly string[]): string | undefined => {
      const node = names.reduce((member, name) => member?.members.get(name), root);
      return node === undefined ? undefined : text.slice(node.start, node.end);
    };
    assert.deepEqual(
      [at(), at("a"), at("a", "0"), at("a", "1", "b"), at("c"), at("d")],
      [text, '[1, {"b" : "\\""}]', "1", '"\\""', "null", undefined],
    );
    assert.equal(locateValues('{"a":1,"\\u0061":2}'), undefined);
    assert.equal(locateValues('{"a":{"b":1,"b":1}}'), undefined);
  });

  it("is known for values of every depth that is looked at, and of no deeper ones", () => {
    const nested = (depth: number): string => "[".repeat(depth) + "]".repeat(depth);
    assert.deepEqual(
      [nested(31), nested(32)].map((text) => locateValues(text)?.end),
      [62, undefined],
    );
    assert.equal(validValueEnd(nested(32), 0), -1);
  });
});

describe("JSON text whose end is missing", () => {
  it("is read up to where it was cut", () => {
    assert.deepEqual(parseCutJson('{"a":[1,{"b":"c\\"d'), { a: [1, { b: 'c"d' }] });
    assert.deepEqual(parseCutJson('{"a":"\\u00e4\\u00'), { a: "\u00e4" });
    assert.deepEqual(parseCutJson('["a","\\n","b","c\\'), ["a", "\n", "b", "c"]);
  });

  for (const [name, piece] of [
    ["strings", '"text",'],
    ["escapes", '"\\n",'],
    ["objects", '{"a":'],
  ] as const)
    it(`is read in linear time if it has many ${name}`, () =>
      assertLinearWork(
        1_000,
        (size) => `[${piece.repeat(size)}"\\n`,
        (text) => void parseCutJson(text),
      ));
});
