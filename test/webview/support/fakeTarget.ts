import type { Attributes, TreeTarget } from "../../../src/webview/markdown/tree.ts";

/** A node of a fake page. */
export interface FakeNode {
  readonly name: string;
  readonly attributes: Attributes;
  readonly children: FakeNode[];
  text: string;
  parent: FakeNode | undefined;
}

/** Counts the operations of the renderer on its nodes, and checks that none of them are invalid. */
export class FakeTarget implements TreeTarget<FakeNode> {
  operations = 0;

  element(name: string, attributes: Attributes): FakeNode {
    return this.#create(name, attributes, "");
  }

  text(value: string): FakeNode {
    return this.#create("#text", {}, value);
  }

  append(parent: FakeNode, child: FakeNode): void {
    this.operations += 1;
    if (child.parent !== undefined) throw new Error("The node is in the tree already.");
    child.parent = parent;
    parent.children.push(child);
  }

  insertBefore(next: FakeNode, fresh: FakeNode): void {
    this.operations += 1;
    if (fresh.parent !== undefined) throw new Error("The node is in the tree already.");
    const { siblings, index } = this.#place(next);
    siblings.splice(index, 0, fresh);
    fresh.parent = next.parent;
  }

  replace(old: FakeNode, fresh: FakeNode): void {
    this.operations += 1;
    const { siblings, index } = this.#place(old);
    siblings[index] = fresh;
    fresh.parent = old.parent;
    old.parent = undefined;
  }

  remove(node: FakeNode): void {
    this.operations += 1;
    const { siblings, index } = this.#place(node);
    siblings.splice(index, 1);
    node.parent = undefined;
  }

  setText(node: FakeNode, value: string, old: string): void {
    if (node.text !== old) throw new Error("The text is not the one that was said.");
    if (value !== old) this.operations += 1;
    node.text = value;
  }

  #create(name: string, attributes: Attributes, text: string): FakeNode {
    this.operations += 1;
    return { name, attributes, children: [], text, parent: undefined };
  }

  #place(node: FakeNode): { siblings: FakeNode[]; index: number } {
    const siblings = node.parent?.children ?? [];
    const index = siblings.indexOf(node);
    if (index < 0) throw new Error("The node is not in the tree.");
    return { siblings, index };
  }
}

/** The nodes as text, for comparison. */
export function describeNode(node: FakeNode, indent = ""): string {
  if (node.name === "#text") return `${indent}${JSON.stringify(node.text)}\n`;
  const attributes = Object.entries(node.attributes).map(
    ([name, value]) => ` ${name}=${JSON.stringify(value)}`,
  );
  const children = node.children.map((child) => describeNode(child, `${indent}  `));
  return `${indent}<${node.name}${attributes.join("")}>\n${children.join("")}`;
}
