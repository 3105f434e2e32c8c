import { t } from "@vscode/l10n";
import type {
  CostPlot,
  CostsChoice,
  CostsView,
  FromCosts,
  ToCosts,
} from "../../core/servers/cost/costsProtocol.ts";
import { create, createSvg, textButton } from "../kit/dom.ts";
import type { PageHost } from "../kit/host.ts";

/** The extension host as seen by the page. */
export type CostsHost = PageHost<FromCosts, { readonly choice: CostsChoice }>;

/** The page: what is shown, the plots, the table behind them, and what the sums don't include. */
export class CostsPage {
  readonly #host: CostsHost;
  readonly #periods = create("div", { class: "periods", role: "group", "aria-label": t("Period") });
  readonly #groups = create("select");
  readonly #content = create("div", { class: "content" });
  readonly #status = create("div", { class: "visually-hidden", role: "status" });
  #choice: CostsChoice | undefined;
  #shown = "";

  constructor(root: HTMLElement, host: CostsHost) {
    this.#host = host;
    const tools = create(
      "div",
      { class: "buttons" },
      textButton(t("Set Prices…"), () => host.post({ type: "setPrices" })),
      textButton(t("Export as CSV…"), () => host.post({ type: "export" })),
    );
    const heading = create("h1", { class: "visually-hidden" }, t("Costs"));
    const groups = create("label", {}, `${t("Group By")} `, this.#groups);
    const bar = create("div", { class: "bar" }, this.#periods, groups, tools);
    root.append(heading, bar, this.#status, this.#content);
  }

  receive(message: ToCosts): void {
    if (message.type === "failure") {
      this.#shown = "";
      return this.#content.replaceChildren(
        create("p", { role: "alert" }, t("The costs couldn't be read. {0}", message.message)),
      );
    }
    this.#showBar(message);
    // What is shown stays selected and in its place unless it has changed.
    const text = JSON.stringify(message);
    if (text === this.#shown) return;
    this.#shown = text;
    this.#content.replaceChildren(...contentOf(message));
    const said = message.plots.map((plot) => totalText(plot)).join(", ");
    if (this.#status.textContent !== said) this.#status.textContent = said;
  }

  #showBar({ choice, periods, groups }: CostsView): void {
    if (this.#choice === undefined) {
      for (const { id, label } of periods) {
        const button = textButton(label, () => this.#choose({ period: id }));
        button.dataset["period"] = id;
        this.#periods.append(button);
      }
      this.#groups.append(...groups.map(({ id, label }) => create("option", { value: id }, label)));
      this.#groups.addEventListener("change", () => {
        const chosen = groups.find(({ id }) => id === this.#groups.value);
        if (chosen !== undefined) this.#choose({ group: chosen.id });
      });
    }
    this.#choice = choice;
    this.#host.saveState({ choice });
    this.#groups.value = choice.group;
    for (const button of this.#periods.querySelectorAll("button"))
      button.setAttribute("aria-pressed", String(button.dataset["period"] === choice.period));
  }

  #choose(change: Partial<CostsChoice>): void {
    if (this.#choice !== undefined) this.#host.post({ type: "show", ...this.#choice, ...change });
  }
}

function contentOf({ table, plots, missing, notes }: CostsView): readonly HTMLElement[] {
  if (table === undefined) {
    const text = t(
      "Nothing has been recorded in this period: no server was listed, and no request was sent.",
    );
    return [create("p", { class: "empty" }, text)];
  }
  const head = table.columns.map((label, index) =>
    create("th", { scope: "col", class: index === 0 ? "" : "amount" }, label),
  );
  return [
    ...plots.map(plotElement),
    create(
      "div",
      { class: "scroller", tabindex: "0", role: "region", "aria-label": t("Costs") },
      create(
        "table",
        { "aria-label": t("Costs") },
        create("thead", {}, create("tr", {}, ...head)),
        create("tbody", {}, ...table.rows.map(rowElement)),
        create("tfoot", {}, rowElement(table.total)),
      ),
    ),
    ...(missing.length === 0
      ? []
      : [
          create("h2", {}, t("Not included")),
          create("ul", {}, ...missing.map((text) => create("li", { dir: "auto" }, text))),
        ]),
    ...notes.map((text) => create("p", { class: "note" }, text)),
  ];
}

function rowElement(cells: readonly string[]): HTMLElement {
  return create(
    "tr",
    {},
    ...cells.map((text, index) =>
      index === 0
        ? create("th", { scope: "row", dir: "auto", title: text }, text)
        : create("td", { class: "amount" }, text),
    ),
  );
}

function totalText({ total, estimate }: CostPlot): string {
  if (estimate === "") return total;
  return total === "" ? t("{0} estimated", estimate) : t("{0}, and {1} estimated", total, estimate);
}

const plotHeight = 120;
/** The part of the width that the last label needs. */
const labelShare = 0.13;
const mostLabels = 6;

/** Bars whose estimated parts are hatched, with a table of their values for screen readers. */
function plotElement(plot: CostPlot, index: number): HTMLElement {
  const { top, bars, legend } = plot;
  const [hatch, width] = [`hatch-${index}`, 100 / bars.length];
  const drawing = createSvg("svg", { class: "bars", height: plotHeight + 20, "aria-hidden": "true" });
  drawing.append(
    createSvg(
      "defs",
      {},
      createHatch(`${hatch}-estimatedServers`, "servers"),
      createHatch(`${hatch}-estimatedRequests`, "requests"),
    ),
    createSvg("line", { x1: 0, x2: "100%", y1: 0.5, y2: 0.5 }),
    createSvg("line", { x1: 0, x2: "100%", y1: plotHeight + 0.5, y2: plotHeight + 0.5 }),
  );
  for (const [place, { label, parts }] of bars.entries()) {
    const group = createSvg("g", {});
    let y = plotHeight;
    for (const { part, share } of parts) {
      // What has cost something is visible, however little it is.
      const height = Math.max(1, share * plotHeight);
      y -= height;
      const box = { x: `${(place + 0.1) * width}%`, width: `${0.8 * width}%`, y: Math.max(0, y), height };
      group.append(
        createSvg("rect", {
          ...box,
          class: part,
          ...(part.startsWith("estimated") ? { fill: `url(#${hatch}-${part})` } : {}),
        }),
      );
    }
    const title = createSvg("title", {});
    title.append([label, ...parts.map(({ part, text }) => `${nameOf(plot, part)}: ${text}`)].join("\n"));
    // The whole height shows what the bar consists of.
    const area = { x: `${place * width}%`, width: `${width}%`, y: 0, height: plotHeight, class: "area" };
    group.append(title, createSvg("rect", area));
    drawing.append(group, ...labelOf(label, place, bars.length));
  }
  const keys = legend.map(({ part, label }) => create("li", {}, createKey(part, hatch), label));
  return create(
    "figure",
    {},
    create(
      "figcaption",
      {},
      create("strong", {}, totalText(plot)),
      create("ul", { class: "legend" }, ...keys),
    ),
    create("div", { class: "top", "aria-hidden": "true" }, top),
    drawing,
    valuesTable(plot),
  );
}

function nameOf({ legend }: CostPlot, part: string): string {
  return legend.find((entry) => entry.part === part)?.label ?? "";
}

function labelOf(label: string, place: number, count: number): readonly SVGElement[] {
  if (place % Math.ceil(count / mostLabels) !== 0 || (count - place) / count < labelShare) return [];
  const text = createSvg("text", { x: `${(place + 0.1) * (100 / count)}%`, y: plotHeight + 16 });
  text.append(label);
  return [text];
}

function createHatch(id: string, part: string): SVGElement {
  const size = { width: 6, height: 6, patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" };
  return createSvg("pattern", { id, ...size }, createSvg("rect", { width: 3, height: 6, class: part }));
}

function createKey(part: string, hatch: string): SVGElement {
  const fill = part.startsWith("estimated") ? { fill: `url(#${hatch}-${part})` } : {};
  const box = createSvg("rect", { x: 0.5, y: 0.5, width: 11, height: 11, class: part, ...fill });
  return createSvg("svg", { width: 12, height: 12, "aria-hidden": "true" }, box);
}

function valuesTable({ bars, legend, total }: CostPlot): HTMLElement {
  const head = legend.map(({ label }) => create("th", { scope: "col" }, label));
  const rows = bars.map(({ label, parts }) => [
    label,
    ...legend.map(({ part }) => parts.find((each) => each.part === part)?.text ?? "0"),
  ]);
  const table = create(
    "table",
    { "aria-label": t("Costs over time: {0}", total) },
    create("thead", {}, create("tr", {}, create("td"), ...head)),
    create("tbody", {}, ...rows.map(rowElement)),
  );
  return create("div", { class: "visually-hidden" }, table);
}
