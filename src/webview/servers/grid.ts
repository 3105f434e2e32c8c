import { t } from "@vscode/l10n";
import {
  GridCursor,
  headRow,
  moveInGrid,
  rowsInSight,
  rowsOfPage,
} from "../../core/servers/table/gridCursor.ts";
import type { GridPosition } from "../../core/servers/table/gridCursor.ts";
import type { TableChange, TableColumn, TableProfile } from "../../core/servers/table/tableProtocol.ts";
import { nextSort } from "../../core/servers/table/tableView.ts";
import type { TableSort } from "../../core/servers/table/tableView.ts";
import { create } from "../kit/dom.ts";
import { Frames } from "../kit/frames.ts";
import { cellHint } from "./rowView.ts";
import { columnTracks, GridHead, GridMenu } from "./gridHead.ts";
import { GridRows, GridScroll } from "./gridRows.ts";
import type { RowLook } from "./rowView.ts";

/** What the grid needs from its owner. */
interface GridPort {
  open(handle: number): void;
  select(handle: number): void;
  /** Called when scrolling has ended, with the row that is now at the top. */
  scrolled(handle: number): void;
  askMenu(handle: number): void;
  sort(sort: TableSort | undefined): void;
}

/** Number of rows above and below the visible ones that already exist when they scroll into view. */
const margin = 6;

/**
 * The servers as an ARIA grid. Only visible rows exist, so that a frame takes as long with ten thousand servers as with
 * ten. The focus stays on the grid, and the active cell is given by its ID.
 */
export class Grid {
  readonly element = create("div", {
    class: "grid",
    role: "grid",
    tabindex: "0",
    "aria-label": t("GPU servers"),
    "aria-description": t(
      "Press Enter to open a server's details or sort by a column, or Shift+F10 for more actions",
    ),
  });
  readonly #port: GridPort;
  readonly #cursor: GridCursor;
  readonly #head = new GridHead();
  readonly #rows = new GridRows();
  readonly #scroll: GridScroll;
  readonly #menu: GridMenu;
  readonly #frames = new Frames(() => this.#draw());
  #look: RowLook = { columns: [], profiles: [], now: Date.now() };
  #sort: TableSort | undefined;
  /** Whether the active row has to be scrolled into view with the next frame. */
  #isToBeSeen = false;

  constructor(port: GridPort) {
    this.#port = port;
    this.#cursor = new GridCursor((handle) => port.select(handle));
    const head = create("div", { class: "head", role: "rowgroup" }, this.#head.element);
    const space = create("div", { class: "space", role: "presentation" }, this.#rows.element);
    this.element.append(head, space);
    this.#scroll = new GridScroll(this.element, space, (row) => this.#emitTop(row));
    this.#menu = new GridMenu(this.element, (target) => this.#askMenu(target));
    this.element.addEventListener("scroll", () => this.#frames.request(), { passive: true });
    this.element.addEventListener("keydown", (event) => this.#onKey(event));
    this.element.addEventListener("mousedown", (event) => this.#onPress(event));
    this.element.addEventListener("click", (event) => this.#onClick(event));
    this.element.addEventListener("dblclick", () => this.#openRow());
    this.element.addEventListener("mouseover", ({ target }) => this.#hint(target));
    this.element.addEventListener("copy", (event) => this.#copyCell(event));
    new ResizeObserver(() => this.#resize()).observe(this.element);
  }

  /** How many rows are shown. */
  get count(): number {
    return this.#cursor.order.length;
  }

  showView(columns: readonly TableColumn[], sort: TableSort | undefined): void {
    const isSorted = this.#sort?.column !== sort?.column || this.#sort?.isDescending !== sort?.isDescending;
    this.#look = { ...this.#look, columns };
    this.#sort = sort;
    this.#head.show(columns, sort);
    this.element.setAttribute("aria-colcount", String(columns.length));
    const { tracks, width } = columnTracks(columns);
    this.element.style.setProperty("--columns", tracks);
    this.element.style.setProperty("--width", width);
    this.#cursor.keepWithin(columns.length);
    if (isSorted) this.#isToBeSeen = this.#cursor.selected !== undefined;
    this.#frames.request();
  }

  /** Called when time has passed, or the rows of a profile have become outdated. */
  showTimes(now: number, profiles: readonly TableProfile[]): void {
    this.#look = { ...this.#look, now, profiles };
    // The font size may have changed in the meantime.
    this.#resize();
  }

  change({ put, gone, order }: TableChange): void {
    this.#rows.change({ put, gone });
    if (order !== undefined) {
      this.#cursor.reorder(order);
      this.element.setAttribute("aria-rowcount", String(order.length + 1));
    }
    this.#frames.request();
  }

  /** Starts with this row selected. */
  select(handle: number): void {
    this.#cursor.beginOn(handle);
    this.#isToBeSeen = true;
    this.#frames.request();
  }

  /** Starts with this row at the top if it is still shown. */
  scrollTo(handle: number): void {
    const index = this.#cursor.order.indexOf(handle);
    if (index === -1) return;
    this.#isToBeSeen = false;
    this.#draw();
    this.#scroll.scrollTo(index);
  }

  /** Called when the host has sent the context for the menu. */
  openMenu(context: string): void {
    this.#menu.open(context);
  }

  #emitTop(row: number): void {
    const handle = this.#cursor.order[row];
    if (handle !== undefined) this.#port.scrolled(handle);
  }

  #resize(): void {
    this.#scroll.measure();
    this.#frames.request();
  }

  #draw(): void {
    const { position } = this.#cursor;
    this.#scroll.stretch(this.count);
    if (this.#isToBeSeen) this.#scroll.reveal(position.row);
    this.#isToBeSeen = false;
    const range = rowsInSight(this.#scroll.window, margin);
    this.#rows.element.style.transform = `translateY(${range.first * this.#scroll.rowHeight}px)`;
    this.#rows.draw(this.#cursor, range, this.#look);
    this.#head.activate(position.row === headRow ? position.column : undefined);
    this.#emitActive();
  }

  #activeCell(): HTMLElement | undefined {
    const { position, handle } = this.#cursor;
    if (position.row === headRow) return this.#head.cell(position.column);
    return handle === undefined ? undefined : this.#rows.cell(handle, position.column);
  }

  #emitActive(): void {
    const id = this.#activeCell()?.id;
    if (id === undefined) this.element.removeAttribute("aria-activedescendant");
    else if (this.element.getAttribute("aria-activedescendant") !== id) {
      this.element.setAttribute("aria-activedescendant", id);
    }
  }

  #onKey(event: KeyboardEvent): void {
    if (event.altKey) return;
    const isControl = event.ctrlKey || event.metaKey;
    const size = {
      rows: this.count,
      columns: this.#look.columns.length,
      page: rowsOfPage(this.#scroll.window),
    };
    const isRightToLeft = getComputedStyle(this.element).direction === "rtl";
    const position = moveInGrid(this.#cursor.position, { key: event.key, isControl, isRightToLeft }, size);
    if (position !== undefined) this.#moveTo(position);
    else if (event.key === "Enter" || event.key === " ") this.#choose(event.key);
    else if (!this.#menu.takeKey(event, this.#activeCell())) return;
    event.preventDefault();
  }

  #moveTo(position: GridPosition): void {
    this.#cursor.moveTo(position);
    this.#isToBeSeen = true;
    this.#draw();
    this.#activeCell()?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  /** Enter opens a row and Space only selects it. On a column header, both sort. */
  #choose(key: string): void {
    const { row, column } = this.#cursor.position;
    if (row === headRow) return this.#sortBy(column);
    this.#cursor.selectHere();
    this.#frames.request();
    if (key === "Enter") this.#openRow();
  }

  #onPress({ target }: MouseEvent): void {
    const hit = gridTarget(target);
    if (hit === undefined) return;
    this.#cursor.setPosition({ row: hit.row, column: hit.column });
    this.#cursor.selectHere();
    this.#frames.request();
  }

  #onClick({ target }: MouseEvent): void {
    const column = target instanceof Element ? this.#head.columnOf(target) : undefined;
    if (column === undefined) return;
    this.#cursor.setPosition({ row: headRow, column });
    this.#sortBy(column);
  }

  #sortBy(column: number): void {
    const id = this.#look.columns[column]?.id;
    if (id !== undefined) this.#port.sort(nextSort(this.#sort, id));
  }

  #openRow(): void {
    const { handle } = this.#cursor;
    if (handle !== undefined) this.#port.open(handle);
  }

  #askMenu(target: Element | null): void {
    const row = target === null ? this.#cursor.position.row : gridTarget(target)?.row;
    const handle = this.#cursor.order[row ?? headRow];
    if (handle === undefined) return;
    this.#cursor.select(handle);
    this.#port.askMenu(handle);
  }

  /** A cell that is truncated, or that shows a time, has its full text as a tooltip. */
  #hint(target: EventTarget | null): void {
    const hit = gridTarget(target);
    if (!hit?.cell) return;
    const text = hit.cell.querySelector<HTMLElement>(".text") ?? hit.cell;
    const value = this.#rows.find(this.#cursor.order[hit.row] ?? -1)?.cells[hit.column];
    const isCut = text.scrollWidth > text.clientWidth;
    const hint = (value === undefined ? undefined : cellHint(value)) ?? (isCut ? text.textContent : "");
    if (text.title !== hint) text.title = hint;
  }

  /** Copies the cell's text to the clipboard unless the user has selected text. */
  #copyCell(event: ClipboardEvent): void {
    const cell = this.#activeCell();
    const text = (cell?.querySelector(".text") ?? cell)?.textContent ?? "";
    if (text === "" || getSelection()?.isCollapsed === false) return;
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
  }
}

/** The row and the cell that an event came from. */
interface GridTarget {
  /** Zero for the first row below the header. */
  readonly row: number;
  readonly column: number;
  /** Null between the cells. */
  readonly cell: HTMLElement | null;
}

/** Undefined outside the rows. ARIA counts from one and includes the header as the first row. */
function gridTarget(target: EventTarget | null): GridTarget | undefined {
  if (!(target instanceof Element)) return undefined;
  const row = Number(target.closest("[role=row]")?.getAttribute("aria-rowindex") ?? 1) - 2;
  if (row < 0) return undefined;
  const cell = target.closest<HTMLElement>(".cell");
  return { row, column: Number(cell?.getAttribute("aria-colindex") ?? 1) - 1, cell };
}
