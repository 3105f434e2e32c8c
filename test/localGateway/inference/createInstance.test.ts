import assert from "node:assert/strict";
import { createInstance } from "../../../src/localGateway/inference/createInstance.ts";
import { validateJson } from "../../../src/processes/responses/validateJson.ts";

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
  "large integer": { type: "integer", minimum: 1000 },
  "negative integer": { type: "integer", maximum: -5 },
  "array of exact length": { type: "array", items: { type: "boolean" }, minItems: 3, maxItems: 3 },
  "unique items": { type: "array", items: { type: "string" }, minItems: 3, uniqueItems: true },
  tuple: { type: "array", prefixItems: [{ type: "string" }, { type: "integer" }], items: false },
  "required without properties": { type: "object", required: ["a", "b"] },
  "one of": { oneOf: [{ type: "integer" }, { type: "string", maxLength: 2 }] },
  "what an object inherits": { type: "object", required: ["toString"] },
  tree,
};

describe("A value generated for a schema", () => {
  for (const [name, schema] of Object.entries(schemas)) {
    it(`is valid: ${name}`, () => {
      const value = createInstance(schema);
      assert.notEqual(value, undefined);
      const json = JSON.stringify(value);
      assert.deepEqual(validateJson(schema, json), { state: "valid" }, json);
    });
  }
  it("never is a value that the schema rejects, even if the schema is hard to satisfy", () => {
    const same = { type: "array", items: { const: 1 }, minItems: 2, uniqueItems: true };
    assert.equal(createInstance(same), undefined);
    assert.equal(createInstance({ enum: ["a"], type: "integer" }), undefined);
    assert.equal(createInstance({ type: "string", pattern: "^[0-9]+$" }), undefined);
  });
  for (const schema of [
    { not: {} },
    { type: "integer", minimum: 2, maximum: 1 },
    { $ref: "https://example.com/schema.json" },
    { $ref: "#/nowhere" },
    { type: "string", pattern: "(" },
    { allOf: [{ $ref: "#" }], type: "string", const: 1 },
  ]) {
    it(`is undefined if none exists: ${JSON.stringify(schema)}`, () =>
      assert.equal(createInstance(schema), undefined));
  }
});
