import { scrollTopFor } from "../../core/servers/table/gridCursor.ts";
import type { GridCursor, GridWindow, RowRange } from "../../core/servers/table/gridCursor.ts";
import type { TableChange, TableRow } from "../../core/servers/table/tableProtocol.ts";
import { create } from "../kit/dom.ts";
import { RowView } from "./rowView.ts";
import type { RowLook } from "./rowView.ts";

/** Milliseconds without scrolling after which scrolling has ended. */
const restMs = 200;

/** The visible part of the grid, in rows of equal height, which depends on the font size. */
export class GridScroll {
  readonly #element: HTMLElement;
  /** As tall as all rows together. */
  readonly #space: HTMLElement;
  #count = 0;
  #rowHeight = 26;
  #restTimer: ReturnType<typeof setTimeout> | undefined;

  /** @param onRest Called with the top row when scrolling has ended. */
  constructor(element: HTMLElement, space: HTMLElement, onRest: (row: number) => void) {
    this.#element = element;
    this.#space = space;
    element.addEventListener("scroll", () => this.#waitForRest(onRest), { passive: true });
  }

  /** In pixels. */
  get rowHeight(): number {
    return this.#rowHeight;
  }

  get window(): GridWindow {
    const { scrollTop, clientHeight } = this.#element;
    const rowHeight = this.#rowHeight;
    return { scrollTop, height: clientHeight - rowHeight, rowHeight, count: this.#count };
  }

  /** Call this when the grid's size has changed, or its font may have. */
  measure(): void {
    const fontSize = Number.parseFloat(getComputedStyle(this.#element).fontSize);
    this.#rowHeight = Math.round(Math.max(10, fontSize) * 2);
    this.#element.style.setProperty("--row", `${this.#rowHeight}px`);
  }

  /** Makes room for this many rows. */
  stretch(count: number): void {
    this.#count = count;
    this.#space.style.height = `${count * this.#rowHeight}px`;
  }

  /** Scrolls the row to the top. */
  scrollTo(row: number): void {
    this.#element.scrollTop = row * this.#rowHeight;
  }

  /** Scrolls only as far as needed to show the row, or to the very top for anything above the rows. */
  reveal(row: number): void {
    this.#element.scrollTop = row < 0 ? 0 : scrollTopFor(row, this.window);
  }

  #waitForRest(onRest: (row: number) => void): void {
    clearTimeout(this.#restTimer);
    this.#restTimer = setTimeout(() => onRest(Math.round(this.#element.scrollTop / this.#rowHeight)), restMs);
  }
}

/**
 * All rows, and the elements of the visible ones. The element of a row that is scrolled out of view is reused for the
 * next row.
 */
export class GridRows {
  readonly element = create("div", { class: "body", role: "rowgroup" });
  readonly #rows = new Map<number, TableRow>();
  readonly #views = new Map<number, RowView>();
  readonly #unused: RowView[] = [];

  change({ put, gone }: Pick<TableChange, "put" | "gone">): void {
    for (const handle of gone) this.#rows.delete(handle);
    for (const row of put) this.#rows.set(row.handle, row);
  }

  find(handle: number): TableRow | undefined {
    return this.#rows.get(handle);
  }

  /** The cell of a visible row. */
  cell(handle: number, column: number): HTMLElement | undefined {
    return this.#views.get(handle)?.cell(column);
  }

  /** Shows exactly these rows of the cursor's order. */
  draw(cursor: GridCursor, { first, last }: RowRange, look: RowLook): void {
    const handles = cursor.order.slice(first, last);
    this.#putAside(new Set(handles));
    let next = this.element.firstElementChild;
    for (const [offset, handle] of handles.entries()) {
      const view = this.#viewOf(handle);
      this.#write(view, { handle, index: first + offset }, cursor, look);
      if (view.element === next) next = next.nextElementSibling;
      else this.element.insertBefore(view.element, next);
    }
  }

  #putAside(wanted: ReadonlySet<number>): void {
    for (const [handle, view] of this.#views) {
      if (wanted.has(handle)) continue;
      view.element.remove();
      this.#views.delete(handle);
      this.#unused.push(view);
    }
  }

  #viewOf(handle: number): RowView {
    const view = this.#views.get(handle) ?? this.#unused.pop() ?? new RowView();
    this.#views.set(handle, view);
    return view;
  }

  #write(
    view: RowView,
    { handle, index }: { readonly handle: number; readonly index: number },
    { position, selected }: GridCursor,
    look: RowLook,
  ): void {
    const row = this.#rows.get(handle);
    const column = index === position.row ? position.column : undefined;
    if (row !== undefined) view.show(row, index, look, handle === selected, column);
  }
}
