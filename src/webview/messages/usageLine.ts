import { t } from "@vscode/l10n";
import { listAnswerFacts, summarizeAnswer } from "../../core/usage/answerFacts.ts";
import type { AnswerFacts } from "../../core/usage/answerFacts.ts";
import type { PriceTable } from "../../core/usage/prices.ts";
import { create } from "../dom.ts";

/** The line under an answer with what it took; a click shows all that is known. */
export class UsageLine {
  readonly button = create("button", { type: "button", class: "usage", "aria-expanded": "false" });
  /** All facts, below the line. */
  readonly details = create("dl", { class: "facts usage-facts" });
  readonly #prices: () => PriceTable;
  #facts: AnswerFacts = {};

  constructor(prices: () => PriceTable) {
    this.#prices = prices;
    this.details.hidden = true;
    this.button.hidden = true;
    this.button.addEventListener("click", () => this.#toggle());
    // Only now: a long conversation has a thousand of them.
    this.button.addEventListener("pointerenter", () => {
      this.button.title = this.#list()
        .map(({ label, value }) => t("{0}: {1}", label, value))
        .join("\n");
    });
  }

  show(facts: AnswerFacts): void {
    this.#facts = facts;
    const words = summarizeAnswer(facts, this.#prices(), undefined).join(" · ");
    this.button.hidden = words === "";
    this.button.textContent = words;
    this.button.setAttribute("aria-label", t("Usage: {0}", words));
    if (this.button.hidden) this.#setOpen(false);
    else if (!this.details.hidden) this.#fill();
  }

  /** Prices have changed. */
  refresh(): void {
    this.show(this.#facts);
  }

  #toggle(): void {
    this.#setOpen(this.details.hidden !== false);
  }

  #setOpen(isOpen: boolean): void {
    this.details.hidden = !isOpen;
    this.button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) this.#fill();
    else this.details.replaceChildren();
  }

  #fill(): void {
    this.details.replaceChildren(
      ...this.#list().flatMap(({ label, value }) => [
        create("dt", {}, label),
        create("dd", { dir: "auto" }, value),
      ]),
    );
  }

  #list(): ReturnType<typeof listAnswerFacts> {
    return listAnswerFacts(this.#facts, this.#prices(), undefined);
  }
}

/** Every usage line of the page, so that all of them tell the cost by the same prices. */
export class UsageLines {
  readonly #lines = new WeakMap<Element, UsageLine>();
  #prices: PriceTable = {};

  create(): UsageLine {
    const line = new UsageLine(() => this.#prices);
    this.#lines.set(line.button, line);
    return line;
  }

  /** @param root What contains the lines that are shown. */
  setPrices(prices: PriceTable, root: Element): void {
    if (JSON.stringify(prices) === JSON.stringify(this.#prices)) return;
    this.#prices = prices;
    for (const button of root.querySelectorAll(".usage")) this.#lines.get(button)?.refresh();
  }
}
