import { t } from "@vscode/l10n";
import type { Token } from "markdown-it";
import { isRightToLeft } from "../../core/kernel/foreignText.ts";
import { inlineContentOf } from "./inlineParts.ts";
import { renderCode } from "./renderCode.ts";
import { nestTokens, renderFootnote, renderInline, renderMathBlock, renderOpenMath } from "./renderInline.ts";
import { element } from "./tree.ts";
import type { Attributes, ElementTree, Tree } from "./tree.ts";

/** Rows per table body: finished bodies of a long table aren't laid out again. */
export const rowsPerBody = 50;

/**
 * A table with at least this many bodies is long. The browser calculates column widths from all cells, again for each
 * new row; a long table has columns of equal width instead (markdown.css).
 */
export const longTableBodies = 3;

const wideTableColumns = 7;

/** A table with its head and bodies. */
function renderTable(children: readonly Tree[]): ElementTree {
  const classes = ["table"];
  if (children.length > longTableBodies) {
    classes.push("long");
    if (countColumns(children[0]) >= wideTableColumns) classes.push("wide");
  }
  return element(
    "div",
    { class: classes.join(" "), tabindex: "0", role: "group", "aria-label": t("Table") },
    // The head determines the direction of the columns once and for all.
    [element("table", isRightToLeft(textOf(children[0])) ? { dir: "rtl" } : {}, children)],
  );
}

function textOf(tree: Tree | undefined): string {
  return typeof tree === "object" ? tree.children.map(textOf).join(" ") : (tree ?? "");
}

/** The path to the head and the bodies in the tree of `renderTable`. */
export const tablePath: readonly number[] = [0];

/** The rows, grouped into bodies of `rowsPerBody`. */
function chunkRows(rows: readonly Tree[]): readonly ElementTree[] {
  const bodies: ElementTree[] = [];
  for (let start = 0; start < rows.length; start += rowsPerBody)
    bodies.push(element("tbody", {}, rows.slice(start, start + rowsPerBody)));
  return bodies;
}

function countColumns(head: Tree | undefined): number {
  const row = typeof head === "object" ? head.children[0] : undefined;
  return typeof row === "object" ? row.children.length : 0;
}

const marker = /^\[([ xX])\][ \t\n]/;

/** A list item. If it starts with `[ ]` or `[x]`, it gets a read-only checkbox. */
function applyTask(children: readonly Tree[]): ElementTree {
  const task = findTask(children);
  return task === undefined
    ? element("li", { dir: "auto" }, children)
    : element("li", { dir: "auto", class: "task" }, task);
}

function findTask(children: readonly Tree[]): readonly Tree[] | undefined {
  const [first, ...rest] = children;
  if (typeof first === "string") {
    const match = marker.exec(first);
    if (match === null) return undefined;
    return [checkbox(match[1] !== " "), first.slice(match[0].length), ...rest];
  }
  if (first?.name !== "p") return undefined;
  const inner = findTask(first.children);
  return inner === undefined ? undefined : [element("p", first.attributes, inner), ...rest];
}

function checkbox(isDone: boolean): ElementTree {
  const attributes = { type: "checkbox", disabled: "", "aria-label": isDone ? t("Done") : t("To do") };
  return element("input", isDone ? { ...attributes, checked: "" } : attributes);
}

const textDirection: Attributes = { dir: "auto" };

/** A block as a tree; undefined if it has no visible content (a reference definition). */
export function renderBlock(tokens: readonly Token[]): ElementTree | undefined {
  const root = nestTokens(tokens, {
    append: (siblings, token) => void siblings.push(...renderLeaf(token)),
    close: renderContainer,
  });
  const block = root[0];
  return typeof block === "string" ? element("p", textDirection, root) : block;
}

function renderLeaf(token: Token): readonly Tree[] {
  switch (token.type) {
    case "inline":
      return renderInline(inlineContentOf(token));
    case "fence":
      return [renderCode(token.info, token.content)];
    case "code_block":
      return [renderCode("", token.content)];
    case "math_block":
      return [renderMathBlock(token)];
    case "math_open":
      return [renderOpenMath(token)];
    case "hr":
      return [element("hr")];
    default:
      return [];
  }
}

function renderContainer(open: Token, children: readonly Tree[]): readonly Tree[] {
  switch (open.type) {
    case "paragraph_open":
      return open.hidden ? children : [element("p", textDirection, children)];
    case "heading_open":
      return [renderHeading(open, children)];
    case "bullet_list_open":
    case "ordered_list_open":
      return [renderList(open, children)];
    case "list_item_open":
      return [applyTask(children)];
    case "footnote_open":
      return [renderFootnote(open, children)];
    case "table_open":
      return [renderTable(children)];
    case "tbody_open":
      return chunkRows(children);
    case "th_open":
    case "td_open":
      return [element(open.tag, cellAttributes(open), children)];
    default:
      return [element(open.tag, {}, children)];
  }
}

/** The article's own heading is one level up, so headings of a response start at level 3 for screen readers. */
function renderHeading(open: Token, children: readonly Tree[]): ElementTree {
  const level = Number(open.tag.slice(1));
  return element(open.tag, { ...textDirection, "aria-level": String(Math.min(level + 2, 9)) }, children);
}

/** No `dir` here: the browser would scan all items again whenever one is appended. */
function renderList(open: Token, children: readonly Tree[]): ElementTree {
  const start = open.attrGet("start");
  return element(open.tag, start === null ? {} : { start: String(start) }, children);
}

/** Alignment is an inline style, which our content security policy forbids, so a class is used instead. */
function cellAttributes(open: Token): Attributes {
  const style = String(open.attrGet("style") ?? "");
  const alignment = style.slice("text-align:".length);
  return alignment === "" ? textDirection : { ...textDirection, class: `align-${alignment}` };
}
