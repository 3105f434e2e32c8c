import type { TreeTarget } from "./tree.ts";

/**
 * Renders into the document. `onElement` is called for every element that is created. HTML is never parsed: every node
 * is created by name.
 */
export function createDomTarget(page: Document, onElement?: (node: Element) => void): TreeTarget<Node> {
  return {
    element(name, attributes) {
      const node = page.createElement(name);
      for (const key in attributes) node.setAttribute(key, attributes[key] ?? "");
      onElement?.(node);
      return node;
    },
    text: (value) => page.createTextNode(value),
    append: (parent, child) => void parent.appendChild(child),
    insertBefore: (next, fresh) => next.parentNode?.insertBefore(fresh, next),
    replace: (old, fresh) => old.parentNode?.replaceChild(fresh, old),
    remove: (node) => node.parentNode?.removeChild(node),
    setText(node, value, old) {
      if (!(node instanceof Text)) return;
      // Appending preserves the user's selection in the existing part.
      if (value.startsWith(old)) node.appendData(value.slice(old.length));
      else node.data = value;
    },
  };
}
