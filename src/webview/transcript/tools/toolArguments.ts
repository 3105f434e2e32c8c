import { t } from "@vscode/l10n";
import { argumentsText } from "../../../core/responses/tools/argumentsText.ts";
import { escapeInvisible } from "../../../core/kernel/foreignText.ts";
import { create, textButton } from "../../kit/dom.ts";

/** UTF-16 units of the arguments that are shown in the card; the whole of them opens as a document. */
const shownLength = 10_000;

/** What the model wants to call a tool with, as far as it can be shown at once. */
export class ToolArguments {
  readonly element: HTMLElement;
  readonly #text = create("pre", { tabindex: "0", dir: "ltr", "aria-label": t("Arguments") });
  readonly #rest: HTMLElement;
  #shown: string | undefined;

  constructor(onOpen: () => void) {
    this.#rest = create(
      "div",
      { hidden: "" },
      create("p", { class: "tool-rest" }, t("Only the first {0} characters are shown.", shownLength)),
      textButton(t("Open Full Arguments"), onOpen),
    );
    this.element = create(
      "div",
      { class: "tool-part" },
      create("h3", {}, t("Arguments")),
      this.#text,
      this.#rest,
    );
  }

  show(written: string): void {
    if (written === this.#shown) return;
    this.#shown = written;
    const { text, isCut } = argumentsText(written, shownLength);
    this.#text.textContent = escapeInvisible(text);
    this.#rest.hidden = !isCut;
  }
}
