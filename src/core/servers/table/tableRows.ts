import type { Server } from "../server.ts";
import type { Filter } from "../filter/filterSubject.ts";
import { createFilter } from "../filter/filterSubject.ts";
import type { ServerAnnotation } from "../marks/serverAnnotation.ts";
import type { Cell } from "../serverFacts.ts";
import { cellOf, sortKey } from "../serverProperties.ts";
import { sortRows } from "../sortRows.ts";
import { isSameList, serverRowId, staleTime } from "../tree/rows.ts";
import type { ServerSection } from "../tree/rows.ts";
import type { ColumnId } from "./columns.ts";
import type { TableChange, TableProfile, TableRow } from "./tableProtocol.ts";
import type { TableSort } from "./tableView.ts";

/** A server in the table, whether visible or not. */
interface Entry {
  readonly id: string;
  readonly profileName: string;
  server: Server;
  mark: ServerAnnotation | undefined;
  isStale: boolean;
  row: TableRow;
  filterVersion: Filter | undefined;
  isShown: boolean;
  /** The last update that contained the server; 0 for none yet. */
  seen: number;
}

/** Everything that determines the appearance and order of the rows. */
interface TableOptions {
  readonly filter: string;
  readonly sort: TableSort | undefined;
  readonly columns: readonly ColumnId[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The servers of all profiles as rows of the table. Each update contains only what has changed. */
export class TableRows {
  readonly #byId = new Map<string, Entry>();
  /** Entries are never removed, so a server that reappears is the same row. */
  readonly #handles = new Numbers();
  readonly #profiles = new Numbers();
  #columns: readonly ColumnId[] = [];
  #filterText = "";
  #filter: Filter | undefined;
  #order: readonly Entry[] = [];
  #widths: number[] = [];
  #updates = 0;
  /** Everything that determines what is shown, except for the time. */
  #about: readonly unknown[] = [];

  /** The rows that pass the filter, in display order. */
  get shown(): readonly TableRow[] {
    return this.#order.map(({ row }) => row);
  }

  /** How many servers are listed, including those that don't pass the filter. */
  get known(): number {
    return this.#byId.size;
  }

  /** Width of the longest text of each column, in characters. */
  get widths(): readonly number[] {
    return this.#widths;
  }

  /** The handle of the server with this ID; undefined if it isn't listed. */
  handleOf(id: string): number | undefined {
    return this.#byId.get(id)?.row.handle;
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
    const put = [...this.#byId.values()].map(({ row }) => row);
    return { put, gone: [], order: this.#order.map(({ row }) => row.handle) };
  }

  /** What the page has to change so that it shows these sections. */
  update(sections: readonly ServerSection[], options: TableOptions): TableChange {
    const { filter, sort, columns } = options;
    const about = [filter, sort, columns.join(), ...sections.flatMap(shapeOf)];
    if (isSameList(about, this.#about)) return nothing;
    this.#about = about;
    const hasOtherColumns = this.#take(options);
    const update = ++this.#updates;
    const put: TableRow[] = [];
    const shown: Entry[] = [];
    for (const section of sections) {
      const isStale = staleTime(section) !== undefined;
      for (const server of section.snapshot.servers) {
        const entry = this.#entryOf(section.profileName, server);
        const mark = section.marks.get(server.key);
        const isNew = entry.server !== server || entry.mark !== mark || entry.seen === 0;
        const mayMatchElse = isNew || entry.isStale !== isStale || entry.filterVersion !== this.#filter;
        entry.server = server;
        entry.mark = mark;
        entry.isStale = isStale;
        entry.seen = update;
        if ((isNew || hasOtherColumns) && this.#fill(entry)) put.push(entry.row);
        if (mayMatchElse) this.#applyFilter(entry);
        if (entry.isShown) shown.push(entry);
      }
    }
    const gone = this.#forgetOthers(update);
    const order = this.#sort(shown, options);
    const isSame = isSameList(order, this.#order);
    this.#order = order;
    return { put, gone, order: isSame ? undefined : order.map(({ row }) => row.handle) };
  }

  /** Whether the visible columns have changed. */
  #take({ filter, columns }: TableOptions): boolean {
    if (filter !== this.#filterText) {
      this.#filterText = filter;
      this.#filter = createFilter(filter);
    }
    if (isSameList(columns, this.#columns)) return false;
    this.#columns = columns;
    this.#widths = columns.map(() => 0);
    return true;
  }

  #entryOf(profileName: string, server: Server): Entry {
    const id = serverRowId(profileName, server.key);
    const known = this.#byId.get(id);
    if (known !== undefined) return known;
    const handle = this.#handles.numberOf(id);
    const profile = this.#profiles.numberOf(profileName);
    const entry: Entry = {
      id,
      profileName,
      server,
      mark: undefined,
      isStale: false,
      row: { handle, profile, status: server.status, cells: [] },
      filterVersion: undefined,
      isShown: true,
      seen: 0,
    };
    this.#byId.set(id, entry);
    return entry;
  }

  /** Updates the row. Returns whether it looks different now. */
  #fill(entry: Entry): boolean {
    const { mark, server } = entry;
    const { handle, profile } = entry.row;
    const cells = this.#columns.map((column) => cellOf(entry, column));
    for (const [index, column] of this.#columns.entries()) {
      const signs =
        column === "name" ? [mark?.isPinned, mark?.isWatched, mark?.isMuted].filter(Boolean).length : 0;
      const width = cellWidth(cells[index] ?? "", column) + 4 * signs;
      if (width > (this.#widths[index] ?? 0)) this.#widths[index] = width;
    }
    const row: TableRow = {
      handle,
      profile,
      status: server.status,
      cells,
      ...(mark?.isPinned === true ? { isPinned: true } : {}),
      ...(mark?.isWatched === true ? { isWatched: true } : {}),
      ...(mark?.isMuted === true ? { isMuted: true } : {}),
    };
    const isSame = entry.seen > 1 && isSameRow(entry.row, row);
    entry.row = row;
    return !isSame;
  }

  #applyFilter(entry: Entry): void {
    entry.filterVersion = this.#filter;
    entry.isShown = this.#filter?.(entry) ?? true;
  }

  #forgetOthers(update: number): readonly number[] {
    const gone: number[] = [];
    for (const [id, { seen, row }] of this.#byId) {
      if (seen === update) continue;
      this.#byId.delete(id);
      gone.push(row.handle);
    }
    return gone;
  }

  /** Pinned servers come first regardless of the sort order, as in the tree. */
  #sort(shown: readonly Entry[], { sort, columns, now }: TableOptions): readonly Entry[] {
    if (sort === undefined && shown.every(({ mark }) => mark?.isPinned !== true)) return shown;
    const index = sort === undefined ? -1 : columns.indexOf(sort.column);
    return sortRows(shown, sort?.isDescending ?? false, (entry) =>
      sort === undefined ? undefined : sortKey(entry, sort.column, now, entry.row.cells[index]),
    );
  }
}

const nothing: TableChange = { put: [], gone: [], order: undefined };

/** Everything in a section that determines its rows; the same objects make the same rows. */
function shapeOf(section: ServerSection): readonly unknown[] {
  const { profileName, snapshot, marks } = section;
  return [profileName, snapshot.servers, marks, staleTime(section) !== undefined];
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
