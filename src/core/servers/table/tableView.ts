import { isRecord, stringField } from "../../kernel/json.ts";
import { parseColumns } from "./columns.ts";
import type { ColumnId } from "./columns.ts";
/** An item with its sort key. If nothing is known, the key is undefined and comes last in either direction. */
export interface Sorted {
  readonly key: string | number | undefined;
  readonly isPinned: boolean;
}

const collator = new Intl.Collator(undefined, { numeric: true });

/**
 * Sorts rows by their keys. Texts are compared by language rules only once each, then by rank: sorting a list again, or
 * in reverse, costs hardly more than iterating over it.
 */
export class RowSorter {
  #ranks: ReadonlyMap<string, number> = new Map();

  /** Pinned rows first, numbers before texts; equal rows keep their order. */
  sort<T extends Sorted>(rows: readonly T[], isDescending: boolean): readonly T[] {
    const numbers = this.#rank(rows);
    const last = numbers.size + this.#ranks.size;
    // One number encodes the position of a row: pinned or not, its rank, and its previous position.
    const positions = new Float64Array(rows.length);
    for (const [position, { key, isPinned }] of rows.entries()) {
      const text = typeof key === "string" ? this.#ranks.get(key) : undefined;
      const rank =
        typeof key === "number" ? numbers.get(key) : text === undefined ? undefined : numbers.size + text;
      const upward = rank === undefined ? last : isDescending ? last - 1 - rank : rank;
      positions[position] = ((isPinned ? 0 : last + 1) + upward) * rows.length + position;
    }
    return Array.from(positions.sort(), (position) => rows[position % rows.length]).filter(
      (row) => row !== undefined,
    );
  }

  /** Updates the ranks of texts; returns those of the numbers. */
  #rank(rows: readonly Sorted[]): ReadonlyMap<number, number> {
    const keys = [...new Set(rows.map(({ key }) => key))];
    const texts = keys.filter((key) => typeof key === "string");
    if (texts.some((text) => !this.#ranks.has(text))) this.#rankTexts(new Set(texts));
    const numbers = keys.filter((key) => typeof key === "number").sort((first, second) => first - second);
    return new Map(numbers.map((key, index) => [key, index]));
  }

  /** Starts with the previous order, so that new texts are inserted without comparing everything again. */
  #rankTexts(texts: Set<string>): void {
    const known = [...this.#ranks.keys()].filter((text) => texts.delete(text));
    const sorted = [...known, ...nearlySorted([...texts])].sort(collator.compare);
    this.#ranks = new Map(sorted.map((text, index) => [text, index]));
  }
}

/**
 * Sorts by plain character comparison with numbers padded to the same length, at a fraction of the cost of language
 * rules, which then have little left to do.
 */
function nearlySorted(texts: readonly string[]): readonly string[] {
  const keys = new Map(
    texts.map((text) => [text, text.toLowerCase().replace(/\d+/g, (digits) => digits.padStart(12, "0"))]),
  );
  return texts.toSorted((first, second) => {
    const [one, other] = [keys.get(first) ?? "", keys.get(second) ?? ""];
    return one === other ? 0 : one < other ? -1 : 1;
  });
}

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
