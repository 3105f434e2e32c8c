import { t } from "@vscode/l10n";
import type { ConversationSettings } from "../../core/conversation/conversation.ts";
import { listResponseFacts, summarizeResponse } from "../../core/responses/usage/responseFacts.ts";
import type { ResponseFacts } from "../../core/responses/usage/responseFacts.ts";
import type { PriceTable } from "../../core/conversation/prices.ts";
import { create, textButton } from "../kit/dom.ts";
import type { Host } from "../kit/host.ts";

/** What the lines of a page share. */
interface UsageContext {
  prices(): PriceTable;
  /** Shows what all stored responses took. */
  onTotals(): void;
}

/** The line under a response with what it took; a click shows all that is known. */
export class UsageLine {
  readonly button = create("button", { type: "button", class: "usage", "aria-expanded": "false" });
  /** All facts, below the line. */
  readonly details = create("div", { class: "usage-details" });
  readonly #context: UsageContext;
  readonly #settings: ConversationSettings | undefined;
  #facts: ResponseFacts = {};

  /** @param settings What the response was asked with. */
  constructor(context: UsageContext, settings: ConversationSettings | undefined) {
    this.#context = context;
    this.#settings = settings;
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

  show(facts: ResponseFacts): void {
    this.#facts = facts;
    const words = summarizeResponse(facts, this.#context.prices(), undefined).join(" · ");
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
    const rows = this.#list().flatMap(({ label, value }) => [
      create("dt", {}, label),
      create("dd", { dir: "auto" }, value),
    ]);
    this.details.replaceChildren(
      create("dl", { class: "facts" }, ...rows),
      textButton(t("Show Usage of All Responses"), () => this.#context.onTotals()),
    );
  }

  #list(): ReturnType<typeof listResponseFacts> {
    const settings = this.#settings === undefined ? {} : { settings: this.#settings };
    return listResponseFacts({ ...this.#facts, ...settings }, this.#context.prices(), undefined);
  }
}

/** Every usage line of the page, so that all of them show the cost by the same prices. */
export class UsageLines {
  readonly #host: Host;
  readonly #lines = new WeakMap<Element, UsageLine>();
  #prices: PriceTable = {};

  constructor(host: Host) {
    this.#host = host;
  }

  /** @param settings What the response was asked with. */
  create(settings: ConversationSettings | undefined): UsageLine {
    const onTotals = (): void => this.#host.post({ type: "action", id: "showUsage" });
    const line = new UsageLine({ prices: () => this.#prices, onTotals }, settings);
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
