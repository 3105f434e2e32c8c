import { t } from "@vscode/l10n";
import { remedyLabel } from "../../core/account/remedies.ts";
import { formatAge, secondOfDay } from "../../core/kernel/formatTime.ts";
import type {
  TableSurroundings,
  ToTable,
  TableNotice,
  TableRemedy,
} from "../../core/servers/table/tableProtocol.ts";
import { shownText } from "../../core/servers/tree/rowLabels.ts";
import { create, icon, iconButton, textButton } from "../kit/dom.ts";
import { isFindKey } from "../kit/keyboard/fieldKeys.ts";
import { FilterBox } from "./filterBox.ts";
import { Grid } from "./grid.ts";
import type { TableHost } from "./tableHost.ts";

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

/** How often ages are updated, in milliseconds. */
const tickMs = 10_000;

/** The page: a filter with the actions for the whole table, the current problems, and the grid. */
export class TablePage {
  readonly #root: HTMLElement;
  readonly #host: TableHost;
  readonly #grid: Grid;
  readonly #filter: FilterBox;
  readonly #notices: NoticeList;
  readonly #count = create("span", { class: "shown", role: "status" });
  readonly #refresh = iconButton("refresh", t("Refresh"), () => this.#host.post({ type: "refresh" }));
  #surroundings: TableSurroundings = {
    notices: [],
    profiles: [],
    isRefreshing: false,
    known: 0,
    all: { count: 0, hasMore: false },
  };

  constructor(root: HTMLElement, host: TableHost) {
    this.#root = root;
    this.#host = host;
    this.#grid = new Grid({
      open: (handle) => host.post({ type: "open", handle }),
      select: (handle) => host.post({ type: "select", handle }),
      scrolled: (handle) => host.post({ type: "scrolled", handle }),
      askMenu: (handle) => host.post({ type: "menu", handle }),
      sort: (sort) => host.post({ type: "sort", sort }),
    });
    this.#filter = new FilterBox(
      (text) => host.post({ type: "filter", text }),
      () => this.#grid.element.focus(),
    );
    this.#notices = new NoticeList((action, profileName) => host.post({ type: "act", action, profileName }));
    const heading = create("h1", { class: "visually-hidden" }, t("GPU servers"));
    root.append(heading, this.#createBar(), this.#notices.element, this.#grid.element);
    window.addEventListener("keydown", (event) => this.#onKey(event));
    setInterval(() => this.#tick(), tickMs);
    this.#showSurroundings(this.#surroundings);
  }

  receive(message: ToTable): void {
    switch (message.type) {
      case "keep":
        return this.#host.saveState(message.view);
      case "view":
        this.#filter.text = message.filter;
        return this.#grid.showView(message.columns, message.sort);
      case "rows":
        this.#grid.change(message);
        return this.#showCount();
      case "surroundings":
        return this.#showSurroundings(message);
      case "completions":
        return this.#filter.complete(message.text, message.completions);
      case "select":
        return this.#grid.select(message.handle);
      case "scroll":
        return this.#grid.scrollTo(message.handle);
      case "menu":
        return this.#grid.openMenu(message.context);
    }
  }

  /** Called when the window has the focus, which moves to the rows, or to what has to be done before there are any. */
  focus(): void {
    if (document.activeElement !== document.body) return;
    if (this.#surroundings.known > 0 || !this.#notices.focus()) this.#grid.element.focus();
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
        iconButton("list-selection", t("Choose Columns…"), () => post({ type: "chooseColumns" })),
        iconButton("copy", t("Copy as CSV"), () => post({ type: "copyTable" })),
        this.#refresh,
      ),
    );
  }

  #showSurroundings(surroundings: TableSurroundings): void {
    this.#surroundings = surroundings;
    const { notices, isRefreshing, known } = surroundings;
    this.#root.classList.toggle("empty", known === 0);
    this.#refresh.classList.toggle("is-refreshing", isRefreshing);
    this.#grid.element.setAttribute("aria-busy", String(isRefreshing && known === 0));
    this.#notices.show(notices, Date.now());
    this.#tick();
    this.#showCount();
  }

  #showCount(): void {
    const { known, all } = this.#surroundings;
    const shown = known === 0 ? "" : shownText(this.#grid.count, all);
    if (this.#count.textContent !== shown) this.#count.textContent = shown;
  }

  #tick(): void {
    this.#grid.showTimes(Date.now(), this.#surroundings.profiles);
    this.#notices.showAges(Date.now());
  }

  /** The find shortcut leads to the filter: the browser's own search would find only visible rows. */
  #onKey(event: KeyboardEvent): void {
    if (!isFindKey(event)) return;
    this.#filter.focus();
    event.preventDefault();
  }
}
