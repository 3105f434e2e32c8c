import assert from "node:assert/strict";
import { childNodes, nodesTo } from "../../../../src/core/responses/structured/jsonNodes.ts";
import type { JsonNode } from "../../../../src/core/responses/structured/jsonNodes.ts";

function root(value: unknown): JsonNode {
  return { label: "", pointer: "", value };
}

const pointers = (nodes: readonly JsonNode[]): readonly string[] => nodes.map(({ pointer }) => pointer);

describe("The rows of a JSON tree", () => {
  it("are members and items with their JSON pointers", () => {
    assert.deepEqual(pointers(childNodes(root({ "a/b": 1, "c~": [] }))), ["/a~1b", "/c~0"]);
    assert.deepEqual(pointers(childNodes({ label: "x", pointer: "/x", value: [1, 2] })), ["/x/0", "/x/1"]);
    assert.deepEqual(childNodes(root("text")), []);
    assert.deepEqual(childNodes(root(null)), []);
  });

  it("are parts where there are more than a hundred, and parts of parts", () => {
    const list = root(Array.from({ length: 10_050 }, (_, index) => index));
    const parts = childNodes(list);
    assert.deepEqual(
      parts.map(({ label }) => label),
      ["0 … 9999", "10000 … 10049"],
    );
    const [first, second] = parts;
    assert.ok(first && second);
    assert.equal(childNodes(first).length, 100);
    assert.equal(childNodes(second).length, 50);
    assert.deepEqual(childNodes(second)[0], { label: "10000", pointer: "/10000", value: 10_000 });
  });

  it("lead to a value through all that must be opened", () => {
    const tree = root({ list: Array.from({ length: 250 }, () => ({ a: { b: 1 } })) });
    const path = nodesTo(tree, "/list/220/a/b");
    assert.deepEqual(
      path.map(({ label }) => label),
      ["", "list", "200 … 249", "220", "a", "b"],
    );
  });

  it("lead as far as the pointer does", () => {
    assert.deepEqual(pointers(nodesTo(root({ a: {} }), "/a/missing")), ["", "/a"]);
    assert.deepEqual(pointers(nodesTo(root(1), "")), [""]);
  });
});
