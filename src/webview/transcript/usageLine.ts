import { t } from "@vscode/l10n";
import type { ConversationSettings } from "../../core/conversation/conversation.ts";
import { listResponseFacts, summarizeResponse } from "../../core/responses/usage/responseFacts.ts";
import type { ResponseFacts } from "../../core/responses/usage/responseFacts.ts";
import type { PriceTable } from "../../core/conversation/prices.ts";
import { create, factList, textButton } from "../kit/dom.ts";
import type { Host } from "../kit/host.ts";

/** What a page's usage lines have in common. */
interface UsageContext {
  prices(): PriceTable;
  /** Shows the totals of all requests. */
  onTotals(): void;
}

/** The line below a response with its usage. A click shows all known details. */
export class UsageLine {
  readonly button = create("button", { type: "button", class: "usage", "aria-expanded": "false" });
  /** All facts, below the line. */
  readonly details = create("div", { class: "usage-details" });
  readonly #context: UsageContext;
  readonly #settings: ConversationSettings | undefined;
  #facts: ResponseFacts = {};

  /** @param settings The settings with which the response was requested. */
  constructor(context: UsageContext, settings: ConversationSettings | undefined) {
    this.#context = context;
    this.#settings = settings;
    this.details.hidden = true;
    this.button.hidden = true;
    this.button.addEventListener("click", () => this.#setOpen(this.details.hidden !== false));
    // Only on demand, because a long conversation has a thousand of them.
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

  /** Called when prices have changed. */
  refresh(): void {
    this.show(this.#facts);
  }

  #setOpen(isOpen: boolean): void {
    this.details.hidden = !isOpen;
    this.button.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) this.#fill();
    else this.details.replaceChildren();
  }

  #fill(): void {
    this.details.replaceChildren(
      factList(this.#list()),
      textButton(t("Show Costs"), () => this.#context.onTotals()),
    );
  }

  #list(): ReturnType<typeof listResponseFacts> {
    const settings = this.#settings === undefined ? {} : { settings: this.#settings };
    return listResponseFacts({ ...this.#facts, ...settings }, this.#context.prices(), undefined);
  }
}

/** All usage lines on the page, so that they all calculate costs with the same prices. */
export class UsageLines {
  readonly #host: Host;
  readonly #lines = new WeakMap<Element, UsageLine>();
  #prices: PriceTable = {};

  constructor(host: Host) {
    this.#host = host;
  }

  /** @param settings The settings with which the response was requested. */
  create(settings: ConversationSettings | undefined): UsageLine {
    const onTotals = (): void => this.#host.post({ type: "action", id: "showUsage" });
    const line = new UsageLine({ prices: () => this.#prices, onTotals }, settings);
    this.#lines.set(line.button, line);
    return line;
  }

  /** @param root The element that contains the visible lines. */
  setPrices(prices: PriceTable, root: Element): void {
    if (JSON.stringify(prices) === JSON.stringify(this.#prices)) return;
    this.#prices = prices;
    for (const button of root.querySelectorAll(".usage")) this.#lines.get(button)?.refresh();
  }
}
