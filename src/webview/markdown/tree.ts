/** The content of the page as plain data, so that the renderer can be tested without a browser. */
export type Tree = string | ElementTree;

/** An element by its name in HTML, MathML, or SVG, with its content. */
export interface ElementTree {
  readonly name: string;
  readonly attributes: Attributes;
  readonly children: readonly Tree[];
}

/** Attributes by name, as they are set on the element. */
export type Attributes = Readonly<Record<string, string>>;

const noAttributes: Attributes = {};

/** Creates an element with its attributes and children. */
export function element(
  name: string,
  attributes: Attributes = noAttributes,
  children: readonly Tree[] = [],
): ElementTree {
  return { name, attributes, children };
}

/** Whether two sets of attributes are equal. */
export function equalAttributes(a: Attributes, b: Attributes): boolean {
  if (a === b) return true;
  const names = Object.keys(a);
  return names.length === Object.keys(b).length && names.every((name) => a[name] === b[name]);
}

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
