import { t } from "@vscode/l10n";
import { displayLanguage } from "../../core/kernel/displayLanguage.ts";
import { formatAge, formatRemaining } from "../../core/kernel/formatTime.ts";
import type { IconName } from "../../core/kernel/iconNames.ts";
import type { ServerStatus } from "../../core/servers/server.ts";
import type { Cell } from "../../core/servers/serverFacts.ts";
import type { TableColumn, TableRow } from "../../core/servers/table/tableProtocol.ts";
import { create, createSvg, icon } from "../kit/dom.ts";

/** The same shapes as in the tree, so that the statuses can be distinguished without color. */
const statusIcons: Readonly<Record<ServerStatus, IconName>> = {
  running: "vm-running",
  starting: "arrow-circle-up",
  stopping: "arrow-circle-down",
  stopped: "vm-outline",
  error: "error",
  unknown: "question",
};

/** A cell whose text changes with time. */
interface AgeCell {
  readonly element: HTMLElement;
  readonly value: number;
}

/** A server's row. */
export class ServerRowView {
  readonly element: HTMLTableRowElement;
  /** The values of the plot as a table for screen readers, which isn't part of the row: that would read it all. */
  values: HTMLElement | undefined;
  #ages: readonly AgeCell[] = [];

  constructor(id: string) {
    this.element = create("tr", { tabindex: "-1" });
    this.element.dataset["id"] = id;
  }

  write(row: TableRow, columns: readonly TableColumn[]): void {
    this.element.classList.toggle("stale", row.staleSince !== undefined);
    // VS Code reads from it what the context menu may offer.
    this.element.dataset["vscodeContext"] = JSON.stringify({
      ...{ webviewSection: "server", preventDefaultContextMenuItems: true, serverRow: row.id },
      ...Object.fromEntries(row.facts.map((fact) => [fact, true])),
    });
    const ages: AgeCell[] = [];
    const cells = columns.map(({ id, isNumeric }, index) => {
      const value = row.cells[index] ?? "";
      const element = create(id === "name" ? "th" : "td", { dir: "auto" }, ...contentOf(id, row, value));
      if (id === "name") element.scope = "row";
      if (id === "status") element.dataset["status"] = row.status;
      element.classList.toggle("amount", isNumeric);
      if (typeof value === "number") ages.push({ element, value });
      return element;
    });
    this.element.replaceChildren(...cells);
    this.values =
      row.plot && valuesTable(String(row.cells[columns.findIndex(({ id }) => id === "name")]), row.plot);
    this.#ages = ages;
    this.showAges(Date.now());
  }

  /** `now` is in milliseconds since 1970. */
  showAges(now: number): void {
    for (const { element, value } of this.#ages) {
      const text = formatAge(value < 0 ? -value : now - value);
      if (element.textContent === text) continue;
      element.textContent = text;
      if (value >= 0) element.title = exactTime.format(value);
    }
  }
}

const exactTime = new Intl.DateTimeFormat(displayLanguage(), { dateStyle: "medium", timeStyle: "medium" });

function contentOf(column: string, row: TableRow, value: Cell): readonly (Node | string)[] {
  if (typeof value === "number") return [];
  switch (column) {
    case "name":
      return [value, ...marks.flatMap((mark) => (row.facts.includes(mark.fact) ? signOf(mark) : []))];
    case "status": {
      const text = row.staleSince === undefined ? value : `${value} · ${t("as of {0}", row.staleSince)}`;
      return [icon(statusIcons[row.status]), text];
    }
    case "profile":
      return row.isProduction === true ? [value, ...signOf(production)] : [value];
    case "history":
      return row.plot === undefined ? [value] : [plot(row.plot.values, value)];
    default:
      return [value];
  }
}

interface Mark {
  readonly fact: string;
  readonly icon: IconName;
  readonly text: () => string;
}

/** How the user has marked a server. */
const marks: readonly Mark[] = [
  { fact: "pinned", icon: "pinned", text: () => t("pinned") },
  { fact: "watched", icon: "eye", text: () => t("watched") },
  { fact: "muted", icon: "bell-slash", text: () => t("muted") },
];
const production: Mark = { fact: "", icon: "shield", text: () => t("Production") };

/** An icon with a text alternative. */
function signOf({ icon: name, text }: Mark): readonly (Node | string)[] {
  const spoken = create("span", { class: "visually-hidden" }, text());
  return [" ", create("span", { class: "sign", title: text() }, icon(name), spoken)];
}

const [plotWidth, plotHeight] = [96, 18];

/** A line for each stretch without a gap. The text is what screen readers announce instead. */
function plot(points: readonly (number | null)[], text: string): SVGElement {
  const step = plotWidth / Math.max(1, points.length - 1);
  const drawing = createSvg("svg", {
    ...{ class: "plot", role: "img", "aria-label": text },
    ...{ width: plotWidth, height: plotHeight, viewBox: `0 -1 ${plotWidth} ${plotHeight + 2}` },
  });
  let path = "";
  for (const [index, value] of points.entries()) {
    if (value === null) continue;
    const begins = typeof points[index - 1] !== "number";
    const y = (plotHeight * (1 - value / 100)).toFixed(1);
    // A value between two gaps is a dot, which a line of no length with round ends draws.
    path += `${begins ? "M" : "L"}${(index * step).toFixed(1)} ${y}${begins ? "h0" : ""}`;
  }
  drawing.append(createSvg("title", {}), createSvg("path", { d: path }));
  drawing.querySelector("title")?.append(text);
  return drawing;
}

function valuesTable(name: string, { stepMs, values }: NonNullable<TableRow["plot"]>): HTMLElement {
  const rows = values.map((value, index) =>
    create(
      "tr",
      {},
      create("th", { scope: "row" }, t("{0} ago", formatRemaining((values.length - 1 - index) * stepMs))),
      create("td", {}, value === null ? t("Not measured") : `${Math.round(value)}%`),
    ),
  );
  return create("table", { "aria-label": t("Use over time: {0}", name) }, create("tbody", {}, ...rows));
}
