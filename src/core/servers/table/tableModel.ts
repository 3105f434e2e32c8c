import { csvText } from "../../kernel/csv.ts";
import { serverCount } from "../tree/rowLabels.ts";
import type { Cell } from "../serverFacts.ts";
import type { ServerSection } from "../tree/rows.ts";
import { columnLabel, columnsFor, saidColumns } from "./columns.ts";
import type { ColumnId } from "./columns.ts";
import { tableNotices } from "./tableProtocol.ts";
import type { TableChange, TableSurroundings, ToTable } from "./tableProtocol.ts";
import { TableRows } from "./tableRows.ts";
import type { TableSort, TableView } from "./tableView.ts";

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

/**
 * The state of a table of server lists, and the messages for its page. The page is disposable, so all state is kept
 * here.
 */
export class TableModel {
  readonly #rows = new TableRows();
  #view: TableView;
  #columns: readonly ColumnId[] = [];
  /** The handle of the row at the top of the page. */
  #top: number | undefined;
  /** A column that once had a value stays visible. */
  readonly #said = new Set<ColumnId>();
  /** The last messages about the view and everything around the rows that were sent to the page. */
  #sent = new Map<ToTable["type"], string>();

  constructor(view: TableView) {
    this.#view = view;
  }

  get view(): TableView {
    return this.#view;
  }

  /** The visible columns, selected or not. */
  get columns(): readonly ColumnId[] {
    return this.#columns;
  }

  /** Number of servers that pass the filter. */
  get count(): number {
    return this.#rows.shown.length;
  }

  /** The visible table as CSV. */
  get csv(): string {
    return tableCsv(this.#columns, this.#rows.shown);
  }

  /** The ID of the server with this handle, even if it is gone. Undefined for a handle that was never sent. */
  idOf(handle: number): string | undefined {
    return this.#rows.idOf(handle);
  }

  /** Sets the filter, in the filter language. */
  filter(filter: string): void {
    this.#view = { ...this.#view, filter };
  }

  /** Undefined means the order of the gateways. */
  sort(sort: TableSort | undefined): void {
    this.#view = { ...this.#view, sort };
  }

  /** An empty list restores the default columns. */
  choose(columns: readonly ColumnId[]): void {
    this.#view = { ...this.#view, columns: columns.length === 0 ? undefined : columns };
  }

  /** Costs the same for any number of servers, because it is called for every arrow key. */
  select(handle: number): readonly ToTable[] {
    const selected = this.#rows.idOf(handle);
    if (selected !== undefined) this.#view = { ...this.#view, selected };
    return this.#newer(this.#keepMessage());
  }

  /** Where the next page starts, because VS Code discards a page as soon as another editor hides it. */
  scrolled(handle: number): void {
    this.#top = handle;
  }

  /** Everything a new page needs. `now` is in milliseconds since 1970. */
  begin(sections: readonly ServerSection[], now: number): readonly ToTable[] {
    this.#sent.clear();
    this.#refill(sections, now);
    const handle = this.#rows.handleOf(this.#view.selected ?? "");
    const around = this.#surroundings(sections);
    return [
      ...this.#newer(this.#keepMessage()),
      ...this.#newer(this.#viewMessage(around)),
      { type: "rows", ...this.#rows.all() },
      ...this.#newer(around),
      ...(handle === undefined ? [] : [{ type: "select", handle } as const]),
      ...(this.#top === undefined ? [] : [{ type: "scroll", handle: this.#top } as const]),
    ];
  }

  /** The changes since the last message to the page. */
  update(sections: readonly ServerSection[], now: number): readonly ToTable[] {
    const change = this.#refill(sections, now);
    const { put, gone, order } = change;
    const isSame = put.length === 0 && gone.length === 0 && order === undefined;
    const around = this.#surroundings(sections);
    return [
      ...this.#newer(this.#keepMessage()),
      ...this.#newer(this.#viewMessage(around)),
      ...(isSame ? [] : [{ type: "rows", ...change } as const]),
      ...this.#newer(around),
    ];
  }

  #refill(sections: readonly ServerSection[], now: number): TableChange {
    const { filter, sort, columns } = this.#view;
    for (const column of saidColumns(sections)) this.#said.add(column);
    this.#columns = columns ?? columnsFor(this.#said, sections.length);
    return this.#rows.update(sections, { filter, sort, columns: this.#columns, now });
  }

  #viewMessage({ profiles }: TableSurroundings): ToTable {
    const hasOld = profiles.some(({ staleSince }) => staleSince !== undefined);
    const columns = this.#columns.map((id, index) => {
      // The status of stale rows includes since when they are stale.
      const more = hasOld && id === "status" ? 14 : 0;
      return { id, label: columnLabel(id), width: (this.#rows.widths[index] ?? 0) + more };
    });
    const { filter, sort } = this.#view;
    return { type: "view", filter, sort, columns };
  }

  #keepMessage(): ToTable {
    return { type: "keep", view: this.#view };
  }

  #surroundings(sections: readonly ServerSection[]): { readonly type: "surroundings" } & TableSurroundings {
    return {
      type: "surroundings",
      notices: tableNotices(sections, this.count),
      profiles: this.#rows.profiles(sections),
      isRefreshing: sections.some(({ snapshot }) => snapshot.isRefreshing),
      known: this.#rows.known,
      all: serverCount(sections.map(({ snapshot }) => snapshot)),
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
