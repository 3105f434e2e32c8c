/** What is seen of a list of rows of the same height; all but `count` in pixels. */
export interface GridWindow {
  readonly scrollTop: number;
  /** Of the place that the rows have, without the head. */
  readonly height: number;
  readonly rowHeight: number;
  readonly count: number;
}

/** Rows from `first` up to, and without, `last`. */
export interface RowRange {
  readonly first: number;
  readonly last: number;
}

/** The rows in sight with `margin` more on each side: their number depends on the height alone. */
export function rowsInSight({ scrollTop, height, rowHeight, count }: GridWindow, margin: number): RowRange {
  const top = Math.max(0, Math.floor(scrollTop / rowHeight) - margin);
  const first = Math.min(top, Math.max(0, count - 1));
  const bottom = Math.ceil((Math.max(0, scrollTop) + Math.max(0, height)) / rowHeight) + margin;
  return { first, last: Math.max(first, Math.min(count, bottom)) };
}

/** Where to scroll to, so that the row is seen whole; no further than is needed. */
export function scrollTopFor(index: number, { scrollTop, height, rowHeight }: GridWindow): number {
  const top = index * rowHeight;
  if (top < scrollTop) return top;
  return Math.max(scrollTop, top + rowHeight - height);
}

/** How many rows a page has: one less than is seen, so that one row is common to both. */
export function rowsOfPage({ height, rowHeight }: GridWindow): number {
  return Math.max(1, Math.floor(height / rowHeight) - 1);
}
