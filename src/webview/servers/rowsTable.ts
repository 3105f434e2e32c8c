import { t } from "@vscode/l10n";
import type { FromTable, TableColumn, TableSort, ToTable } from "../../core/servers/table/tableProtocol.ts";
import { create, icon } from "../kit/dom.ts";
import type { PageHost } from "../kit/host.ts";
import { ServerRowView } from "./serverRows.ts";

type View = Pick<Extract<ToTable, { type: "view" }>, "columns" | "sort">;

/** The servers as a table, one row of which can be reached with Tab, and the others from there with the arrow keys. */
export class ServerTable {
  readonly element: HTMLElement;
  readonly #host: Pick<PageHost<FromTable, unknown>, "post">;
  readonly #head = create("tr");
  readonly #body = create("tbody");
  readonly #values = create("div", { class: "visually-hidden" });
  readonly #rows = new Map<string, ServerRowView>();
  #columns: readonly TableColumn[] = [];
  #sort: TableSort | undefined;

  constructor(host: Pick<PageHost<FromTable, unknown>, "post">) {
    this.#host = host;
    const table = create(
      "table",
      {
        "aria-label": t("GPU servers"),
        "aria-description": t("Press Enter to open a server's details, or Shift+F10 for more actions"),
      },
      create("thead", {}, this.#head),
      this.#body,
    );
    this.element = create("div", { class: "scroller" }, table, this.#values);
    this.#body.addEventListener("keydown", (event) => this.#onKey(event));
    this.#body.addEventListener("focusin", ({ target }) => this.#onFocus(target));
    this.#body.addEventListener("dblclick", ({ target }) => this.#open(target));
  }

  showView({ columns, sort }: View): void {
    const focused = this.#head.contains(document.activeElement)
      ? [...this.#head.children].findIndex((cell) => cell.contains(document.activeElement))
      : -1;
    this.#columns = columns;
    this.#sort = sort;
    this.#head.replaceChildren(...columns.map((column) => this.#createHead(column)));
    this.#head.querySelectorAll("button")[focused]?.focus();
  }

  change({ put, gone, order }: Omit<Extract<ToTable, { type: "rows" }>, "type">): void {
    for (const id of gone) {
      this.#rows.get(id)?.element.remove();
      this.#rows.delete(id);
    }
    for (const row of put) {
      const view = this.#rows.get(row.id) ?? new ServerRowView(row.id);
      this.#rows.set(row.id, view);
      view.write(row, this.#columns);
    }
    if (order !== undefined) this.#arrange(order);
    this.#values.replaceChildren(
      ...[...this.#body.rows].flatMap(({ dataset }) => this.#rows.get(dataset["id"] ?? "")?.values ?? []),
    );
    if (this.#reachable === null) this.#body.querySelector("tr")?.setAttribute("tabindex", "0");
  }

  /** `now` is in milliseconds since 1970. */
  showAges(now: number): void {
    for (const row of this.#rows.values()) row.showAges(now);
  }

  /** Focuses the row that was focused last, otherwise the first one. */
  focus(): void {
    this.#reachable?.focus();
  }

  get #reachable(): HTMLElement | null {
    return this.#body.querySelector<HTMLElement>("tr[tabindex='0']");
  }

  /** Rows that move keep the focus. */
  #arrange(order: readonly string[]): void {
    const focused = document.activeElement;
    const rows = order.flatMap((id) => this.#rows.get(id)?.element ?? []);
    const shown = new Set<Element>(rows);
    for (const row of [...this.#body.rows]) if (!shown.has(row)) row.remove();
    let next = this.#body.firstElementChild;
    for (const row of rows) {
      if (row === next) next = next.nextElementSibling;
      else this.#body.insertBefore(row, next);
    }
    if (focused instanceof HTMLElement && shown.has(focused)) focused.focus();
  }

  #createHead(column: TableColumn): HTMLElement {
    const { id, label, isNumeric } = column;
    const isSorted = this.#sort?.column === id;
    const direction = !isSorted ? "none" : this.#sort?.isDescending === true ? "descending" : "ascending";
    const button = create("button", { type: "button", title: t("Sort by {0}", label) }, label);
    button.addEventListener("click", () => this.#host.post({ type: "sort", sort: nextSort(this.#sort, id) }));
    if (isSorted) button.append(icon(direction === "ascending" ? "arrow-up" : "arrow-down"));
    const head = create("th", { scope: "col", "aria-sort": direction }, button);
    head.classList.toggle("amount", isNumeric);
    return head;
  }

  #onKey(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey || !(event.target instanceof HTMLElement)) return;
    if (event.key === "Enter") this.#open(event.target);
    else {
      const { rows } = this.#body;
      const index = [...rows].findIndex((row) => row === event.target);
      const page = Math.max(1, Math.floor(this.element.clientHeight / (rows[0]?.offsetHeight ?? 1)) - 2);
      const steps: Readonly<Record<string, number>> = {
        ...{ ArrowDown: index + 1, ArrowUp: index - 1, Home: 0, End: rows.length - 1 },
        ...{ PageDown: index + page, PageUp: index - page },
      };
      const to = steps[event.key];
      if (to === undefined) return;
      rows[Math.max(0, Math.min(rows.length - 1, to))]?.focus();
    }
    event.preventDefault();
  }

  #onFocus(target: EventTarget | null): void {
    const row = rowOf(target);
    const id = row?.dataset["id"];
    if (row === null || id === undefined) return;
    if (row.tabIndex !== 0) {
      this.#reachable?.setAttribute("tabindex", "-1");
      row.tabIndex = 0;
    }
    this.#host.post({ type: "select", id });
  }

  #open(target: EventTarget | null): void {
    const id = rowOf(target)?.dataset["id"];
    if (id !== undefined) this.#host.post({ type: "open", id });
  }
}

function rowOf(target: EventTarget | null): HTMLTableRowElement | null {
  return target instanceof Element ? target.closest("tr") : null;
}

/** The sort order after a click on a header: ascending, then descending, then the usual one. */
function nextSort(sort: TableSort | undefined, column: TableSort["column"]): TableSort | undefined {
  if (sort?.column !== column) return { column, isDescending: false };
  return sort.isDescending ? undefined : { column, isDescending: true };
}
