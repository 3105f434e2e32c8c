import { t } from "@vscode/l10n";
import { create, iconButton } from "../kit/dom.ts";

/** The contents of the bar, each list from start to end. */
export interface BarParts {
  readonly model: HTMLElement;
  /** Controls for attachments and other actions. */
  readonly extras: readonly HTMLElement[];
  /** The send and stop buttons, which are always visible. */
  readonly actions: readonly HTMLElement[];
}

/** The bar below the text. If it is narrow, only the model and the send button are visible, and "+" shows the rest. */
export class ComposerBar {
  readonly element: HTMLElement;
  readonly #model: HTMLElement;
  readonly #more = iconButton("add", t("More actions"), () => this.#setExpanded(!this.#isExpanded));
  #isExpanded = false;

  constructor({ model, extras, actions }: BarParts) {
    this.#model = model;
    this.#more.classList.add("more-button");
    for (const extra of extras) extra.classList.add("extra");
    this.element = create(
      "div",
      { class: "composer-bar" },
      create("div", { class: "bar-controls" }, model),
      create("div", { class: "bar-actions" }, ...extras, this.#more, ...actions),
    );
    this.element.addEventListener("click", ({ target }) => {
      // Closes like a menu when something is chosen. A button that opens something in the page keeps it open.
      if (target instanceof Element && target.closest(".extra:not([aria-expanded])") !== null) this.close();
    });
    this.#setExpanded(false);
  }

  /** Adds a control next to the model. */
  addControl(control: HTMLElement): void {
    control.classList.add("extra");
    this.#model.after(control);
  }

  /** Hides what "+" has shown; false if there is nothing to hide. */
  close(): boolean {
    if (!this.#isExpanded || !this.#more.checkVisibility()) return false;
    const hadFocus = this.element.contains(document.activeElement);
    this.#setExpanded(false);
    if (hadFocus) this.#more.focus();
    return true;
  }

  #setExpanded(isExpanded: boolean): void {
    this.#isExpanded = isExpanded;
    this.element.classList.toggle("expanded", isExpanded);
    this.#more.setAttribute("aria-expanded", String(isExpanded));
  }
}
