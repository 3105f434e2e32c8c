import { t } from "@vscode/l10n";
import type { FilterCompletion } from "../../core/servers/filter/filterCompletions.ts";
import { countText } from "../../core/servers/tree/rowLabels.ts";
import { create, icon, iconButton } from "../kit/dom.ts";

/** The filter with its completions, as a combobox: the focus stays in the text. */
export class FilterBox {
  readonly element: HTMLElement;
  readonly #onFilter: (text: string) => void;
  readonly #onDone: () => void;
  readonly #clear = iconButton("close", t("Clear Filter"), () => this.#take(""));
  readonly #list = create("ul", {
    class: "completions",
    role: "listbox",
    id: "completions",
    "aria-label": t("Completions"),
  });
  readonly #input = create("input", {
    type: "text",
    role: "combobox",
    spellcheck: "false",
    autocomplete: "off",
    dir: "auto",
    maxlength: "1000",
    "aria-label": t("Filter Servers"),
    "aria-autocomplete": "list",
    "aria-controls": "completions",
    "aria-expanded": "false",
    placeholder: t("Filter, for example {0}", "status:running gpu:h100 -region:us"),
  });
  #completions: readonly FilterCompletion[] = [];
  #active = -1;
  /** Whether completions are needed because the user is typing. */
  #isWriting = false;

  /** `onDone` is called when the user wants to move on to the rows. */
  constructor(onFilter: (text: string) => void, onDone: () => void) {
    this.#onFilter = onFilter;
    this.#onDone = onDone;
    this.element = create("div", { class: "filter" }, icon("filter"), this.#input, this.#clear, this.#list);
    this.#input.addEventListener("input", () => this.#changed());
    this.#input.addEventListener("keydown", (event) => this.#onKey(event));
    this.#input.addEventListener("blur", () => this.#close());
    this.#list.addEventListener("mousedown", (event) => event.preventDefault());
    this.#list.addEventListener("click", ({ target }) => this.#onClick(target));
    this.#show("");
    this.#close();
  }

  /** The filter used by the host. Doesn't replace what the user is typing. */
  set text(text: string) {
    if (!this.#isWriting) this.#show(text);
  }

  focus(): void {
    this.#input.focus();
    this.#input.select();
  }

  /** Completions for a text that has changed since are ignored. */
  complete(text: string, completions: readonly FilterCompletion[]): void {
    if (!this.#isWriting || text !== this.#input.value) return;
    if (completions.length === 0) return this.#closeList();
    this.#completions = completions;
    this.#active = -1;
    this.#list.replaceChildren(...completions.map(createOption));
    this.#list.hidden = false;
    this.#input.setAttribute("aria-expanded", "true");
    this.#input.removeAttribute("aria-activedescendant");
  }

  #show(text: string): void {
    this.#input.value = text;
    this.#clear.hidden = text === "";
  }

  #take(text: string): void {
    this.#show(text);
    this.#closeList();
    this.#input.focus();
    this.#changed();
  }

  #changed(): void {
    this.#isWriting = true;
    this.#clear.hidden = this.#input.value === "";
    this.#onFilter(this.#input.value);
  }

  #onKey(event: KeyboardEvent): void {
    const isOpen = !this.#list.hidden;
    switch (event.key) {
      case "ArrowDown":
      case "ArrowUp":
        if (isOpen) this.#move(event.key === "ArrowDown" ? 1 : -1);
        else this.#changed();
        break;
      case "Escape":
        if (isOpen) this.#close();
        else if (this.#input.value !== "") this.#take("");
        else return;
        break;
      case "Enter": {
        const chosen = isOpen ? this.#completions[this.#active] : undefined;
        if (chosen !== undefined) this.#take(chosen.filter);
        else this.#onDone();
        break;
      }
      default:
        return;
    }
    event.preventDefault();
  }

  #move(step: number): void {
    const options = [...this.#list.children];
    const from = this.#active === -1 && step < 0 ? 0 : this.#active;
    options[this.#active]?.setAttribute("aria-selected", "false");
    this.#active = (from + step + options.length) % options.length;
    const option = options[this.#active];
    option?.setAttribute("aria-selected", "true");
    option?.scrollIntoView({ block: "nearest" });
    this.#input.setAttribute("aria-activedescendant", option?.id ?? "");
  }

  #onClick(target: EventTarget | null): void {
    const option = target instanceof Element ? target.closest("[role=option]") : null;
    const chosen = option === null ? undefined : this.#completions[[...this.#list.children].indexOf(option)];
    if (chosen !== undefined) this.#take(chosen.filter);
  }

  #close(): void {
    this.#isWriting = false;
    this.#closeList();
  }

  #closeList(): void {
    this.#list.hidden = true;
    this.#list.replaceChildren();
    this.#input.setAttribute("aria-expanded", "false");
    this.#input.removeAttribute("aria-activedescendant");
    this.#active = -1;
  }
}

function createOption({ label, count }: FilterCompletion, index: number): HTMLElement {
  const attributes = { role: "option", id: `completion-${index}`, "aria-selected": "false" };
  const words = create("span", { dir: "auto" }, label);
  if (count === undefined) return create("li", attributes, words);
  return create("li", attributes, words, " ", create("span", { class: "count" }, countText(count)));
}
