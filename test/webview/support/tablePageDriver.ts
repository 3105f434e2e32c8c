import type { Locator, Page } from "playwright-core";
import { TableModel } from "../../../src/core/servers/table/tableModel.ts";
import type { MeasuredOf } from "../../../src/core/servers/table/tableModel.ts";
import { parseMessage } from "../../../src/core/kernel/pageMessages.ts";
import { fromTable } from "../../../src/core/servers/table/tableProtocol.ts";
import type { FromTable, ToTable } from "../../../src/core/servers/table/tableProtocol.ts";
import type { ServerSection } from "../../../src/core/servers/tree/rows.ts";
import type { Viewport } from "./browser.ts";
import { PageDriver } from "./pageDriver.ts";

declare global {
  var toldByTable: unknown[];
}

/** The table's page in a real browser, with the test in place of the extension host. The model is the real one. */
export class TablePageDriver extends PageDriver {
  #model = new TableModel();
  #sections: readonly ServerSection[] = [];

  constructor(viewport: Viewport = { width: 900, height: 600 }) {
    super(viewport, "en");
  }

  get table(): Locator {
    return this.page.getByRole("table", { name: "GPU servers" });
  }

  get filter(): Locator {
    return this.page.getByRole("textbox", { name: "Filter Servers" });
  }

  /** The existing rows, without the header row. */
  get rows(): Locator {
    return this.table.getByRole("row").filter({ has: this.page.getByRole("rowheader") });
  }

  /** Opens a table with these servers. */
  async open(sections: readonly ServerSection[], measuredOf?: MeasuredOf): Promise<void> {
    await this.load("/table");
    this.#model = new TableModel(measuredOf);
    this.#sections = sections;
    await this.#begin();
  }

  /** VS Code has discarded the page and rebuilds it. It keeps the page's state. */
  async reopen(): Promise<void> {
    await this.page.reload();
    await this.#begin(true);
  }

  /** Updates the server list. */
  async update(sections: readonly ServerSection[]): Promise<void> {
    this.#sections = sections;
    await this.#send(this.#model.update(sections, Date.now()));
  }

  /** Responds to the page's requests like the host, and returns them. */
  async answer(): Promise<readonly FromTable[]> {
    const told = await this.page.evaluate(() => globalThis.toldByTable.splice(0));
    const messages = told.flatMap((message) => parseMessage<FromTable>(fromTable, message) ?? []);
    for (const message of messages) await this.#answerOne(message);
    return messages;
  }

  /** The names in the existing rows, in their order. */
  async names(): Promise<readonly string[]> {
    await this.frames();
    return await this.table.getByRole("rowheader").allTextContents();
  }

  protected override async replaceHost(page: Page): Promise<void> {
    await page.addInitScript(() => {
      globalThis.toldByTable = [];
      globalThis.acquireVsCodeApi = () => ({
        postMessage: (message: unknown) => void globalThis.toldByTable.push(message),
        getState: () => JSON.parse(sessionStorage.getItem("state") ?? "null") as unknown,
        setState: (state: unknown) => sessionStorage.setItem("state", JSON.stringify(state)),
      });
    });
  }

  async #answerOne(message: FromTable): Promise<void> {
    if (message.type === "sort") this.#model.arrange({ sort: message.sort });
    else if (message.type === "filter") this.#model.arrange({ filter: message.text });
    else return;
    await this.update(this.#sections);
  }

  /** @param isRestored Whether the page's state is that of the same table. */
  async #begin(isRestored = false): Promise<void> {
    await this.page.waitForFunction(() => globalThis.toldByTable.length > 0);
    for (const message of await this.answer())
      if (message.type === "ready" && isRestored)
        this.#model.arrange({ filter: message.filter ?? "", sort: message.sort });
    await this.#send(this.#model.begin(this.#sections, Date.now()));
  }

  async #send(messages: readonly ToTable[]): Promise<void> {
    await this.post(messages);
    await this.frames();
  }
}
