import assert from "node:assert/strict";
import { ThreadValidator } from "../../../src/processes/responses/threadValidator.ts";

const thread = new URL("../../../src/processes/responses/validatorThread.ts", import.meta.url);
const order = {
  type: "object",
  required: ["name", "items"],
  additionalProperties: false,
  properties: {
    name: { type: "string", minLength: 1 },
    items: { type: "array", items: { enum: ["a", "b/c"] }, maxItems: 2 },
  },
};

describe("The validator in its own thread", () => {
  const validator = new ThreadValidator({ thread });
  after(() => validator.dispose());

  const problems = async (schema: unknown, value: unknown): Promise<readonly string[]> => {
    const verdict = await validator.validate(schema, JSON.stringify(value));
    if (verdict.state === "valid") return [];
    assert.ok(verdict.state === "invalid", JSON.stringify(verdict));
    return verdict.problems.map(({ path, keyword, detail }) => `${path} ${keyword} ${detail}`);
  };

  it("accepts what the schema allows", async () => {
    assert.deepEqual(await problems(order, { name: "x", items: ["a"] }), []);
  });

  it("lists every problem at its JSON pointer", async () => {
    assert.deepEqual(await problems(order, { name: 1, items: ["a", "c", "a"], "x/y~": 0 }), [
      " additionalProperties x/y~",
      "/name type string",
      "/items maxItems 2",
      '/items/1 enum "a", "b/c"',
    ]);
    assert.deepEqual(await problems(order, {}), [" required name", " required items"]);
  });

  it("counts in decimal steps", async () => {
    const price = { type: "number", multipleOf: 0.01 };
    for (const value of [0.28, 0.07, 19.99, 1e6 + 0.01]) assert.deepEqual(await problems(price, value), []);
    assert.deepEqual(await problems(price, 0.285), [" multipleOf 0.01"]);
  });

  it("supports draft-07 and 2020-12, with or without a declared version", async () => {
    const pair = { type: "array", items: [{ type: "string" }, { type: "number" }] };
    assert.deepEqual(await problems(pair, ["a", "b"]), ["/1 type number"]);
    const draft07 = { $schema: "http://json-schema.org/draft-07/schema#", ...pair };
    assert.deepEqual(await problems(draft07, ["a", "b"]), ["/1 type number"]);
    const current = {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      type: "array",
      prefixItems: [{ const: 1 }],
    };
    assert.deepEqual(await problems(current, [2]), ["/0 const 1"]);
  });

  it("follows references inside the schema and none outside it", async () => {
    const inside = { $defs: { n: { type: "number" } }, properties: { a: { $ref: "#/$defs/n" } } };
    assert.deepEqual(await problems(inside, { a: "x" }), ["/a type number"]);
    for (const ref of ["https://example.com/schema.json", "file:///etc/passwd", "other.json"]) {
      const verdict = await validator.validate({ $ref: ref }, "1");
      assert.ok(verdict.state === "badSchema", ref);
      assert.match(verdict.message, /resolve/);
    }
  });

  it("follows references to the schema itself", async () => {
    const tree = {
      type: "object",
      properties: { label: { type: "string" }, children: { type: "array", items: { $ref: "#" } } },
      required: ["label", "children"],
      additionalProperties: false,
    };
    assert.deepEqual(await problems(tree, { label: "a", children: [{ label: "b", children: [] }] }), []);
    assert.deepEqual(await problems(tree, { label: "a", children: [{ label: 1, children: [] }] }), [
      "/children/0/label type string",
    ]);
    const named = { $id: "https://example.com/tree", properties: { next: { $ref: "#" } }, type: "object" };
    for (const schema of [named, named])
      assert.deepEqual(await problems(schema, { next: { next: 1 } }), ["/next/next type object"]);
  });

  it("supports draft-04 and unknown dialects", async () => {
    const draft04 = {
      $schema: "http://json-schema.org/draft-04/schema#",
      id: "http://example.com/price",
      type: "object",
      properties: { price: { type: "number", minimum: 0, exclusiveMinimum: true }, id: { type: "string" } },
    };
    assert.deepEqual(await problems(draft04, { price: 1, id: "a" }), []);
    assert.deepEqual(await problems(draft04, { price: 0 }), ["/price exclusiveMinimum 0"]);
    const dialect = { $schema: "https://example.com/my-dialect", type: "object" };
    assert.deepEqual(await problems(dialect, 1), [" type object"]);
  });

  it("reads the patterns of other languages, and reports those that it can't check", async () => {
    for (const pattern of ["(?i)^x$", "\\A(?P<a>X)\\Z", "^[\\w\\-]$"])
      assert.deepEqual(await problems({ type: "string", pattern }, "X"), [], pattern);
    assert.deepEqual(await problems({ pattern: "(?i)^x$" }, "y"), [" pattern (?i)^x$"]);
    const atomic = { type: "string", pattern: "(?>a+)b" };
    assert.deepEqual(await validator.validate(atomic, undefined), { state: "valid" });
    assert.deepEqual(await validator.validate(atomic, '"x"'), { state: "partlyValid", pattern: "(?>a+)b" });
    assert.deepEqual(await problems(atomic, 1), [" type string"]);
  });

  it("reports what is wrong with a schema even without a value", async () => {
    assert.deepEqual(await validator.validate(order, undefined), { state: "valid" });
    for (const bad of [{ type: "strnig" }, { pattern: "(" }, { properties: 1 }, []]) {
      const verdict = await validator.validate(bad, undefined);
      assert.ok(verdict.state === "badSchema", JSON.stringify(bad));
      assert.notEqual(verdict.message, "");
    }
  });

  it("ignores formats and unknown keywords", async () => {
    assert.deepEqual(await problems({ type: "string", format: "x-color", "x-note": 1 }, "red"), []);
  });

  it("counts the problems that it leaves out", async () => {
    const verdict = await validator.validate(
      { items: { type: "string" } },
      JSON.stringify(Array(250).fill(1)),
    );
    assert.ok(verdict.state === "invalid");
    assert.equal(verdict.problems.length, 100);
    assert.equal(verdict.more, 150);
  });

  it("abandons a pattern that never finishes, and continues with the next check", async () => {
    const impatient = new ThreadValidator({ thread, timeLimit: 1_000 });
    const endless = impatient.validate({ pattern: "^(a+)+$" }, JSON.stringify(`${"a".repeat(60)}!`));
    const next = impatient.validate({ type: "number" }, "1");
    assert.deepEqual(await endless, { state: "tooLong" });
    assert.deepEqual(await next, { state: "valid" });
    impatient.dispose();
  });

  it("handles a schema that is nested too deeply for the stack", async () => {
    const deep = JSON.parse(`${'{"not":'.repeat(20_000)}{}${"}".repeat(20_000)}`) as unknown;
    const verdict = await validator.validate(deep, "1").catch(() => "rejected");
    assert.notEqual(verdict, "rejected");
    assert.deepEqual(await problems({ type: "number" }, 1), []);
  });
});
