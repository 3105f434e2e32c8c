import assert from "node:assert/strict";
import { createInstance } from "../../../src/localGateway/schema/createInstance.ts";
import { validateJson } from "../../../src/processes/responses/validateJson.ts";
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
  "tuple of draft-07": {
    $schema: "http://json-schema.org/draft-07/schema#",
    ...{ type: "array", items: [{ type: "string" }, { type: "integer" }], minItems: 2 },
  },
  "small steps": { type: "number", multipleOf: 0.01, minimum: 0.005, maximum: 0.3 },
  "what an object inherits": { type: "object", required: ["toString"] },
  tree,
};

describe("A value generated for a schema", () => {
  for (const [name, schema] of Object.entries(schemas)) {
    it(`is valid: ${name}`, () => {
      for (let seed = 1; seed <= 10; seed++) {
        const value = createInstance(schema, seededRandom(seed));
        assert.notEqual(value, undefined);
        const json = JSON.stringify(value);
        assert.deepEqual(validateJson(schema, json), { state: "valid" }, json);
      }
    });
  }
  it("never is a value that the schema rejects, even if the schema is hard to satisfy", () => {
    assert.equal(
      createInstance({ type: "array", items: { const: 1 }, minItems: 2, uniqueItems: true }, seededRandom(1)),
      undefined,
    );
    assert.equal(createInstance({ enum: ["a"], type: "integer" }, seededRandom(1)), undefined);
  });
  it("is the same for the same seed", () =>
    assert.deepEqual(createInstance(tree, seededRandom(4)), createInstance(tree, seededRandom(4))));
  it("matches the requested pattern", () =>
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
    it(`is undefined if none exists: ${JSON.stringify(schema)}`, () =>
      assert.equal(createInstance(schema, seededRandom(1)), undefined));
  }
});
