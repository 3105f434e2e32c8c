// A bundle of the page: loaded when the first formula comes near to sight.
import katex from "katex";
import type { KatexOptions } from "katex";
import type { Tree } from "../markdown/tree.ts";
import { namespaceOf, parseDeclarations, parseMathMarkup } from "../markdown/math/mathMarkup.ts";
import { mathEvent } from "../markdown/math/typesetMath.ts";
import type { TypesetMath } from "../markdown/math/typesetMath.ts";

/** No links, no pictures, no classes or styles of the author's own; expansion and size have an end. */
const options: KatexOptions = {
  output: "htmlAndMathml",
  trust: false,
  strict: "ignore",
  maxExpand: 500,
  maxSize: 25,
  throwOnError: true,
};

const typeset: TypesetMath = (tex, displayMode) => {
  const markup = katex.renderToString(tex, { ...options, displayMode, macros: {} });
  const fragment = document.createDocumentFragment();
  for (const tree of parseMathMarkup(markup)) fragment.append(build(tree));
  return fragment;
};

function build(tree: Tree): Node {
  if (typeof tree === "string") return document.createTextNode(tree);
  const namespace = namespaceOf(tree);
  const node =
    namespace === undefined
      ? document.createElement(tree.name)
      : document.createElementNS(namespace, tree.name);
  for (const [name, value] of Object.entries(tree.attributes)) {
    if (name !== "style") node.setAttribute(name, value);
    else if (node instanceof HTMLElement || node instanceof SVGElement || node instanceof MathMLElement)
      for (const [property, setting] of parseDeclarations(value)) node.style.setProperty(property, setting);
  }
  node.append(...tree.children.map(build));
  return node;
}

document.dispatchEvent(new CustomEvent(mathEvent, { detail: typeset }));
