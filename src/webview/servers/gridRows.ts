import type { GridCursor, RowRange } from "../../core/servers/table/gridCursor.ts";
import type { TableChange, TableRow } from "../../core/servers/table/tableProtocol.ts";
import { create } from "../kit/dom.ts";
import { RowView } from "./rowView.ts";
import type { RowLook } from "./rowView.ts";

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
