/** A cell of the grid; the row before the first one is that of the heads. */
export interface GridPosition {
  readonly row: number;
  readonly column: number;
}

export const headRow = -1;

export interface GridSize {
  readonly rows: number;
  readonly columns: number;
  /** Rows that Page Up and Page Down move by. */
  readonly page: number;
}

/** A key with the one modifier that means something to a grid; `isRightToLeft` says where "next" is. */
export interface GridKey {
  readonly key: string;
  readonly isControl: boolean;
  readonly isRightToLeft: boolean;
}

/** Where a key leads, as the grid pattern of ARIA has it; undefined for a key that moves nothing. */
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
