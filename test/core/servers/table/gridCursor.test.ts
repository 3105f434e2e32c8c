import assert from "node:assert/strict";
import { GridCursor, headRow } from "../../../../src/core/servers/table/gridCursor.ts";

function createCursor(order: readonly number[] = [10, 20, 30]) {
  const told: number[] = [];
  const cursor = new GridCursor((handle) => told.push(handle));
  cursor.reorder(order);
  return { cursor, told };
}

describe("GridCursor", () => {
  it("selects the row that a key moves to, and reports it once", () => {
    const { cursor, told } = createCursor();
    cursor.moveTo({ row: 1, column: 0 });
    cursor.moveTo({ row: 1, column: 2 });
    cursor.selectHere();
    assert.deepEqual([cursor.selected, told], [20, [20]]);
  });

  it("keeps the selection while it is on a column header", () => {
    const { cursor, told } = createCursor();
    cursor.moveTo({ row: 2, column: 0 });
    cursor.moveTo({ row: headRow, column: 1 });
    assert.deepEqual([cursor.handle, cursor.selected, told], [undefined, 30, [30]]);
  });

  it("follows the selected row when the order changes", () => {
    const { cursor } = createCursor();
    cursor.select(30);
    cursor.reorder([30, 10, 20]);
    assert.deepEqual([cursor.position.row, cursor.handle], [0, 30]);
  });

  it("stays in place when the selected row disappears, or moves to the last row", () => {
    const { cursor } = createCursor();
    cursor.moveTo({ row: 2, column: 0 });
    cursor.reorder([10, 20, 40]);
    assert.deepEqual([cursor.position.row, cursor.handle], [2, 40]);
    cursor.reorder([10]);
    assert.deepEqual([cursor.position.row, cursor.handle], [0, 10]);
    cursor.reorder([]);
    assert.deepEqual([cursor.position.row, cursor.handle], [0, undefined]);
  });

  it("stays on the headers whatever happens to the rows", () => {
    const { cursor } = createCursor();
    cursor.setPosition({ row: headRow, column: 1 });
    cursor.reorder([]);
    assert.equal(cursor.position.row, headRow);
  });

  it("starts on a row without reporting a selection by the user", () => {
    const { cursor, told } = createCursor();
    cursor.beginOn(20);
    assert.deepEqual([cursor.position.row, cursor.selected, told], [1, 20, []]);
  });

  it("stays within the columns", () => {
    const { cursor } = createCursor();
    cursor.setPosition({ row: 0, column: 5 });
    cursor.keepWithin(3);
    assert.equal(cursor.position.column, 2);
    cursor.keepWithin(0);
    assert.equal(cursor.position.column, 0);
  });
});
