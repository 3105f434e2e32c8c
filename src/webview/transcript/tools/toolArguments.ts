import { t } from "@vscode/l10n";
import { argumentsText } from "../../../core/responses/tools/argumentsText.ts";
import { escapeInvisible } from "../../../core/kernel/foreignText.ts";
import { create, textButton } from "../../kit/dom.ts";

/** UTF-16 code units of the arguments shown in the card. All of them open as a document. */
const shownLength = 10_000;

/** The arguments of a tool call, as far as they can be shown at once. */
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
