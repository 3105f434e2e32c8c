import { equalAttributes } from "./tree.ts";
import type { Tree, TreeTarget } from "./tree.ts";

/** A tree together with the nodes that show it. */
export interface Mounted<Node> {
  tree: Tree;
  readonly node: Node;
  readonly children: Mounted<Node>[];
}

/** Creates the nodes of a tree. The caller inserts the outermost one. */
export function mount<Node>(target: TreeTarget<Node>, tree: Tree): Mounted<Node> {
  if (typeof tree === "string") return { tree, node: target.text(tree), children: [] };
  const node = target.element(tree.name, tree.attributes);
  const children = tree.children.map((child) => mount(target, child));
  for (const child of children) target.append(node, child.node);
  return { tree, node, children };
}

/**
 * Makes the mounted nodes match the tree, changing only what differs. Returns the replacement if the node was replaced.
 */
export function patch<Node>(target: TreeTarget<Node>, mounted: Mounted<Node>, tree: Tree): Mounted<Node> {
  const old = mounted.tree;
  if (old === tree) return mounted;
  if (typeof old === "string" && typeof tree === "string") {
    target.setText(mounted.node, tree, old);
    mounted.tree = tree;
    return mounted;
  }
  if (typeof old !== "string" && typeof tree !== "string" && isSameElement(old, tree)) {
    patchChildren(target, mounted.node, mounted.children, tree.children);
    mounted.tree = tree;
    return mounted;
  }
  const fresh = mount(target, tree);
  target.replace(mounted.node, fresh.node);
  return fresh;
}

/** Makes `children`, which must be the parent's last children, match the trees, except for the first `from` ones. */
export function patchChildren<Node>(
  target: TreeTarget<Node>,
  parent: Node,
  children: Mounted<Node>[],
  trees: readonly Tree[],
  from = 0,
): void {
  for (const surplus of children.splice(trees.length)) target.remove(surplus.node);
  for (const [index, tree] of trees.entries()) {
    if (index < from) continue;
    const child = children[index];
    if (child !== undefined) {
      children[index] = patch(target, child, tree);
      continue;
    }
    const fresh = mount(target, tree);
    target.append(parent, fresh.node);
    children.push(fresh);
  }
}

function isSameElement(a: Exclude<Tree, string>, b: Exclude<Tree, string>): boolean {
  return a.name === b.name && equalAttributes(a.attributes, b.attributes);
}
