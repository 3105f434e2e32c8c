import { t } from "@vscode/l10n";
import { create, iconButton } from "../kit/dom.ts";

/** What stands in the bar, each from its beginning to its end. */
export interface BarParts {
  readonly model: HTMLElement;
  /** What a message can take along, and what else can be done with it. */
  readonly extras: readonly HTMLElement[];
  /** What sends and stops: always in sight. */
  readonly actions: readonly HTMLElement[];
}

/** The bar below the text. Where it is narrow only the model and what sends are in sight; "+" shows the rest. */
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
      // As a menu closes with its choice; what opens something inside the page stays beside it.
      if (target instanceof Element && target.closest(".extra:not([aria-expanded])") !== null) this.close();
    });
    this.#setExpanded(false);
  }

  /** Puts a control beside the model. */
  addControl(control: HTMLElement): void {
    control.classList.add("extra");
    this.#model.after(control);
  }

  /** Hides again what "+" has shown; false if nothing is to be hidden. */
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
