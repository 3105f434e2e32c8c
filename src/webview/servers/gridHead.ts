import { t } from "@vscode/l10n";
import type { TableColumn } from "../../core/servers/table/tableProtocol.ts";
import type { TableSort } from "../../core/servers/table/tableView.ts";
import { create, icon } from "../kit/dom.ts";
/** Where a menu was requested, in page pixels. */
interface MenuPosition {
  readonly clientX: number;
  readonly clientY: number;
}

/** Milliseconds within which the browser may report a key that was already handled. */
const sameKeyMs = 700;

/**
 * The menu of a row is VS Code's own (`webview/context`). Only the host knows which items apply, so the page requests
 * them, and opens the menu at the original position once the response has arrived.
 */
export class GridMenu {
  readonly #grid: HTMLElement;
  /** Requests the menu for the row that contains the target, otherwise for the active row. */
  readonly #ask: (target: Element | null) => void;
  #position: MenuPosition = { clientX: 0, clientY: 0 };
  #askedByKeyAt = -sameKeyMs;
  #isOwn = false;

  constructor(grid: HTMLElement, ask: (target: Element | null) => void) {
    this.#grid = grid;
    this.#ask = ask;
    grid.addEventListener("contextmenu", (event) => this.#onContextMenu(event));
  }

  /** Call this for every key. Returns true if the key opens a menu. `position` is the active cell. */
  takeKey({ key, shiftKey, timeStamp }: KeyboardEvent, position: HTMLElement | undefined): boolean {
    if (key !== "ContextMenu" && !(key === "F10" && shiftKey)) return false;
    this.#askedByKeyAt = timeStamp;
    this.#askAt(position);
    return true;
  }

  /** `context` contains the values for the menu's `when` clauses, as JSON. */
  open(context: string): void {
    this.#grid.dataset["vscodeContext"] = context;
    this.#isOwn = true;
    this.#grid.dispatchEvent(
      new MouseEvent("contextmenu", { bubbles: true, cancelable: true, view: window, ...this.#position }),
    );
    this.#isOwn = false;
  }

  #onContextMenu(event: MouseEvent): void {
    if (this.#isOwn) return;
    event.preventDefault();
    event.stopPropagation();
    const target = event.target instanceof Element ? event.target : null;
    // Opened by a pointer or a long touch. A key's event comes from the focused element, which is the grid.
    if (target?.closest("[role=row]")) {
      this.#position = { clientX: event.clientX, clientY: event.clientY };
      this.#ask(target);
    } else if (event.timeStamp - this.#askedByKeyAt > sameKeyMs) this.#askAt(undefined);
  }

  #askAt(cell: HTMLElement | undefined): void {
    const { left, bottom } = (cell ?? this.#grid).getBoundingClientRect();
    this.#position = { clientX: Math.max(0, left) + 8, clientY: bottom };
    this.#ask(null);
  }
}

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

/** The widths of the columns as the tracks of a CSS grid, and their sum. */
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
