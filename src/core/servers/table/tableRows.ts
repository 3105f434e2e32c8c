import { createFilter } from "../filter/filterSubject.ts";
import type { Filter } from "../filter/filterSubject.ts";
import type { Cell } from "../serverFacts.ts";
import { cellOf, sortKey } from "../serverProperties.ts";
import type { FilterSubject } from "../serverProperties.ts";
import { sortRows } from "../sortRows.ts";
import { isSameList, serverRowId, staleTime, subjectsOf } from "../tree/rows.ts";
import type { ServerSection } from "../tree/rows.ts";
import type { ColumnId } from "./columns.ts";
import type { TableChange, TableProfile, TableRow } from "./tableProtocol.ts";
import type { TableSort } from "./tableView.ts";

/** A server in the table, whether visible or not. */
interface Entry extends FilterSubject {
  readonly row: TableRow;
}

/** Everything that determines the appearance and order of the rows. */
interface TableOptions {
  readonly filter: string;
  readonly sort: TableSort | undefined;
  readonly columns: readonly ColumnId[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/**
 * The servers of all profiles as rows of the table. Each update builds all rows, and contains those that look different
 * now.
 */
export class TableRows {
  /** Handles are never forgotten, so a server that reappears is the same row. */
  readonly #handles = new Numbers();
  readonly #profiles = new Numbers();
  #entries: ReadonlyMap<string, Entry> = new Map();
  #columns: readonly ColumnId[] = [];
  #filterText = "";
  #filter: Filter | undefined;
  #shown: readonly TableRow[] = [];
  #widths: number[] = [];

  /** The rows that pass the filter, in display order. */
  get shown(): readonly TableRow[] {
    return this.#shown;
  }

  /** How many servers are listed, including those that don't pass the filter. */
  get known(): number {
    return this.#entries.size;
  }

  /** Width of the longest text of each column, in characters. */
  get widths(): readonly number[] {
    return this.#widths;
  }

  /** The handle of the server with this ID; undefined if it isn't listed. */
  handleOf(id: string): number | undefined {
    return this.#entries.get(id)?.row.handle;
  }

  /** The ID of the server with this handle, even if it is gone. */
  idOf(handle: number): string | undefined {
    return this.#handles.nameOf(handle);
  }

  /** In the order of `TableRow.profile`. */
  profiles(sections: readonly ServerSection[]): readonly TableProfile[] {
    const profiles: TableProfile[] = [];
    for (const section of sections) {
      const { profileName, isProduction } = section;
      profiles[this.#profiles.numberOf(profileName)] = { isProduction, staleSince: staleTime(section) };
    }
    return Array.from(profiles, (profile) => profile ?? { isProduction: false });
  }

  /** All rows, as if nothing had been sent yet. */
  all(): TableChange {
    const put = [...this.#entries.values()].map(({ row }) => row);
    return { put, gone: [], order: handlesOf(this.#shown) };
  }

  /** What the page has to change so that it shows these sections. */
  update(sections: readonly ServerSection[], { filter, sort, columns, now }: TableOptions): TableChange {
    if (filter !== this.#filterText) this.#filter = createFilter(filter);
    this.#filterText = filter;
    const hasSameColumns = isSameList(columns, this.#columns);
    if (!hasSameColumns) this.#widths = columns.map(() => 0);
    this.#columns = columns;
    const before = this.#entries;
    const entries = new Map<string, Entry>();
    const put: TableRow[] = [];
    for (const subject of subjectsOf(sections)) {
      const id = serverRowId(subject.profileName, subject.server.key);
      const known = before.get(id);
      const isSame = hasSameColumns && known?.server === subject.server && known.mark === subject.mark;
      const row = isSame ? known.row : this.#createRow(id, subject);
      const looksSame = known !== undefined && isSameRow(known.row, row);
      if (!looksSame) put.push(row);
      entries.set(id, { ...subject, row: looksSame ? known.row : row });
    }
    const gone = [...before].flatMap(([id, { row }]) => (entries.has(id) ? [] : [row.handle]));
    const passing = [...entries.values()].filter((entry) => this.#filter?.(entry) ?? true);
    // Pinned servers come first regardless of the sort order, as in the tree.
    const shown = sortRows(passing, sort?.isDescending ?? false, (entry) =>
      sort === undefined
        ? undefined
        : sortKey(entry, sort.column, now, entry.row.cells[columns.indexOf(sort.column)]),
    ).map(({ row }) => row);
    const [order, lastOrder] = [handlesOf(shown), handlesOf(this.#shown)];
    this.#entries = entries;
    this.#shown = shown;
    return { put, gone, order: isSameList(order, lastOrder) ? undefined : order };
  }

  #createRow(id: string, subject: FilterSubject): TableRow {
    const { server, mark, profileName } = subject;
    const cells = this.#columns.map((column) => cellOf(subject, column));
    for (const [index, column] of this.#columns.entries()) {
      const signs =
        column === "name" ? [mark?.isPinned, mark?.isWatched, mark?.isMuted].filter(Boolean).length : 0;
      const width = cellWidth(cells[index] ?? "", column) + 4 * signs;
      if (width > (this.#widths[index] ?? 0)) this.#widths[index] = width;
    }
    return {
      handle: this.#handles.numberOf(id),
      profile: this.#profiles.numberOf(profileName),
      status: server.status,
      cells,
      ...(mark?.isPinned === true ? { isPinned: true } : {}),
      ...(mark?.isWatched === true ? { isWatched: true } : {}),
      ...(mark?.isMuted === true ? { isMuted: true } : {}),
    };
  }
}

function handlesOf(rows: readonly TableRow[]): readonly number[] {
  return rows.map(({ handle }) => handle);
}

/** In characters. A time is as long as `12 minutes`; a status icon takes the space of three characters. */
function cellWidth(cell: Cell, column: ColumnId): number {
  if (typeof cell === "number") return 11;
  return cell.length + (column === "status" ? 3 : 0);
}

function isSameRow(first: TableRow, second: TableRow): boolean {
  return (
    first.status === second.status &&
    first.isPinned === second.isPinned &&
    first.isWatched === second.isWatched &&
    first.isMuted === second.isMuted &&
    isSameList(first.cells, second.cells)
  );
}

/** Assigns small numbers to names, which stay the same as long as the table is open. */
class Numbers {
  readonly #byName = new Map<string, number>();
  readonly #names: string[] = [];

  numberOf(name: string): number {
    const known = this.#byName.get(name);
    if (known !== undefined) return known;
    const number = this.#names.push(name) - 1;
    this.#byName.set(name, number);
    return number;
  }

  nameOf(number: number): string | undefined {
    return this.#names[number];
  }
}
