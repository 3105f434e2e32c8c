import { t } from "@vscode/l10n";
import type { TableColumn } from "../../core/servers/table/tableProtocol.ts";
import type { TableSort } from "../../core/servers/table/tableView.ts";
import { create, icon } from "../kit/dom.ts";

/** The header row. A click on a column header, or Enter while it is active, sorts by that column. */
export class GridHead {
  readonly element = create("div", { class: "row", role: "row", "aria-rowindex": "1" });
  #cells: readonly HTMLElement[] = [];

  cell(column: number): HTMLElement | undefined {
    return this.#cells[column];
  }

  columnOf(target: Element): number | undefined {
    const index = this.#cells.findIndex((cell) => cell.contains(target));
    return index === -1 ? undefined : index;
  }

  show(columns: readonly TableColumn[], sort: TableSort | undefined): void {
    this.#cells = columns.map(({ id, label }, index) => {
      const direction = sort?.column !== id ? "none" : sort.isDescending ? "descending" : "ascending";
      const cell = create(
        "div",
        {
          class: "cell",
          role: "columnheader",
          id: `head-${index}`,
          title: t("Sort by {0}", label),
          "aria-colindex": String(index + 1),
          "aria-sort": direction,
        },
        create("span", { class: "text", dir: "auto" }, label),
      );
      if (direction !== "none") cell.append(icon(direction === "ascending" ? "arrow-up" : "arrow-down"));
      return cell;
    });
    this.element.replaceChildren(...this.#cells);
  }

  activate(column: number | undefined): void {
    for (const [index, cell] of this.#cells.entries()) cell.classList.toggle("active", index === column);
  }
}
