import assert from "node:assert/strict";
import { createInstance } from "../../../src/localGateway/schema/createInstance.ts";
import { isValid } from "../../../src/localGateway/schema/isValid.ts";
import { seededRandom } from "../../../src/localGateway/kernel/seededRandom.ts";

const tree = {
  $defs: {
    node: {
      type: "object",
      properties: {
        name: { type: "string" },
        children: { type: "array", items: { $ref: "#/$defs/node" } },
        parent: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] },
      },
      required: ["name", "children", "parent"],
      additionalProperties: false,
    },
  },
  $ref: "#/$defs/node",
};

const schemas: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  anything: {},
  constant: { const: { a: [1] } },
  "nullable text": { type: ["string", "null"], minLength: 3, maxLength: 5 },
  "long text": { type: "string", minLength: 200 },
  pattern: { type: "string", pattern: "^(?:[a-f0-9]{2}:){5}[a-f0-9]{2}$" },
  alternatives: { type: "string", pattern: "^(?:north|south)-[^a-z]\\w+\\.$" },
  "date and time": { type: "string", format: "date-time" },
  "narrow number": { type: "number", exclusiveMinimum: 0, exclusiveMaximum: 0.01 },
  "large integer": { type: "integer", minimum: 1000 },
  "negative integer": { type: "integer", maximum: -5 },
  multiple: { type: "integer", multipleOf: 7, minimum: 50, maximum: 60 },
  "array of exact length": { type: "array", items: { type: "boolean" }, minItems: 3, maxItems: 3 },
  "unique items": { type: "array", items: { enum: ["a", "b", "c"] }, minItems: 3, uniqueItems: true },
  tuple: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false },
  "required without properties": { type: "object", required: ["a", "b"] },
  "all of": {
    allOf: [
      { type: "object", properties: { a: { type: "integer" } }, required: ["a"] },
      { properties: { b: { enum: ["x"] } }, required: ["b"] },
    ],
  },
  "one of": { oneOf: [{ type: "integer" }, { type: "string", maxLength: 2 }] },
  tree,
};

describe("a value made for a schema", () => {
  for (const [name, schema] of Object.entries(schemas)) {
    it(`satisfies it: ${name}`, () => {
      for (let seed = 1; seed <= 10; seed++) {
        const value = createInstance(schema, seededRandom(seed));
        assert.notEqual(value, undefined);
        assert.ok(isValid(value, schema), JSON.stringify(value));
      }
    });
  }
  it("is the same for the same seed", () =>
    assert.deepEqual(createInstance(tree, seededRandom(4)), createInstance(tree, seededRandom(4))));
  it("has the pattern that was asked for", () =>
    assert.match(
      String(createInstance(schemas["pattern"] ?? {}, seededRandom(1))),
      /^(?:[a-f0-9]{2}:){5}[a-f0-9]{2}$/,
    ));
  for (const schema of [
    { not: {} },
    { type: "integer", minimum: 2, maximum: 1 },
    { $ref: "https://example.com/schema.json" },
    { $ref: "#/nowhere" },
    { type: "string", pattern: "(" },
    { allOf: [{ $ref: "#" }], type: "string", const: 1 },
  ]) {
    it(`is not made where there is none: ${JSON.stringify(schema)}`, () =>
      assert.equal(createInstance(schema, seededRandom(1)), undefined));
  }
});

describe("a value checked against a schema", () => {
  const wrong: readonly (readonly [unknown, Readonly<Record<string, unknown>>])[] = [
    ["1", { type: "integer" }],
    [1.5, { type: "integer" }],
    [null, { type: "string" }],
    ["ab", { minLength: 3 }],
    ["👋👋", { maxLength: 1 }],
    [4, { multipleOf: 3 }],
    [1, { exclusiveMinimum: 1 }],
    [[1, 1], { uniqueItems: true }],
    [[1], { minItems: 2 }],
    [["x"], { items: { type: "number" } }],
    [{}, { required: ["a"] }],
    [{}, { required: ["toString"] }],
    [{ a: 1 }, { properties: {}, additionalProperties: false }],
    [1, { anyOf: [{ type: "string" }, { type: "null" }] }],
    [1, { oneOf: [{ type: "integer" }, { type: "number" }] }],
    [1, { if: { type: "integer" }, then: { minimum: 2 } }],
    [2, { enum: [1, "2"] }],
  ];
  for (const [value, schema] of wrong) {
    it(`is refused: ${JSON.stringify(value)} against ${JSON.stringify(schema)}`, () =>
      assert.ok(!isValid(value, schema)));
  }
});
