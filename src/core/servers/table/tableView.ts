import { isRecord, stringField } from "../../kernel/json.ts";
import type { ColumnId } from "./columns.ts";
import { parseColumns } from "./columns.ts";

export interface TableSort {
  readonly column: ColumnId;
  readonly isDescending: boolean;
}

/** How the table shows the servers. Kept when the window is reloaded. */
export interface TableView {
  /** In the filter language. */
  readonly filter: string;
  /** Undefined: in the order of the gateways. */
  readonly sort?: TableSort | undefined;
  /** Undefined: those that have something to say. */
  readonly columns?: readonly ColumnId[] | undefined;
  /** The id of the selected row. */
  readonly selected?: string;
}

const maxText = 1_000;

/** Reads what was stored; what can't be understood is as if it was never chosen. */
export function parseTableView(stored: unknown): TableView {
  if (!isRecord(stored)) return { filter: "" };
  const columns = parseColumns(stored["columns"]);
  const sort = parseSort(stored["sort"]);
  const selected = stringField(stored, "selected")?.slice(0, maxText);
  return {
    filter: (stringField(stored, "filter") ?? "").slice(0, maxText),
    ...(sort === undefined ? {} : { sort }),
    ...(columns === undefined ? {} : { columns }),
    ...(selected === undefined ? {} : { selected }),
  };
}

function parseSort(stored: unknown): TableSort | undefined {
  if (!isRecord(stored)) return undefined;
  const [column] = parseColumns([stored["column"]]) ?? [];
  return column === undefined ? undefined : { column, isDescending: stored["isDescending"] === true };
}

/** A click on a head: up, then down, then the order of the gateways again. */
export function nextSort(sort: TableSort | undefined, column: ColumnId): TableSort | undefined {
  if (sort?.column !== column) return { column, isDescending: false };
  return sort.isDescending ? undefined : { column, isDescending: true };
}
