import assert from "node:assert/strict";
import { parseSchema } from "../../../../src/core/responses/structured/parseSchema.ts";
import {
  responseFormat,
  schemaName,
  withResponseFormat,
} from "../../../../src/core/responses/structured/responseFormat.ts";

const schema = { type: "object", properties: { a: { type: "string" } } };

describe("The response format of a conversation", () => {
  it("is stored in the parameters as it is sent to the service", () => {
    const settings = withResponseFormat(
      { systemPrompt: "Be brief.", parameters: { temperature: 0 } },
      { type: "jsonSchema", name: "order", schema },
    );
    assert.deepEqual(settings, {
      systemPrompt: "Be brief.",
      parameters: {
        temperature: 0,
        response_format: { type: "json_schema", json_schema: { name: "order", schema, strict: true } },
      },
    });
    assert.deepEqual(responseFormat(settings), { type: "jsonSchema", name: "order", schema });
  });

  it("is recognized if it allows any object", () => {
    const settings = withResponseFormat(undefined, { type: "jsonObject" });
    assert.deepEqual(settings.parameters, { response_format: { type: "json_object" } });
    assert.deepEqual(responseFormat(settings), { type: "jsonObject" });
  });

  it("leaves nothing behind after it is removed", () => {
    const settings = withResponseFormat({ tools: ["a"] }, { type: "jsonObject" });
    assert.deepEqual(withResponseFormat(settings, undefined), { tools: ["a"] });
  });

  it("is undefined if the parameter has another value", () => {
    assert.equal(responseFormat({ parameters: { response_format: { type: "text" } } }), undefined);
    assert.equal(responseFormat({ parameters: { response_format: "json" } }), undefined);
    assert.equal(responseFormat(undefined), undefined);
  });

  it("has a name that every service accepts", () => {
    assert.equal(schemaName("Größe & Farbe.schema"), "Gr_e_Farbe_schema");
    assert.equal(schemaName("注文"), "answer");
    assert.equal(schemaName("x".repeat(100)).length, 64);
  });
});

describe("An attached schema", () => {
  it("is accepted as is, and named after its title or its file", () => {
    const titled = parseSchema(JSON.stringify({ title: "An order", ...schema }), "file");
    assert.ok(titled.state === "schema");
    assert.equal(titled.format.name, "An_order");
    const plain = parseSchema(JSON.stringify(schema), "file");
    assert.ok(plain.state === "schema");
    assert.equal(plain.format.name, "file");
  });

  it("is extracted from a request's response_format", () => {
    const wrapped = { type: "json_schema", json_schema: { name: "order", strict: true, schema } };
    const parsed = parseSchema(JSON.stringify(wrapped), "file");
    assert.ok(parsed.state === "schema");
    assert.deepEqual(parsed.format, { type: "jsonSchema", name: "order", schema });
  });

  it("isn't mistaken for a wrapped one if it describes a property called schema", () => {
    const described = { type: "object", properties: { schema: { type: "object" } } };
    const parsed = parseSchema(JSON.stringify(described), "file");
    assert.ok(parsed.state === "schema");
    assert.deepEqual(parsed.format.schema, described);
  });

  it("is rejected with an explanation if it is invalid", () => {
    for (const text of ["{", "[]", '"text"', "", `{"a":"${"x".repeat(300_000)}"}`]) {
      const parsed = parseSchema(text, "file");
      assert.ok(parsed.state === "refused", text.slice(0, 20));
      assert.match(parsed.message, /[.:]/);
    }
  });
});
