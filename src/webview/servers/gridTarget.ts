/** The row that an event came from, and the cell of it. */
export interface GridTarget {
  /** Zero for the first row below the heads. */
  readonly row: number;
  readonly column: number;
  /** Null between the cells. */
  readonly cell: HTMLElement | null;
}

/** Undefined outside of the rows. ARIA counts from one, and the heads as the first row. */
export function gridTarget(target: EventTarget | null): GridTarget | undefined {
  if (!(target instanceof Element)) return undefined;
  const row = Number(target.closest("[role=row]")?.getAttribute("aria-rowindex") ?? 1) - 2;
  if (row < 0) return undefined;
  const cell = target.closest<HTMLElement>(".cell");
  return { row, column: Number(cell?.getAttribute("aria-colindex") ?? 1) - 1, cell };
}
