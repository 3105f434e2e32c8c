import { isRecord, stringField } from "../../kernel/json.ts";
import { parseColumns } from "./columns.ts";
import type { ColumnId } from "./columns.ts";

/** The column that the table is sorted by. Equal rows keep the gateway's order. */
export interface TableSort {
  readonly column: ColumnId;
  readonly isDescending: boolean;
}

/** How the table shows the servers. Kept when the window is reloaded. */
export interface TableView {
  /** In the filter language. */
  readonly filter: string;
  /** Undefined means the order of the gateways. */
  readonly sort?: TableSort | undefined;
  /** Undefined means the columns that have values. */
  readonly columns?: readonly ColumnId[] | undefined;
  /** The ID of the selected row. */
  readonly selected?: string;
}

const maxText = 1_000;

/** Parses stored data; invalid values count as not set. */
export function parseTableView(stored: unknown): TableView {
  if (!isRecord(stored)) return { filter: "" };
  const columns = parseColumns(stored["columns"]);
  const sort = parseTableSort(stored["sort"]);
  const selected = stringField(stored, "selected")?.slice(0, maxText);
  return {
    filter: (stringField(stored, "filter") ?? "").slice(0, maxText),
    ...(sort === undefined ? {} : { sort }),
    ...(columns === undefined ? {} : { columns }),
    ...(selected === undefined ? {} : { selected }),
  };
}

/** Parses a sort order; undefined for anything invalid. */
export function parseTableSort(stored: unknown): TableSort | undefined {
  if (!isRecord(stored)) return undefined;
  const [column] = parseColumns([stored["column"]]) ?? [];
  return column === undefined ? undefined : { column, isDescending: stored["isDescending"] === true };
}

/** The sort order after a click on a header: ascending, then descending, then the order of the gateways. */
export function nextSort(sort: TableSort | undefined, column: ColumnId): TableSort | undefined {
  if (sort?.column !== column) return { column, isDescending: false };
  return sort.isDescending ? undefined : { column, isDescending: true };
}
