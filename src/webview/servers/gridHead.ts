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

/** Horizontal padding of a cell in pixels. */
const cellPadding = 16;

/** CSS values for the column layout. */
interface ColumnTracks {
  /** For `grid-template-columns`. */
  readonly tracks: string;
  /** The width that all columns need, for `min-width`. */
  readonly width: string;
}

export function columnTracks(columns: readonly TableColumn[]): ColumnTracks {
  const widths = columns.map(widthOf);
  const sum = widths.reduce((total, width) => total + width, 0);
  return {
    tracks: widths.map((width) => `minmax(${lengthOf(width, 1)}, ${width}fr)`).join(" "),
    width: lengthOf(sum, columns.length),
  };
}

/** As wide as its longest text within reason, in characters. The page's remaining width is shared by need. */
function widthOf({ width, label }: TableColumn): number {
  return Math.max(5, label.length + 2, Math.min(width, 30));
}

function lengthOf(characters: number, cells: number): string {
  return `calc(${characters}ch + ${cells * cellPadding}px)`;
}
