import type { Attributes } from "./tree.ts";

/**
 * Port: the few operations that rendering needs. Nodes are only ever inserted, replaced or removed, and text is only
 * extended or set, so that an implementation has no decisions to make.
 */
export interface TreeTarget<Node> {
  element(name: string, attributes: Attributes): Node;
  text(value: string): Node;
  append(parent: Node, child: Node): void;
  /** Inserts a node before one that has a parent. */
  insertBefore(next: Node, fresh: Node): void;
  replace(old: Node, fresh: Node): void;
  remove(node: Node): void;
  /** Changes a text node from `old` to `value`, which often begins with `old`. */
  setText(node: Node, value: string, old: string): void;
}
