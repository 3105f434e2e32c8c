import { csvText } from "../../kernel/csv.ts";
import { createFilter } from "../filter/filterSubject.ts";
import type { Filter } from "../filter/filterSubject.ts";
import type { Cell } from "../serverFacts.ts";
import type { Server } from "../server.ts";
import { cellOf, sortKey } from "../serverProperties.ts";
import type { FilterSubject } from "../serverProperties.ts";
import { sortRows } from "../sortRows.ts";
import { serverCount } from "../tree/rowLabels.ts";
import { isSameList, rowFacts, serverRowId, staleTime, subjectsOf } from "../tree/rows.ts";
import type { ServerSection } from "../tree/rows.ts";
import { columnLabel, columnsWithValues, isMeasured, isNumeric, shownColumns } from "./columns.ts";
import type { ColumnId } from "./columns.ts";
import type { MeasuredCells } from "./measuredCells.ts";
import { mostRows, tableNotices } from "./tableProtocol.ts";
import type { TableRow, TableSort, ToTable } from "./tableProtocol.ts";

/** The rows as CSV with a header row: masked values stay masked; times are ISO dates, durations are in seconds. */
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

/** What is known about this server besides its record; undefined if nothing is. */
export type MeasuredOf = (profileName: string, server: Server) => MeasuredCells | undefined;

/** A server in the table, whether it passes the filter or not. */
interface Entry extends FilterSubject {
  readonly row: TableRow;
  readonly staleSince: string | undefined;
  readonly measured: MeasuredCells | undefined;
}

/** As in the tree. */
const usualSort: TableSort = { column: "name", isDescending: false };

/** How the table is filtered and sorted. */
interface TableView {
  /** In the filter language. */
  readonly filter: string;
  /** By name unless given. */
  readonly sort?: TableSort | undefined;
}

/** The rows of a table of server lists, and the messages for its page: first everything, then what has changed. */
export class TableModel {
  readonly #measuredOf: MeasuredOf;
  #view: TableView = { filter: "" };
  #filter: Filter | undefined;
  #entries: ReadonlyMap<string, Entry> = new Map();
  #shown: readonly TableRow[] = [];
  /** A column that once had a value stays visible. */
  #valued: ReadonlySet<ColumnId> = new Set();
  #columns: readonly ColumnId[] = [];
  /** The last messages of each type, apart from the rows, that were sent to the page. */
  readonly #sent = new Map<ToTable["type"], string>();

  constructor(measuredOf: MeasuredOf = () => undefined) {
    this.#measuredOf = measuredOf;
  }

  get #sort(): TableSort {
    return this.#view.sort ?? usualSort;
  }

  /** Number of servers that pass the filter. */
  get count(): number {
    return this.#shown.length;
  }

  /** The visible table as CSV. */
  get csv(): string {
    return tableCsv(this.#columns, this.#shown);
  }

  /** Changes how the table is filtered or sorted. */
  arrange(change: Partial<TableView>): void {
    this.#view = { ...this.#view, ...change };
    this.#filter = createFilter(this.#view.filter);
  }

  /** Everything a new page needs. `now` is in milliseconds since 1970. */
  begin(sections: readonly ServerSection[], now: number): readonly ToTable[] {
    this.#sent.clear();
    this.#entries = new Map();
    this.#shown = [];
    return this.update(sections, now);
  }

  /** The changes since the last message to the page. */
  update(sections: readonly ServerSection[], now: number): readonly ToTable[] {
    const change = this.#refill(sections, now);
    const isSame = change.put.length === 0 && change.gone.length === 0 && change.order === undefined;
    const columns = this.#columns.map((id) => ({ id, label: columnLabel(id), isNumeric: isNumeric(id) }));
    return [
      ...this.#newer({ type: "view", ...this.#view, sort: this.#sort, columns }),
      ...(isSame ? [] : [{ type: "rows", ...change } as const]),
      ...this.#newer({
        type: "surroundings",
        notices: tableNotices(sections, this.count),
        isRefreshing: sections.some(({ snapshot }) => snapshot.isRefreshing),
        known: this.#entries.size,
        shown: this.count,
        all: serverCount(sections.map(({ snapshot }) => snapshot)),
      }),
    ];
  }

  #refill(sections: readonly ServerSection[], now: number): Omit<Extract<ToTable, { type: "rows" }>, "type"> {
    const subjects = sections.flatMap((section) => {
      const staleSince = staleTime(section);
      return subjectsOf([section]).map((subject) => {
        const measured = this.#measuredOf(subject.profileName, subject.server);
        return { ...subject, staleSince, measured, isProduction: section.isProduction };
      });
    });
    const hasSameColumns = this.#findColumns(sections, subjects);
    const before = this.#entries;
    const entries = new Map<string, Entry>();
    const put: TableRow[] = [];
    for (const subject of subjects) {
      const id = serverRowId(subject.profileName, subject.server.key);
      const known = before.get(id);
      const { server, mark, staleSince, measured } = subject;
      const isSame =
        hasSameColumns &&
        known?.server === server &&
        known.mark === mark &&
        known.staleSince === staleSince &&
        JSON.stringify(known.measured) === JSON.stringify(measured);
      const row = isSame ? known.row : this.#createRow(id, subject);
      const looksSame = known !== undefined && (isSame || JSON.stringify(known.row) === JSON.stringify(row));
      if (!looksSame) put.push(row);
      entries.set(id, { ...subject, row: looksSame ? known.row : row });
    }
    const gone = [...before.keys()].filter((id) => !entries.has(id));
    this.#entries = entries;
    const lastOrder = this.#order;
    this.#shown = this.#arranged(now);
    const order = this.#order;
    return { put, gone, order: isSameList(order, lastOrder) ? undefined : order };
  }

  /** The IDs of the rows on the page, in their order. */
  get #order(): readonly string[] {
    return this.#shown.slice(0, mostRows).map(({ id }) => id);
  }

  /** Whether the columns are the same as before. */
  #findColumns(sections: readonly ServerSection[], subjects: readonly Pick<Entry, "measured">[]): boolean {
    const measured = new Set(
      subjects.flatMap((subject) => Object.keys(subject.measured ?? {}).filter(isMeasured)),
    );
    this.#valued = new Set([...this.#valued, ...columnsWithValues(sections, measured)]);
    const columns = shownColumns(this.#valued);
    const isSame = isSameList(columns, this.#columns);
    this.#columns = columns;
    return isSame;
  }

  /** The rows that pass the filter. Pinned servers come first regardless of the sort order, as in the tree. */
  #arranged(now: number): readonly TableRow[] {
    const { column: wanted, isDescending } = this.#sort;
    // Nothing else of a record may determine the order.
    const column = this.#columns.includes(wanted) ? wanted : usualSort.column;
    const passing = [...this.#entries.values()].filter((entry) => this.#filter?.(entry) ?? true);
    return sortRows(passing, isDescending, (entry) =>
      isMeasured(column) ? entry.measured?.[column]?.order : sortKey(entry, column, now),
    ).map(({ row }) => row);
  }

  #createRow(id: string, subject: Omit<Entry, "row"> & { readonly isProduction: boolean }): TableRow {
    const { server, mark, profileName, staleSince, measured, isProduction } = subject;
    const plot = measured?.history?.plot;
    return {
      id,
      status: server.status,
      cells: this.#columns.map((column) =>
        isMeasured(column) ? (measured?.[column]?.text ?? "") : cellOf(subject, column),
      ),
      facts: rowFacts({ kind: "server", id, key: server.key, profileName, server, mark, staleSince }),
      ...(isProduction ? { isProduction } : {}),
      ...(staleSince === undefined ? {} : { staleSince }),
      // JSON has no undefined values in lists.
      ...(plot === undefined ? {} : { plot: { ...plot, values: plot.values.map((value) => value ?? null) } }),
    };
  }

  /** The message, unless it is identical to the last one of its type. */
  #newer(message: ToTable): readonly ToTable[] {
    const text = JSON.stringify(message);
    if (this.#sent.get(message.type) === text) return [];
    this.#sent.set(message.type, text);
    return [message];
  }
}
