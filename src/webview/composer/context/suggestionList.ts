import { iconNames } from "../../../core/kernel/iconNames.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import { t } from "@vscode/l10n";
import type { Suggestion } from "../../../core/compose/context/contextProtocol.ts";
import { create, icon } from "../../kit/dom.ts";

/** Number of rows that Page Up and Page Down move by. */
const page = 8;

/**
 * The list above the composer. The focus stays in the text, and the row that Enter would choose is given by its ID
 * (`aria-activedescendant`).
 */
export class SuggestionList {
  /** Spans the page like the composer below it, so that the two are aligned. */
  readonly element: HTMLElement;
  readonly #list = create("ul", {
    class: "suggestions",
    role: "listbox",
    id: "suggestions",
    "aria-label": t("Suggestions"),
  });
  readonly #count = create("p", { class: "visually-hidden", role: "status" });
  readonly #onActive: (id: string | undefined) => void;
  readonly #onChoose: (item: Suggestion) => void;
  #items: readonly Suggestion[] = [];
  #rows: readonly HTMLElement[] = [];
  #active = 0;

  constructor(onActive: (rowId: string | undefined) => void, onChoose: (item: Suggestion) => void) {
    this.#onActive = onActive;
    this.#onChoose = onChoose;
    this.element = create(
      "div",
      { class: "suggestions-frame" },
      create("div", { class: "suggestions-column" }, this.#list),
      this.#count,
    );
    // The focus must stay in the text.
    this.#list.addEventListener("mousedown", (event) => event.preventDefault());
    this.#list.addEventListener("click", (event) => this.#onClick(event));
    this.hide();
  }

  get isOpen(): boolean {
    return !this.#list.hidden;
  }

  /** The row that Enter would choose. */
  get active(): Suggestion | undefined {
    return this.isOpen ? this.#items[this.#active] : undefined;
  }

  show(items: readonly Suggestion[]): void {
    if (items.length === 0) return this.hide();
    this.#items = items;
    this.#rows = items.map(createRow);
    this.#list.replaceChildren(...this.#rows);
    this.#list.hidden = false;
    this.#list.scrollTop = 0;
    this.#count.textContent =
      items.length === 1 ? t("1 suggestion") : t("{0} suggestions", formatNumber(items.length));
    this.#activate(
      Math.max(
        0,
        items.findIndex(({ isUnavailable }) => isUnavailable !== true),
      ),
    );
  }

  hide(): void {
    this.#list.hidden = true;
    this.#items = [];
    this.#rows = [];
    this.#list.replaceChildren();
    this.#count.textContent = "";
    this.#onActive(undefined);
  }

  /** Moves the selection and wraps around at the ends. False for a key that the list doesn't handle. */
  move(key: string): boolean {
    const count = this.#items.length;
    const target = {
      ArrowDown: (this.#active + 1) % count,
      ArrowUp: (this.#active - 1 + count) % count,
      PageDown: Math.min(this.#active + page, count - 1),
      PageUp: Math.max(this.#active - page, 0),
    }[key];
    if (target === undefined || !this.isOpen) return false;
    this.#activate(target);
    return true;
  }

  #activate(index: number): void {
    this.#rows[this.#active]?.setAttribute("aria-selected", "false");
    this.#active = index;
    const row = this.#rows[index];
    row?.setAttribute("aria-selected", "true");
    row?.scrollIntoView({ block: "nearest" });
    this.#onActive(row?.id);
  }

  #onClick({ target }: MouseEvent): void {
    const row = target instanceof Element ? target.closest<HTMLElement>("[role=option]") : null;
    const item = row === null ? undefined : this.#items[this.#rows.indexOf(row)];
    if (item !== undefined && item.isUnavailable !== true) this.#onChoose(item);
  }
}

function createRow({ label, detail, icon: name, isUnavailable }: Suggestion, index: number): HTMLElement {
  return create(
    "li",
    {
      class: "suggestion",
      role: "option",
      id: `suggestion-${index}`,
      "aria-selected": "false",
      ...(isUnavailable === true ? { "aria-disabled": "true" } : {}),
    },
    icon(iconNames.find((known) => known === name) ?? "circle-small"),
    create("span", { class: "suggestion-label", dir: "auto" }, label),
    // The space separates the two for screen reader users.
    " ",
    create("span", { class: "suggestion-detail", dir: "auto", title: detail }, detail),
  );
}
