import { t } from "@vscode/l10n";
import type { ModelPicker } from "../../core/panel/protocol.ts";
import { create, icon, iconButton } from "../kit/dom.ts";
import type { Host } from "../kit/host.ts";

/** Shows the model and opens VS Code's own list of models. */
export class ModelButton {
  readonly element = create("button", { type: "button", class: "model-button" });
  readonly #words = create("span", { class: "model-name", dir: "auto" });
  readonly #problem = icon("warning");

  constructor(host: Host) {
    this.element.append(this.#problem, this.#words, icon("chevron-down"));
    this.element.addEventListener("click", () => host.post({ type: "action", id: "selectModel" }));
  }

  show(picker: ModelPicker): void {
    const words = describeModel(picker);
    this.#words.textContent = words;
    this.#problem.hidden = picker.state !== "failed";
    this.element.setAttribute("aria-label", t("Model: {0}", words));
    this.element.title = picker.error?.message ?? t("Select the model");
  }
}

function describeModel(picker: ModelPicker): string {
  if (picker.selected !== undefined) {
    return picker.models.find((model) => model.id === picker.selected)?.name ?? picker.selected;
  }
  if (picker.state === "notSetUp") return t("No model");
  if (picker.state === "loading") return t("Loading models…");
  return picker.state === "failed" && picker.models.length === 0
    ? t("Models unavailable")
    : t("Select a model");
}

/** The contents of the bar, each list from start to end. */
interface BarParts {
  readonly model: HTMLElement;
  /** Controls for attachments and other actions. */
  readonly extras: readonly HTMLElement[];
  /** The send and stop buttons, which are always visible. */
  readonly actions: readonly HTMLElement[];
}

/**
 * The bar below the text. Choices that the user hasn't made (`.unset`) are only visible once "+" was pressed. If the bar
 * is narrow, the same applies to everything besides the model and the send button.
 */
export class ComposerBar {
  readonly element: HTMLElement;
  readonly #more = iconButton("add", t("More actions"), () => this.#setExpanded(!this.#isExpanded));
  #isExpanded = false;

  constructor({ model, extras, actions }: BarParts) {
    for (const extra of extras) extra.classList.add("extra");
    this.element = create(
      "div",
      { class: "composer-bar" },
      create("div", { class: "bar-controls" }, model, this.#more),
      create("div", { class: "bar-actions" }, ...extras, ...actions),
    );
    this.element.addEventListener("click", ({ target }) => {
      // Closes like a menu when something is chosen. A button that opens something in the page keeps it open.
      if (target instanceof Element && target.closest(".extra:not([aria-expanded])") !== null) this.close();
    });
    this.#setExpanded(false);
  }

  /** Adds a control next to the model and "+". */
  addControl(control: HTMLElement): void {
    control.classList.add("extra");
    this.#more.after(control);
  }

  /** Hides what "+" has shown; false if there is nothing to hide. */
  close(): boolean {
    if (!this.#isExpanded) return false;
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
