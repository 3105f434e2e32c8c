import { t } from "@vscode/l10n";
import { remedyLabel } from "../../core/account/remedies.ts";
import { formatAge, secondOfDay } from "../../core/kernel/formatTime.ts";
import type {
  FromTable,
  TableNotice,
  TableRemedy,
  TableSurroundings,
  ToTable,
} from "../../core/servers/table/tableProtocol.ts";
import { shownText } from "../../core/servers/tree/rowLabels.ts";
import { create, icon, iconButton, textButton } from "../kit/dom.ts";
import type { PageHost } from "../kit/host.ts";
import { isFindKey } from "../kit/keyboard/fieldKeys.ts";
import { ServerTable } from "./rowsTable.ts";

/** The extension host as seen by the table. It keeps how the page was filtered and sorted. */
export type TableHost = PageHost<FromTable, Pick<Extract<FromTable, { type: "ready" }>, "filter" | "sort">>;

/** The current problems, each with its fix. Only new ones are announced. Ages are updated silently. */
class NoticeList {
  readonly element = create("div", { class: "notices" });
  readonly #spoken = create("div", { class: "visually-hidden", role: "status" });
  readonly #list = create("div", {});
  readonly #onAct: (action: TableRemedy, profileName: string) => void;
  #notices: readonly TableNotice[] = [];
  #said = "";
  /** The ages, which change even if nothing else does. */
  #ages: readonly HTMLElement[] = [];

  constructor(onAct: (action: TableRemedy, profileName: string) => void) {
    this.#onAct = onAct;
    this.element.append(this.#spoken, this.#list);
  }

  show(notices: readonly TableNotice[], now: number): void {
    const said = notices.map(({ title, message }) => `${title}. ${message}`).join("\n");
    const key = JSON.stringify(notices.map((notice) => ({ ...notice, nextTryAt: 0, listedAt: 0 })));
    this.#notices = notices;
    if (key !== this.#said) {
      this.#said = key;
      this.#ages = notices.map(() => create("span", { class: "age" }));
      this.#list.replaceChildren(...notices.map((notice, index) => this.#create(notice, this.#ages[index])));
    }
    if (this.#spoken.textContent !== said) this.#spoken.textContent = said;
    this.showAges(now);
  }

  /** `now` is in milliseconds since 1970. */
  showAges(now: number): void {
    for (const [index, notice] of this.#notices.entries()) {
      const age = this.#ages[index];
      const text = ageText(notice, now);
      if (age !== undefined && age.textContent !== text) age.textContent = text;
    }
  }

  /** Focuses the first available action; false if there is none. */
  focus(): boolean {
    const button = this.#list.querySelector("button");
    button?.focus();
    return button !== null;
  }

  #create(notice: TableNotice, age: HTMLElement | undefined): HTMLElement {
    const { isFailure, title, message, actions, profileName } = notice;
    const buttons = actions.map((action, index) =>
      textButton(
        remedyLabel(action, notice),
        () => this.#onAct(action, profileName),
        index === 0 ? "primary" : "secondary",
      ),
    );
    return create(
      "div",
      { class: isFailure ? "notice failure" : "notice" },
      icon(isFailure ? "warning" : "info"),
      create(
        "div",
        { class: "words" },
        create("strong", { dir: "auto" }, title),
        ...(age === undefined ? [] : [" ", age]),
        ...(message === "" ? [] : [create("span", { class: "message", dir: "auto" }, message)]),
      ),
      create("div", { class: "buttons" }, ...buttons),
    );
  }
}

function ageText({ listedAt, nextTryAt }: TableNotice, now: number): string {
  const parts = [
    listedAt === undefined ? "" : t("{0} old", formatAge(now - listedAt)),
    nextTryAt === undefined ? "" : t("retrying at {0}", secondOfDay(nextTryAt)),
  ];
  return parts.filter((part) => part !== "").join(" · ");
}

/** The filter, with a button that empties it. */
class FilterBox {
  readonly element: HTMLElement;
  readonly #onFilter: (text: string) => void;
  readonly #clear = iconButton("close", t("Clear Filter"), () => {
    this.#take("");
    this.#input.focus();
  });
  readonly #input = create("input", {
    ...{ type: "text", spellcheck: "false", autocomplete: "off", dir: "auto", maxlength: "1000" },
    "aria-label": t("Filter Servers"),
    placeholder: t("Filter, for example {0}", "status:running gpu:h100 -region:us"),
  });

  /** `onDone` is called when the user wants to move on to the rows. */
  constructor(onFilter: (text: string) => void, onDone: () => void) {
    this.#onFilter = onFilter;
    this.element = create("div", { class: "filter" }, icon("filter"), this.#input, this.#clear);
    this.#input.addEventListener("input", () => this.#take(this.#input.value));
    this.#input.addEventListener("keydown", (event) => {
      if (event.key === "Enter") onDone();
      else if (event.key === "Escape" && this.#input.value !== "") this.#take("");
      else return;
      event.preventDefault();
    });
    this.text = "";
  }

  /** The filter used by the host. Doesn't replace what the user is typing. */
  set text(text: string) {
    if (document.activeElement !== this.#input) this.#input.value = text;
    this.#clear.hidden = this.#input.value === "";
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  #take(text: string): void {
    this.#input.value = text;
    this.#clear.hidden = text === "";
    this.#onFilter(text);
  }
}

/** How often ages are updated, in milliseconds. */
const tickMs = 10_000;

/** The page: a filter with the actions for the whole table, the current problems, and the servers. */
export class TablePage {
  readonly #root: HTMLElement;
  readonly #host: TableHost;
  readonly #table: ServerTable;
  readonly #filter: FilterBox;
  readonly #notices: NoticeList;
  readonly #count = create("span", { class: "shown", role: "status" });
  readonly #refresh = iconButton("refresh", t("Refresh"), () => this.#host.post({ type: "refresh" }));
  #known = 0;

  constructor(root: HTMLElement, host: TableHost) {
    this.#root = root;
    this.#host = host;
    this.#table = new ServerTable(host);
    this.#filter = new FilterBox(
      (text) => host.post({ type: "filter", text }),
      () => this.#table.focus(),
    );
    this.#notices = new NoticeList((action, profileName) => host.post({ type: "act", action, profileName }));
    const heading = create("h1", { class: "visually-hidden" }, t("GPU servers"));
    root.append(heading, this.#createBar(), this.#notices.element, this.#table.element);
    window.addEventListener("keydown", (event) => this.#onKey(event));
    setInterval(() => this.#tick(), tickMs);
  }

  receive(message: ToTable): void {
    switch (message.type) {
      case "view": {
        const { filter, sort } = message;
        this.#host.saveState({ filter, sort });
        this.#filter.text = filter;
        return this.#table.showView(message);
      }
      case "rows":
        return this.#table.change(message);
      case "surroundings":
        return this.#showSurroundings(message);
    }
  }

  /** Called when the window has the focus, which moves to the rows, or to what has to be done before there are any. */
  focus(): void {
    if (document.activeElement !== document.body) return;
    if (this.#known > 0 || !this.#notices.focus()) this.#table.focus();
  }

  #createBar(): HTMLElement {
    const { post } = this.#host;
    return create(
      "div",
      { class: "bar" },
      this.#filter.element,
      create(
        "div",
        { class: "tools" },
        this.#count,
        iconButton("copy", t("Copy as CSV"), () => post({ type: "copyTable" })),
        this.#refresh,
      ),
    );
  }

  #showSurroundings({ notices, isRefreshing, known, shown, all }: TableSurroundings): void {
    this.#known = known;
    this.#root.classList.toggle("empty", known === 0);
    this.#refresh.classList.toggle("is-refreshing", isRefreshing);
    this.#table.element.setAttribute("aria-busy", String(isRefreshing && known === 0));
    this.#notices.show(notices, Date.now());
    const count = known === 0 ? "" : shownText(shown, all);
    if (this.#count.textContent !== count) this.#count.textContent = count;
  }

  #tick(): void {
    this.#table.showAges(Date.now());
    this.#notices.showAges(Date.now());
  }

  /** The find shortcut leads to the filter, because webviews have no search of their own. */
  #onKey(event: KeyboardEvent): void {
    if (!isFindKey(event)) return;
    this.#filter.focus();
    event.preventDefault();
  }
}
