import { t } from "@vscode/l10n";
import { isRightToLeft } from "../../core/kernel/foreignText.ts";
import { element } from "./tree.ts";
import type { ElementTree, Tree } from "./tree.ts";

/** Rows per table body: finished bodies of a long table aren't laid out again. */
export const rowsPerBody = 50;

/**
 * A table with at least this many bodies is long. The browser calculates column widths from all cells, again for each
 * new row; a long table has columns of equal width instead (markdown.css).
 */
export const longTableBodies = 3;

const wideTableColumns = 7;

/** A table with its head and bodies. */
export function renderTable(children: readonly Tree[]): ElementTree {
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
