import { headRow } from "./gridMove.ts";
import type { GridPlace } from "./gridMove.ts";

/**
 * Where the user stands in a grid, and which of its rows is selected. Rows are told by their handles: the selected one
 * takes the user along wherever another order puts it.
 */
export class GridCursor {
  /** Told when the user selects another row. */
  readonly #onSelect: (handle: number) => void;
  #order: readonly number[] = [];
  #place: GridPlace = { row: 0, column: 0 };
  #selected: number | undefined;

  constructor(onSelect: (handle: number) => void) {
    this.#onSelect = onSelect;
  }

  /** The handles of the rows from the first to the last. */
  get order(): readonly number[] {
    return this.#order;
  }

  get place(): GridPlace {
    return this.#place;
  }

  get selected(): number | undefined {
    return this.#selected;
  }

  /** The row on which the user stands; undefined on the heads, or where there are no rows. */
  get handle(): number | undefined {
    return this.#order[this.#place.row];
  }

  /** Follows the selected row; where it has gone the user stands where it was. */
  reorder(order: readonly number[]): void {
    this.#order = order;
    if (this.#place.row === headRow) return;
    const index = this.#selected === undefined ? -1 : order.indexOf(this.#selected);
    const row = index === -1 ? Math.min(this.#place.row, order.length - 1) : index;
    this.#place = { ...this.#place, row: Math.max(0, row) };
  }

  /** There are so many columns now. */
  keepWithin(columns: number): void {
    this.#place = { ...this.#place, column: Math.min(this.#place.column, Math.max(0, columns - 1)) };
  }

  /** Stands on this row, which was selected when the table was there last. */
  beginOn(handle: number): void {
    this.#selected = handle;
    this.reorder(this.#order);
  }

  /** Stands there without selecting anything. */
  standOn(place: GridPlace): void {
    this.#place = place;
  }

  /** Goes there by a key: another row is selected on the way. */
  moveTo(place: GridPlace): void {
    const isOtherRow = place.row !== this.#place.row;
    this.#place = place;
    if (isOtherRow) this.selectHere();
  }

  /** The user selects the row on which they stand. */
  selectHere(): void {
    if (this.handle !== undefined) this.select(this.handle);
  }

  select(handle: number): void {
    if (this.#selected === handle) return;
    this.#selected = handle;
    this.#onSelect(handle);
  }
}
