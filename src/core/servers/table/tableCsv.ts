import type { Cell } from "./cells.ts";
import type { ColumnId } from "./columns.ts";
import { columnLabel } from "./columns.ts";
import { csvText } from "./csv.ts";

/** The rows as CSV with their heads: what is masked stays so; times are ISO dates, durations seconds. */
export function tableCsv(
  columns: readonly ColumnId[],
  rows: readonly { readonly cells: readonly Cell[] }[],
): string {
  return csvText([columns.map(columnLabel), ...rows.map(({ cells }) => cells.map(cellValue))]);
}

function cellValue(cell: Cell): string {
  if (typeof cell === "string") return cell;
  return cell < 0 ? String(Math.round(-cell / 1_000)) : new Date(cell).toISOString();
}
