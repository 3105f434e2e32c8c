import { t } from "@vscode/l10n";
import { displayLanguage } from "../../core/kernel/displayLanguage.ts";
import { formatAge } from "../../core/kernel/formatTime.ts";
import type { IconName } from "../../core/kernel/iconNames.ts";
import type { ServerStatus } from "../../core/servers/server.ts";
import type { Cell } from "../../core/servers/serverFacts.ts";
import type { TableColumn, TableProfile, TableRow } from "../../core/servers/table/tableProtocol.ts";
import { create, icon, iconClass } from "../kit/dom.ts";

/** What determines a row's appearance apart from its content. A new object means that all rows are rewritten. */
export interface RowLook {
  readonly columns: readonly TableColumn[];
  readonly profiles: readonly TableProfile[];
  /** Milliseconds since 1970. */
  readonly now: number;
}

/** The same shapes as in the tree, so that the statuses can be distinguished without color. */
const statusIcons: Readonly<Record<ServerStatus, IconName>> = {
  running: "vm-running",
  starting: "arrow-circle-up",
  stopping: "arrow-circle-down",
  stopped: "vm-outline",
  error: "error",
  unknown: "question",
};

/** A visible row. It is reused for another server when its own is scrolled out of view. */
export class RowView {
  readonly element = create("div", { class: "row", role: "row" });
  #row: TableRow | undefined;
  #look: RowLook | undefined;
  #cells: readonly HTMLElement[] = [];
  #index = -1;
  #activeColumn: number | undefined;

  get handle(): number | undefined {
    return this.#row?.handle;
  }

  /** The cell in this column; undefined if there is none. */
  cell(column: number): HTMLElement | undefined {
    return this.#cells[column];
  }

  /** `activeColumn` is the column of the active cell; undefined in all other rows. */
  show(row: TableRow, index: number, look: RowLook, isSelected: boolean, activeColumn?: number): void {
    if (this.#row !== row || this.#look !== look) this.#write(row, look);
    // The header is the first row of the grid.
    if (this.#index !== index) this.element.setAttribute("aria-rowindex", String(index + 2));
    this.#index = index;
    this.element.classList.toggle("even", index % 2 === 1);
    const selected = String(isSelected);
    if (this.element.getAttribute("aria-selected") !== selected) {
      this.element.setAttribute("aria-selected", selected);
    }
    if (this.#activeColumn !== undefined) this.#cells[this.#activeColumn]?.classList.remove("active");
    if (activeColumn !== undefined) this.#cells[activeColumn]?.classList.add("active");
    this.#activeColumn = activeColumn;
  }

  #write(row: TableRow, look: RowLook): void {
    if (this.#look?.columns !== look.columns) this.#createCells(look.columns);
    const { staleSince, isProduction } = look.profiles[row.profile] ?? { isProduction: false };
    const isOther = this.#row?.handle !== row.handle;
    this.element.classList.toggle("stale", staleSince !== undefined);
    for (const [index, cell] of this.#cells.entries()) {
      const id = look.columns[index]?.id;
      if (isOther) cell.id = `cell-${row.handle}-${index}`;
      const text = cellText(row.cells[index] ?? "", look.now);
      if (id === "status") writeStatus(cell, row.status, text, staleSince);
      else if (id === "name") writeName(cell, row, text);
      else if (id === "profile") writeProfile(cell, text, isProduction);
      else writeText(cell, text);
    }
    this.#row = row;
    this.#look = look;
  }

  #createCells(columns: readonly TableColumn[]): void {
    this.#cells = columns.map((_, index) =>
      create("div", {
        class: "cell",
        role: index === 0 ? "rowheader" : "gridcell",
        dir: "auto",
        "aria-colindex": String(index + 1),
      }),
    );
    this.element.replaceChildren(...this.#cells);
    this.#row = undefined;
    this.#activeColumn = undefined;
  }
}

/** Plain text needs no element of its own. Most cells are plain, and every frame of scrolling rewrites them. */
function writeText(cell: HTMLElement, text: string): void {
  cell.classList.remove("rich");
  if (cell.childElementCount > 0 || cell.textContent !== text) cell.textContent = text;
}

function writeSigns(cell: HTMLElement, ...parts: readonly HTMLElement[]): void {
  cell.classList.add("rich");
  cell.replaceChildren(...parts);
}

function writeStatus(
  cell: HTMLElement,
  status: ServerStatus,
  text: string,
  staleSince: string | undefined,
): void {
  const words = staleSince === undefined ? text : `${text} · ${t("as of {0}", staleSince)}`;
  const [sign, said] = cell.children;
  if (sign === undefined || said === undefined) writeSigns(cell, icon(statusIcons[status]), textOf(words));
  else {
    sign.className = iconClass(statusIcons[status]);
    if (said.textContent !== words) said.textContent = words;
  }
  cell.dataset["status"] = status;
}

function writeName(cell: HTMLElement, row: TableRow, text: string): void {
  const marks: readonly (readonly [true | undefined, IconName, string])[] = [
    [row.isPinned, "pinned", t("pinned")],
    [row.isWatched, "eye", t("watched")],
    [row.isMuted, "bell-slash", t("muted")],
  ];
  const shown = marks.filter(([isSet]) => isSet === true);
  if (shown.length === 0) return writeText(cell, text);
  writeSigns(cell, textOf(text), ...shown.map(([, name, words]) => signOf(name, words)));
}

function writeProfile(cell: HTMLElement, text: string, isProduction: boolean): void {
  if (!isProduction) return writeText(cell, text);
  writeSigns(cell, textOf(text), signOf("shield", t("Production")));
}

/** An icon with a text alternative. */
function signOf(name: IconName, words: string): HTMLElement {
  const spoken = create("span", { class: "visually-hidden" }, ` ${words}`);
  return create("span", { class: "sign", title: words }, icon(name), spoken);
}

function textOf(text: string): HTMLElement {
  return create("span", { class: "text", dir: "auto" }, text);
}

/** The text of a cell. `now` is in milliseconds since 1970. */
function cellText(cell: Cell, now: number): string {
  if (typeof cell === "string") return cell;
  return formatAge(cell < 0 ? -cell : now - cell);
}

/** Additional text for a cell: the exact time if it is a relative one. */
export function cellHint(cell: Cell): string | undefined {
  if (typeof cell === "string" || cell < 0) return undefined;
  const style = { dateStyle: "medium", timeStyle: "medium" } as const;
  return new Intl.DateTimeFormat(displayLanguage(), style).format(cell);
}
