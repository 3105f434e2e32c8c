import { t } from "@vscode/l10n";
import { isRightToLeft } from "../../core/kernel/foreignText.ts";
import { element } from "./tree.ts";
import type { ElementTree, Tree } from "./tree.ts";

/** Rows in one body: finished ones are not laid out again where the table is long. */
export const rowsPerBody = 50;

/**
 * Bodies from which on a table is long. The browser finds the widths of columns from all their cells, again for each
 * row that comes; a long table has columns of equal width instead (markdown.css).
 */
export const longTableBodies = 3;

const wideTableColumns = 7;

/** A table from its head and its bodies. */
export function renderTable(children: readonly Tree[]): ElementTree {
  const classes = ["table"];
  if (children.length > longTableBodies) {
    classes.push("long");
    if (countColumns(children[0]) >= wideTableColumns) classes.push("wide");
  }
  return element(
    "div",
    { class: classes.join(" "), tabindex: "0", role: "group", "aria-label": t("Table") },
    // The head says in which direction the columns follow each other, once and for all.
    [element("table", isRightToLeft(textOf(children[0])) ? { dir: "rtl" } : {}, children)],
  );
}

function textOf(tree: Tree | undefined): string {
  return typeof tree === "object" ? tree.children.map(textOf).join(" ") : (tree ?? "");
}

/** Where the head and the bodies are inside the tree of `renderTable`. */
export const tablePath: readonly number[] = [0];

/** The rows in bodies of `rowsPerBody`. */
export function chunkRows(rows: readonly Tree[]): readonly ElementTree[] {
  const bodies: ElementTree[] = [];
  for (let start = 0; start < rows.length; start += rowsPerBody)
    bodies.push(element("tbody", {}, rows.slice(start, start + rowsPerBody)));
  return bodies;
}

function countColumns(head: Tree | undefined): number {
  const row = typeof head === "object" ? head.children[0] : undefined;
  return typeof row === "object" ? row.children.length : 0;
}
