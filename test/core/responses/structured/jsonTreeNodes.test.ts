import assert from "node:assert/strict";
import { childNodes, nodesTo } from "../../../../src/core/responses/structured/jsonTreeNodes.ts";
import type { JsonTreeNode } from "../../../../src/core/responses/structured/jsonTreeNodes.ts";

function root(value: unknown): JsonTreeNode {
  return { label: "", pointer: "", value };
}

const pointers = (nodes: readonly JsonTreeNode[]): readonly string[] => nodes.map(({ pointer }) => pointer);

describe("Nodes of a JSON tree", () => {
  it("are properties and items with their JSON pointers", () => {
    assert.deepEqual(pointers(childNodes(root({ "a/b": 1, "c~": [] }))), ["/a~1b", "/c~0"]);
    assert.deepEqual(pointers(childNodes({ label: "x", pointer: "/x", value: [1, 2] })), ["/x/0", "/x/1"]);
    assert.deepEqual(childNodes(root("text")), []);
    assert.deepEqual(childNodes(root(null)), []);
  });

  it("are grouped into ranges if there are more than a hundred, nested if necessary", () => {
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

  it("include every ancestor on the way to a value", () => {
    const tree = root({ list: Array.from({ length: 250 }, () => ({ a: { b: 1 } })) });
    const path = nodesTo(tree, "/list/220/a/b");
    assert.deepEqual(
      path.map(({ label }) => label),
      ["", "list", "200 … 249", "220", "a", "b"],
    );
  });

  it("include the ancestors that exist if the pointer leads to nothing", () => {
    assert.deepEqual(pointers(nodesTo(root({ a: {} }), "/a/missing")), ["", "/a"]);
    assert.deepEqual(pointers(nodesTo(root(1), "")), [""]);
  });
});
