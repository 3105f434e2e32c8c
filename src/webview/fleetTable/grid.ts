import { t } from "@vscode/l10n";
import { headRow, moveInGrid } from "../../core/servers/table/gridMove.ts";
import type { GridPlace } from "../../core/servers/table/gridMove.ts";
import { rowsInSight, rowsOfPage, scrollTopFor } from "../../core/servers/table/gridWindow.ts";
import type { GridWindow } from "../../core/servers/table/gridWindow.ts";
import type {
  TableChange,
  TableColumn,
  TableProfile,
  TableRow,
} from "../../core/servers/table/tableProtocol.ts";
import type { TableSort } from "../../core/servers/table/tableView.ts";
import { nextSort } from "../../core/servers/table/tableView.ts";
import { create } from "../dom.ts";
import { Frames } from "../frames.ts";
import { cellHint } from "./cellText.ts";
import { GridHead } from "./gridHead.ts";
import { GridMenu } from "./gridMenu.ts";
import { RowView } from "./rowView.ts";
import type { RowLook } from "./rowView.ts";

/** What the grid asks of whoever shows it. */
export interface GridPort {
  open(handle: number): void;
  select(handle: number): void;
  /** This row stands at the top now; told when the user has come to rest. */
  scrolled(handle: number): void;
  askMenu(handle: number): void;
  sort(sort: TableSort | undefined): void;
}

/** Milliseconds without a scroll after which the user has come to rest. */
const restMs = 200;

/** Rows above and below those in sight that are there already when they come into it. */
const margin = 6;

/**
 * The servers as an ARIA grid. Only rows in sight exist, so a frame costs the same with ten servers and with ten
 * thousand. The focus stays on the grid; the cell on which the user stands is told by its id.
 */
export class Grid {
  readonly element = create("div", {
    class: "grid",
    role: "grid",
    tabindex: "0",
    "aria-label": t("GPU servers"),
    "aria-description": t("Enter opens the details of a server or sorts by a column, Shift+F10 offers more"),
  });
  readonly #port: GridPort;
  readonly #head = new GridHead();
  readonly #menu: GridMenu;
  readonly #body = create("div", { class: "body", role: "rowgroup" });
  readonly #space = create("div", { class: "space", role: "presentation" }, this.#body);
  readonly #frames = new Frames(() => this.#draw());
  readonly #rows = new Map<number, TableRow>();
  readonly #views = new Map<number, RowView>();
  readonly #unused: RowView[] = [];
  #order: readonly number[] = [];
  #look: RowLook = { columns: [], profiles: [], now: Date.now() };
  #sort: TableSort | undefined;
  #place: GridPlace = { row: 0, column: 0 };
  #selected: number | undefined;
  #rowHeight = 26;
  #restTimer: ReturnType<typeof setTimeout> | undefined;
  /** Whether the row on which the user stands has to be seen with the next frame. */
  #isToBeSeen = false;

  constructor(port: GridPort) {
    this.#port = port;
    const head = create("div", { class: "head", role: "rowgroup" }, this.#head.element);
    this.element.append(head, this.#space);
    this.#menu = new GridMenu(this.element, (target) => this.#askMenu(target));
    this.element.addEventListener("scroll", () => this.#onScroll(), { passive: true });
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
    return this.#order.length;
  }

  showView(columns: readonly TableColumn[], sort: TableSort | undefined): void {
    const isSorted = this.#sort?.column !== sort?.column || this.#sort?.isDescending !== sort?.isDescending;
    this.#look = { ...this.#look, columns };
    this.#sort = sort;
    this.#head.show(columns, sort);
    this.element.setAttribute("aria-colcount", String(columns.length));
    const widths = columns.map(widthOf);
    const { style } = this.element;
    style.setProperty("--columns", widths.map((width) => `minmax(${trackOf(width)}, ${width}fr)`).join(" "));
    style.setProperty(
      "--width",
      trackOf(
        widths.reduce((sum, width) => sum + width, 0),
        columns.length,
      ),
    );
    this.#place = { ...this.#place, column: Math.min(this.#place.column, Math.max(0, columns.length - 1)) };
    if (isSorted) this.#isToBeSeen = this.#selected !== undefined;
    this.#frames.request();
  }

  /** The time has gone on, or the rows of a profile have become old. */
  showTimes(now: number, profiles: readonly TableProfile[]): void {
    this.#look = { ...this.#look, now, profiles };
    // The size of letters may have been changed meanwhile.
    this.#resize();
  }

  change({ put, gone, order }: TableChange): void {
    for (const handle of gone) this.#rows.delete(handle);
    for (const row of put) this.#rows.set(row.handle, row);
    if (order !== undefined) this.#reorder(order);
    this.#frames.request();
  }

  /** Begins on this row. */
  select(handle: number): void {
    this.#selected = handle;
    this.#reorder(this.#order);
    this.#isToBeSeen = true;
    this.#frames.request();
  }

  /** Begins with this row at the top, where it is still shown. */
  scrollTo(handle: number): void {
    const index = this.#order.indexOf(handle);
    if (index === -1) return;
    this.#isToBeSeen = false;
    this.#draw();
    this.element.scrollTop = index * this.#rowHeight;
  }

  /** The host has told what the menu may offer. */
  openMenu(context: string): void {
    this.#menu.open(context);
  }

  /** The row of the selected server keeps it wherever it goes; where it has gone the user stands where it was. */
  #reorder(order: readonly number[]): void {
    this.#order = order;
    const index = this.#selected === undefined ? -1 : order.indexOf(this.#selected);
    const row = index === -1 ? Math.min(this.#place.row, order.length - 1) : index;
    if (this.#place.row !== headRow) this.#place = { ...this.#place, row: Math.max(0, row) };
    this.element.setAttribute("aria-rowcount", String(order.length + 1));
  }

  #onScroll(): void {
    this.#frames.request();
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => {
      const handle = this.#order[Math.round(this.element.scrollTop / this.#rowHeight)];
      if (handle !== undefined) this.#port.scrolled(handle);
    }, restMs);
  }

  #resize(): void {
    const fontSize = Number.parseFloat(getComputedStyle(this.element).fontSize);
    this.#rowHeight = Math.round(Math.max(10, fontSize) * 2);
    this.element.style.setProperty("--row", `${this.#rowHeight}px`);
    this.#frames.request();
  }

  #window(): GridWindow {
    const { scrollTop, clientHeight } = this.element;
    const { length: count } = this.#order;
    return { scrollTop, height: clientHeight - this.#rowHeight, rowHeight: this.#rowHeight, count };
  }

  #draw(): void {
    this.#space.style.height = `${this.#order.length * this.#rowHeight}px`;
    if (this.#isToBeSeen) {
      this.#isToBeSeen = false;
      const { row } = this.#place;
      this.element.scrollTop = row === headRow ? 0 : scrollTopFor(row, this.#window());
    }
    const { first, last } = rowsInSight(this.#window(), margin);
    const handles = this.#order.slice(first, last);
    const wanted = new Set(handles);
    for (const [handle, view] of this.#views) {
      if (wanted.has(handle)) continue;
      view.element.remove();
      this.#views.delete(handle);
      this.#unused.push(view);
    }
    this.#body.style.transform = `translateY(${first * this.#rowHeight}px)`;
    this.#head.activate(this.#place.row === headRow ? this.#place.column : undefined);
    let next = this.#body.firstElementChild;
    for (const [offset, handle] of handles.entries()) {
      const view = this.#viewOf(handle, first + offset);
      if (view.element === next) next = next.nextElementSibling;
      else this.#body.insertBefore(view.element, next);
    }
    this.#tellActive();
  }

  #viewOf(handle: number, index: number): RowView {
    const view = this.#views.get(handle) ?? this.#unused.pop() ?? new RowView();
    this.#views.set(handle, view);
    const row = this.#rows.get(handle);
    const column = index === this.#place.row ? this.#place.column : undefined;
    if (row !== undefined) view.show(row, index, this.#look, handle === this.#selected, column);
    return view;
  }

  #activeCell(): HTMLElement | undefined {
    const { row, column } = this.#place;
    if (row === headRow) return this.#head.cell(column);
    return this.#views.get(this.#order[row] ?? -1)?.cell(column);
  }

  #tellActive(): void {
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
      rows: this.#order.length,
      columns: this.#look.columns.length,
      page: rowsOfPage(this.#window()),
    };
    const isRightToLeft = getComputedStyle(this.element).direction === "rtl";
    const place = moveInGrid(this.#place, { key: event.key, isControl, isRightToLeft }, size);
    if (place !== undefined) this.#moveTo(place);
    else if (event.key === "Enter" || event.key === " ") this.#choose(event.key);
    else if (!this.#menu.takeKey(event, this.#activeCell())) return;
    event.preventDefault();
  }

  #moveTo(place: GridPlace): void {
    const isOtherRow = place.row !== this.#place.row;
    this.#place = place;
    const handle = this.#order[place.row];
    if (isOtherRow && handle !== undefined) this.#choosesRow(handle);
    this.#isToBeSeen = true;
    this.#draw();
    this.#activeCell()?.scrollIntoView({ block: "nearest", inline: "nearest" });
  }

  #choosesRow(handle: number): void {
    if (this.#selected === handle) return;
    this.#selected = handle;
    this.#port.select(handle);
  }

  /** Enter opens a row, Space only selects it; on a head both sort. */
  #choose(key: string): void {
    const { row, column } = this.#place;
    if (row === headRow) return this.#sortBy(column);
    const handle = this.#order[row];
    if (handle === undefined) return;
    this.#choosesRow(handle);
    this.#frames.request();
    if (key === "Enter") this.#port.open(handle);
  }

  #onPress(event: MouseEvent): void {
    const index = this.#indexOf(event.target);
    if (index === undefined) return;
    const cell = event.target instanceof Element ? event.target.closest("[aria-colindex]") : null;
    const column = Number(cell?.getAttribute("aria-colindex") ?? 1) - 1;
    this.#place = { row: index, column };
    const handle = this.#order[index];
    if (handle !== undefined) this.#choosesRow(handle);
    this.#frames.request();
  }

  #onClick({ target }: MouseEvent): void {
    const column = target instanceof Element ? this.#head.columnOf(target) : undefined;
    if (column === undefined) return;
    this.#place = { row: headRow, column };
    this.#sortBy(column);
  }

  #sortBy(column: number): void {
    const id = this.#look.columns[column]?.id;
    if (id !== undefined) this.#port.sort(nextSort(this.#sort, id));
  }

  #openRow(): void {
    const handle = this.#order[this.#place.row];
    if (handle !== undefined) this.#port.open(handle);
  }

  #askMenu(target: Element | null): void {
    const index = target === null ? this.#place.row : this.#indexOf(target);
    const handle = this.#order[index ?? headRow];
    if (handle === undefined) return;
    this.#choosesRow(handle);
    this.#port.askMenu(handle);
  }

  /** The place in the list of the row that the target lies in; undefined outside of the rows. */
  #indexOf(target: EventTarget | null): number | undefined {
    const row = target instanceof Element ? target.closest("[role=row]") : null;
    if (row === null || row === this.#head.element) return undefined;
    return Number(row.getAttribute("aria-rowindex")) - 2;
  }

  /** A cell that is cut, or that tells a time, says all of it to who points at it. */
  #hint(target: EventTarget | null): void {
    const index = this.#indexOf(target);
    const element = target instanceof Element ? target.closest<HTMLElement>(".cell") : null;
    if (index === undefined || element === null) return;
    const text = element.querySelector<HTMLElement>(".text") ?? element;
    const column = Number(element.getAttribute("aria-colindex")) - 1;
    const cell = this.#rows.get(this.#order[index] ?? -1)?.cells[column];
    const isCut = text.scrollWidth > text.clientWidth;
    const hint = (cell === undefined ? undefined : cellHint(cell)) ?? (isCut ? text.textContent : "");
    if (text.title !== hint) text.title = hint;
  }

  /** What the cell says goes into the clipboard, unless the user has marked a text. */
  #copyCell(event: ClipboardEvent): void {
    const cell = this.#activeCell();
    const text = (cell?.querySelector(".text") ?? cell)?.textContent ?? "";
    if (text === "" || getSelection()?.isCollapsed === false) return;
    event.clipboardData?.setData("text/plain", text);
    event.preventDefault();
  }
}

/** Pixels of a cell besides its text. */
const cellPadding = 16;

/** As wide as its longest text within reason, in characters; what is left of the page is shared by need. */
function widthOf({ width, label }: TableColumn): number {
  return Math.max(5, label.length + 2, Math.min(width, 30));
}

function trackOf(characters: number, cells = 1): string {
  return `calc(${characters}ch + ${cells * cellPadding}px)`;
}
