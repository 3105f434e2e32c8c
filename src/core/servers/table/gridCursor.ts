/** A cell of the grid; the row before the first one is the header row. */
export interface GridPosition {
  readonly row: number;
  readonly column: number;
}

/** The row of the column headers in a `GridPosition`. */
export const headRow = -1;

interface GridSize {
  readonly rows: number;
  readonly columns: number;
  /** Number of rows that Page Up and Page Down move by. */
  readonly page: number;
}

/** A key with the only modifier that a grid uses; `isRightToLeft` determines the direction of "next". */
interface GridKey {
  readonly key: string;
  readonly isControl: boolean;
  readonly isRightToLeft: boolean;
}

/** The target of a key according to ARIA's grid pattern; undefined for a key that doesn't move the cursor. */
export function moveInGrid(
  { row, column }: GridPosition,
  { key, isControl, isRightToLeft }: GridKey,
  { rows, columns, page }: GridSize,
): GridPosition | undefined {
  const to = (newRow: number, newColumn: number): GridPosition => ({
    row: Math.max(headRow, Math.min(rows - 1, newRow)),
    column: Math.max(0, Math.min(columns - 1, newColumn)),
  });
  const forward = isRightToLeft ? "ArrowLeft" : "ArrowRight";
  switch (key) {
    case "ArrowLeft":
    case "ArrowRight": {
      const step = key === forward ? 1 : -1;
      return to(row, isControl ? (step > 0 ? columns : 0) : column + step);
    }
    case "ArrowDown":
      return to(isControl ? rows : row + 1, column);
    case "ArrowUp":
      return to(isControl ? Math.min(0, row - 1) : row - 1, column);
    case "PageDown":
      return to(Math.max(row, 0) + page, column);
    case "PageUp":
      return to(row <= 0 ? headRow : Math.max(0, row - page), column);
    case "Home":
      return isControl ? to(Math.min(0, rows - 1), 0) : to(row, 0);
    case "End":
      return isControl ? to(rows, columns) : to(row, columns);
    default:
      return undefined;
  }
}

/**
 * The position of the user in a grid, and the selected row. Rows are identified by handles, so the position follows the
 * selected row when the order changes.
 */
export class GridCursor {
  /** Called when the user selects another row. */
  readonly #onSelect: (handle: number) => void;
  #order: readonly number[] = [];
  #position: GridPosition = { row: 0, column: 0 };
  #selected: number | undefined;

  constructor(onSelect: (handle: number) => void) {
    this.#onSelect = onSelect;
  }

  /** The handles of all rows in order. */
  get order(): readonly number[] {
    return this.#order;
  }

  get position(): GridPosition {
    return this.#position;
  }

  /** The handle of the selected row; undefined until a row is selected. */
  get selected(): number | undefined {
    return this.#selected;
  }

  /** The row with the cursor. Undefined on the header, or if there are no rows. */
  get handle(): number | undefined {
    return this.#order[this.#position.row];
  }

  /** Follows the selected row; if it is gone, the cursor keeps its position. */
  reorder(order: readonly number[]): void {
    this.#order = order;
    if (this.#position.row === headRow) return;
    const index = this.#selected === undefined ? -1 : order.indexOf(this.#selected);
    const row = index === -1 ? Math.min(this.#position.row, order.length - 1) : index;
    this.#position = { ...this.#position, row: Math.max(0, row) };
  }

  /** Adjusts the cursor to this number of columns. */
  keepWithin(columns: number): void {
    this.#position = { ...this.#position, column: Math.min(this.#position.column, Math.max(0, columns - 1)) };
  }

  /** Starts on this row, which was selected when the table was last open. */
  beginOn(handle: number): void {
    this.#selected = handle;
    this.reorder(this.#order);
  }

  /** Moves the cursor there without selecting anything. */
  setPosition(position: GridPosition): void {
    this.#position = position;
  }

  /** Moves the cursor there with a key, which selects another row. */
  moveTo(position: GridPosition): void {
    const isOtherRow = position.row !== this.#position.row;
    this.#position = position;
    if (isOtherRow) this.selectHere();
  }

  /** Selects the row with the cursor. */
  selectHere(): void {
    if (this.handle !== undefined) this.select(this.handle);
  }

  /** Selects the row with this handle, which is reported if another one was selected. */
  select(handle: number): void {
    if (this.#selected === handle) return;
    this.#selected = handle;
    this.#onSelect(handle);
  }
}
/** The visible part of a list of rows of equal height; all values except `count` are in pixels. */
export interface GridWindow {
  readonly scrollTop: number;
  /** Height available for rows, without the header. */
  readonly height: number;
  readonly rowHeight: number;
  readonly count: number;
}

/** Rows from `first` up to, but not including, `last`. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** The visible rows with `margin` more on each side; their number depends only on the height. */
export function rowsInSight({ scrollTop, height, rowHeight, count }: GridWindow, margin: number): RowRange {
  const top = Math.max(0, Math.floor(scrollTop / rowHeight) - margin);
  const first = Math.min(top, Math.max(0, count - 1));
  const bottom = Math.ceil((Math.max(0, scrollTop) + Math.max(0, height)) / rowHeight) + margin;
  return { first, last: Math.max(first, Math.min(count, bottom)) };
}

/** The scroll position that shows the whole row, with as little scrolling as possible. */
export function scrollTopFor(index: number, { scrollTop, height, rowHeight }: GridWindow): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  return Math.max(scrollTop, top + rowHeight - height);
}

/** Number of rows of a page: one less than is visible, so that one row remains on screen. */
export function rowsOfPage({ height, rowHeight }: GridWindow): number {
  return Math.max(1, Math.floor(height / rowHeight) - 1);
}
