import { headRow } from "./gridMove.ts";
import type { GridPosition } from "./gridMove.ts";

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

  /** The handles of the rows from the first to the last. */
  get order(): readonly number[] {
    return this.#order;
  }

  get position(): GridPosition {
    return this.#position;
  }

  get selected(): number | undefined {
    return this.#selected;
  }

  /** The row with the cursor. Undefined on the header, or if there are no rows. */
  get handle(): number | undefined {
    return this.#order[this.#position.row];
  }

  /** Follows the selected row; where it has gone the user stands where it was. */
  reorder(order: readonly number[]): void {
    this.#order = order;
    if (this.#position.row === headRow) return;
    const index = this.#selected === undefined ? -1 : order.indexOf(this.#selected);
    const row = index === -1 ? Math.min(this.#position.row, order.length - 1) : index;
    this.#position = { ...this.#position, row: Math.max(0, row) };
  }

  /** There are so many columns now. */
  keepWithin(columns: number): void {
    this.#position = { ...this.#position, column: Math.min(this.#position.column, Math.max(0, columns - 1)) };
  }

  /** Stands on this row, which was selected when the table was there last. */
  beginOn(handle: number): void {
    this.#selected = handle;
    this.reorder(this.#order);
  }

  /** Stands there without selecting anything. */
  standOn(position: GridPosition): void {
    this.#position = position;
  }

  /** Goes there by a key: another row is selected on the way. */
  moveTo(position: GridPosition): void {
    const isOtherRow = position.row !== this.#position.row;
    this.#position = position;
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
