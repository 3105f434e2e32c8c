// Loaded when the first finished code block becomes visible.
import { highlighter } from "./highlighter.js";
import type { ElementTree, Tree } from "../tree.ts";

/**
 * Highlighted code as nodes, one list for each chunk of lines (`linesPerChunk`); undefined for a language without a
 * highlighter.
 */
export function highlight(
  code: string,
  language: string,
  linesPerChunk: number,
): readonly (readonly Tree[])[] | undefined {
  if (highlighter.getLanguage(language) === undefined) return undefined;
  const { value } = highlighter.highlight(code, { language, ignoreIllegals: true });
  return chunkTrees(parseHighlighted(value), linesPerChunk);
}

const pieces = /<span class="([^"]*)">|<\/span>|[^<]+/g;
const entities: Readonly<Record<string, string>> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#x27;": "'",
};

/** Parses highlight.js's output, which consists only of text, spans and five entities, without using an HTML parser. */
function parseHighlighted(value: string): readonly Tree[] {
  const root: Tree[] = [];
  const stack: { readonly classes: string; readonly children: Tree[] }[] = [];
  for (const [piece, classes] of value.matchAll(pieces)) {
    const siblings = stack.at(-1)?.children ?? root;
    if (classes !== undefined) {
      stack.push({ classes, children: [] });
    } else if (piece === "</span>") {
      const closed = stack.pop();
      if (closed !== undefined) (stack.at(-1)?.children ?? root).push(span(closed.classes, closed.children));
    } else {
      siblings.push(piece.replace(/&(?:amp|lt|gt|quot|#x27);/g, (entity) => entities[entity] ?? entity));
    }
  }
  return root;
}

/** Splits highlighted code after every `count` lines. A span across a split is closed and opened again. */
function chunkTrees(trees: readonly Tree[], count: number): readonly (readonly Tree[])[] {
  const chunks: Tree[][] = [[]];
  let lines = 0;
  const walk = (tree: Tree, wrap: (inner: Tree) => Tree): void => {
    if (typeof tree === "object") {
      for (const child of tree.children) walk(child, (inner) => wrap({ ...tree, children: [inner] }));
      return;
    }
    for (const line of tree.match(/[^\n]*\n|[^\n]+$/g) ?? []) {
      if (lines === count) {
        chunks.push([]);
        lines = 0;
      }
      chunks.at(-1)?.push(wrap(line));
      if (line.endsWith("\n")) lines += 1;
    }
  };
  for (const tree of trees) walk(tree, (inner) => inner);
  return chunks.map(joinTexts);
}

/** Joins consecutive plain lines into one text. */
function joinTexts(trees: readonly Tree[]): readonly Tree[] {
  const joined: Tree[] = [];
  for (const tree of trees) {
    const last = joined.at(-1);
    if (typeof tree === "string" && typeof last === "string") joined[joined.length - 1] = last + tree;
    else joined.push(tree);
  }
  return joined;
}

function span(classes: string, children: readonly Tree[]): ElementTree {
  return { name: "span", attributes: { class: classes }, children };
}
