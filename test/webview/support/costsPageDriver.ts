import type { Page } from "playwright-core";
import { parseMessage } from "../../../src/core/kernel/pageMessages.ts";
import { fromCosts } from "../../../src/core/servers/cost/costsProtocol.ts";
import type { CostsChoice, FromCosts, ToCosts } from "../../../src/core/servers/cost/costsProtocol.ts";
import { costsView } from "../../../src/core/servers/cost/costsView.ts";
import { PageDriver } from "./pageDriver.ts";

type Facts = Parameters<typeof costsView>[0];

declare global {
  var postedByCosts: unknown[];
}

/** The page of costs in a real browser, with the test in place of the extension host. The sums are the real ones. */
export class CostsPageDriver extends PageDriver {
  #facts: Facts = { runs: [], requests: [], now: 0 };

  constructor() {
    super({ width: 900, height: 700 }, "en");
  }

  /** Opens the page with these costs. */
  async open(facts: Facts, choice: CostsChoice = { period: "month", group: "day" }): Promise<void> {
    await this.load("/costs");
    await this.page.waitForFunction(() => globalThis.postedByCosts.length > 0);
    await this.takePosted();
    await this.show(facts, choice);
  }

  /** Sends what these costs come to. */
  async show(facts: Facts, choice: CostsChoice): Promise<void> {
    this.#facts = facts;
    await this.send({ type: "costs", ...costsView(facts, choice) });
  }

  async send(message: ToCosts): Promise<void> {
    await this.post([message]);
    await this.frames();
  }

  /** VS Code has discarded the page and rebuilds it. Returns what the page asks for. */
  async reopen(): Promise<readonly FromCosts[]> {
    await this.page.reload();
    await this.page.waitForFunction(() => globalThis.postedByCosts.length > 0);
    return this.takePosted();
  }

  /** Responds to the choices of the user like the host, and returns all messages of the page. */
  async answer(): Promise<readonly FromCosts[]> {
    const messages = await this.takePosted();
    for (const message of messages)
      if (message.type === "show")
        await this.show(this.#facts, { period: message.period, group: message.group });
    return messages;
  }

  async takePosted(): Promise<readonly FromCosts[]> {
    const posted = await this.page.evaluate(() => globalThis.postedByCosts.splice(0));
    return posted.map((message) => {
      const parsed = parseMessage<FromCosts>(fromCosts, message);
      if (parsed === undefined) throw new Error(`The host would refuse ${JSON.stringify(message)}.`);
      return parsed;
    });
  }

  protected override async replaceHost(page: Page): Promise<void> {
    await page.addInitScript(() => {
      globalThis.postedByCosts = [];
      globalThis.acquireVsCodeApi = () => ({
        postMessage: (message: unknown) => void globalThis.postedByCosts.push(message),
        getState: () => JSON.parse(sessionStorage.getItem("state") ?? "null") as unknown,
        setState: (state: unknown) => sessionStorage.setItem("state", JSON.stringify(state)),
      });
    });
  }
}
