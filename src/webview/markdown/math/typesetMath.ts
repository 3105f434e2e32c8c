// Loaded when the first formula becomes visible.
import { t } from "@vscode/l10n";
import katex from "katex";
import type { KatexOptions } from "katex";
import type { Attributes, ElementTree, Tree } from "../tree.ts";

/** No links, images, classes or styles from the author. Expansion and size are limited. */
const options: KatexOptions = {
  output: "htmlAndMathml",
  trust: false,
  strict: "ignore",
  maxExpand: 500,
  maxSize: 25,
  throwOnError: true,
};

/** TeX as a node, including MathML for screen readers. Throws an Error if it isn't valid TeX. */
export function typesetMath(tex: string, displayMode: boolean): Node {
  const markup = katex.renderToString(tex, { ...options, displayMode, macros: {} });
  const fragment = document.createDocumentFragment();
  for (const tree of parseMathMarkup(markup)) fragment.append(build(tree));
  return fragment;
}

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

const pieces = /<(\/?)([a-zA-Z]+)((?:\s+[\w:-]+="[^"]*")*)\s*(\/?)>|[^<]+/g;
const attribute = /(?<![\w:-])([\w:-]+)="([^"]*)"/g;
const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

const elements: ReadonlySet<string> = new Set(
  `span svg path line math semantics annotation mrow mi mn mo ms mtext mspace msub msup msubsup munder mover munderover
   mfrac msqrt mroot mtable mtr mtd mlabeledtr mstyle mpadded mphantom menclose mglyph merror`.split(/\s+/),
);

/** Levels of elements. Formulas that people write have fewer than 100; the browser crashes at a thousand. */
const mostLevels = 300;

const attributes: ReadonlySet<string> = new Set(
  `class style aria-hidden encoding display mathvariant stretchy fence separator lspace rspace minsize maxsize width height
   depth voffset viewBox preserveAspectRatio d x1 x2 y1 y2 stroke-width columnalign columnspacing rowspacing columnlines
   rowlines scriptlevel displaystyle mathcolor mathbackground mathsize accent accentunder linethickness movablelimits
   symmetric notation side minlabelspacing largeop form`.split(/\s+/),
);

/**
 * Parses KaTeX's markup without using an HTML parser. It consists only of spans, MathML and SVG paths: anything that
 * isn't on these lists is omitted, whatever the TeX was. Throws an Error if it is nested too deeply.
 */
export function parseMathMarkup(markup: string): readonly Tree[] {
  const root: Tree[] = [];
  const stack: { readonly name: string; readonly attributes: Attributes; readonly children: Tree[] }[] = [];
  const close = (): void => {
    const { name, attributes: own, children } = stack.pop() ?? { name: "", attributes: {}, children: [] };
    const siblings = stack.at(-1)?.children ?? root;
    if (elements.has(name)) siblings.push({ name, attributes: own, children });
  };
  for (const [piece, slash, name = "", rest = "", isEmpty] of markup.matchAll(pieces)) {
    if (name === "") (stack.at(-1)?.children ?? root).push(unescape(piece));
    else if (slash === "/") close();
    else {
      if (stack.length >= mostLevels) throw new Error(t("it is nested too deeply"));
      stack.push({ name, attributes: parseAttributes(rest), children: [] });
      if (isEmpty === "/") close();
    }
  }
  return root;
}

function parseAttributes(text: string): Attributes {
  const found: Record<string, string> = {};
  for (const [, name = "", value = ""] of text.matchAll(attribute)) {
    if (attributes.has(name)) found[name] = unescape(value);
  }
  return found;
}

function unescape(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity] ?? entity);
}

/**
 * The declarations of a `style` attribute, which are set one by one because the page's policy forbids the attribute.
 */
export function parseDeclarations(style: string): readonly (readonly [string, string])[] {
  return style.split(";").flatMap((declaration) => {
    const [name = "", value = ""] = declaration.split(":").map((part) => part.trim());
    const isSafe = /^-?[a-z]+(?:-[a-z]+)*$/.test(name) && !/^(?:position|z-index|content)$/.test(name);
    return isSafe && /^[\w.#%+ -]+$/.test(value) ? [[name, value] as const] : [];
  });
}

const svgNames: ReadonlySet<string> = new Set(["svg", "path", "line"]);

/** The namespace of an element in a formula; undefined for HTML. */
function namespaceOf({ name }: ElementTree): string | undefined {
  if (name === "span") return undefined;
  return svgNames.has(name) ? "http://www.w3.org/2000/svg" : "http://www.w3.org/1998/Math/MathML";
}
