import type { ContextToWebview, Suggestion, Trigger } from "../../../core/compose/context/contextProtocol.ts";
import { findTrigger } from "../../../core/compose/context/contextProtocol.ts";
import type { Host } from "../../kit/host.ts";
import { replaceText } from "./replaceText.ts";
import { iconNames } from "../../../core/kernel/iconNames.ts";
import { formatNumber } from "../../../core/kernel/formatTime.ts";
import { t } from "@vscode/l10n";
import { create, icon } from "../../kit/dom.ts";

/** Number of rows that Page Up and Page Down move by. */
const page = 8;

/**
 * The list above the composer. The focus stays in the text, and the row that Enter would choose is given by its ID
 * (`aria-activedescendant`).
 */
class SuggestionList {
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

type Answer = Extract<ContextToWebview, { readonly type: "suggestions" }>;

/** Milliseconds without a keystroke before the next request to the host. The first request is sent immediately. */
const quietTime = 80;

/**
 * Offers completions for `#` and `/` while they are typed. The host provides the choices; the page requests and shows
 * them and reports what was chosen. Roles: the text stays a textbox (a textarea can't be a combobox) that controls a
 * list.
 */
export class Suggestions {
  readonly #host: Host;
  readonly #text: HTMLTextAreaElement;
  readonly #list: SuggestionList;
  #trigger: Trigger | undefined;
  /** Number of the latest request. The list is up to date when the response with this number has arrived. */
  #asked = 0;
  #answered = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  /** The user chose an item while the response was pending. */
  #choosesFirst = false;
  /** Position of the word for which the user dismissed the list with Escape. */
  #refusedAt: number | undefined;

  constructor(host: Host, text: HTMLTextAreaElement) {
    this.#host = host;
    this.#text = text;
    this.#list = new SuggestionList(
      (rowId) => this.#showActive(rowId),
      (item) => this.#choose(item),
    );
    text.setAttribute("aria-autocomplete", "list");
    text.setAttribute("aria-haspopup", "listbox");
    text.addEventListener("input", (event) => {
      // While an input method is composing, the word isn't complete.
      if (!(event instanceof InputEvent && event.isComposing)) this.#look(true);
    });
    text.addEventListener("compositionend", () => this.#look());
    text.addEventListener("click", () => this.#look());
    text.addEventListener("keyup", (event) => {
      if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) this.#look();
    });
    text.addEventListener("blur", () => this.close());
  }

  get element(): HTMLElement {
    return this.#list.element;
  }

  /** Inserts a `#` at the caret as if it had been typed. */
  open(): void {
    this.#text.focus();
    const { selectionStart, selectionEnd, value } = this.#text;
    const before = value[selectionStart - 1] ?? " ";
    // A double click asks for one.
    if (before === "#") return this.#look();
    const isInWord = !/\s/.test(before);
    replaceText(this.#text, selectionStart, selectionEnd, isInWord ? " #" : "#");
  }

  receive({ queryId, items }: Answer): void {
    if (queryId !== this.#asked || this.#trigger === undefined) return;
    this.#answered = queryId;
    this.#list.show(items);
    if (this.#choosesFirst) this.#chooseActive();
    this.#choosesFirst = false;
  }

  /** True if the list has handled the key. */
  takeKey(event: KeyboardEvent): boolean {
    if (this.#trigger === undefined || event.isComposing || event.keyCode === 229) return false;
    const isTaken = this.#takeKey(event);
    if (isTaken) event.preventDefault();
    return isTaken;
  }

  close(): void {
    if (this.#trigger === undefined) return;
    this.#trigger = undefined;
    this.#choosesFirst = false;
    clearTimeout(this.#timer);
    this.#asked++;
    this.#list.hide();
    this.#host.post({ type: "suggestEnd" });
  }

  #takeKey({ key, shiftKey, altKey, ctrlKey, metaKey }: KeyboardEvent): boolean {
    if (altKey || ctrlKey || metaKey || shiftKey) return false;
    const isWaiting = this.#answered !== this.#asked;
    if (key === "Escape" && (this.#list.isOpen || isWaiting)) {
      this.#refusedAt = this.#trigger?.start;
      this.close();
      return true;
    }
    if (key === "Enter" || key === "Tab") return this.#takeChoice(isWaiting);
    if (key === " " && !isWaiting && this.#isWholeCommand) return this.#chooseActive();
    return this.#list.isOpen && this.#list.move(key);
  }

  /** The list may show the results of an earlier request, so the choice waits for the latest one. */
  #takeChoice(isWaiting: boolean): boolean {
    if (!isWaiting) return this.#chooseActive();
    this.#choosesFirst = true;
    return true;
  }

  get #isWholeCommand(): boolean {
    const { label } = this.#list.active ?? {};
    return this.#trigger?.trigger === "/" && label === `/${this.#trigger.query}`;
  }

  #look(isTyped = false): void {
    const { value, selectionStart, selectionEnd } = this.#text;
    const found = selectionStart === selectionEnd ? findTrigger(value, selectionStart) : undefined;
    // A word of which only the first character was typed is a new one, maybe in place of the dismissed one.
    if (found?.start !== this.#refusedAt || (isTyped && found?.query === "")) this.#refusedAt = undefined;
    if (found === undefined || found.start === this.#refusedAt) return this.close();
    const before = this.#trigger;
    this.#trigger = found;
    if (before?.query === found.query && before.start === found.start) return;
    this.#asked++;
    clearTimeout(this.#timer);
    if (before === undefined) this.#ask();
    else this.#timer = setTimeout(() => this.#ask(), quietTime);
  }

  #ask(): void {
    if (this.#trigger === undefined) return;
    const { trigger, query } = this.#trigger;
    this.#host.post({ type: "suggest", queryId: this.#asked, trigger, text: query });
  }

  #chooseActive(): boolean {
    const item = this.#list.active;
    if (item === undefined) return false;
    if (item.isUnavailable !== true) this.#choose(item);
    return true;
  }

  #choose(item: Suggestion): void {
    const found = this.#trigger;
    if (found === undefined) return;
    if (item.narrowsTo !== undefined) {
      replaceText(this.#text, found.start, found.end, `${found.trigger}${item.narrowsTo}`);
      return;
    }
    this.#host.post({ type: "pickSuggestion", id: item.id });
    this.close();
    replaceText(this.#text, found.start, found.end, "");
  }

  #showActive(rowId: string | undefined): void {
    if (rowId === undefined) {
      this.#text.removeAttribute("aria-activedescendant");
      this.#text.removeAttribute("aria-controls");
    } else {
      this.#text.setAttribute("aria-controls", "suggestions");
      this.#text.setAttribute("aria-activedescendant", rowId);
    }
  }
}
