import type { Locator, Page } from "playwright-core";
import { TableModel } from "../../../src/core/servers/table/tableModel.ts";
import { parseMessage } from "../../../src/core/kernel/pageMessages.ts";
import { fromTable } from "../../../src/core/servers/table/tableProtocol.ts";
import type { FromTable, ToTable } from "../../../src/core/servers/table/tableProtocol.ts";
import type { TableView } from "../../../src/core/servers/table/tableView.ts";
import type { ServerSection } from "../../../src/core/servers/tree/rows.ts";
import type { Viewport } from "./browser.ts";
import { PageDriver } from "./pageDriver.ts";

declare global {
  var toldByTable: unknown[];
  var keptByTable: unknown;
}

/** The table's page in a real browser, with the test in place of the extension host. The model is the real one. */
export class TablePageDriver extends PageDriver {
  #model = new TableModel({ filter: "" });
  #sections: readonly ServerSection[] = [];

  constructor(viewport: Viewport = { width: 900, height: 600 }) {
    super(viewport, "en");
  }

  get grid(): Locator {
    return this.page.getByRole("grid", { name: "GPU servers" });
  }

  get filter(): Locator {
    return this.page.getByRole("combobox", { name: "Filter Servers" });
  }

  /** The existing rows, without the header row. */
  get rows(): Locator {
    return this.grid.getByRole("row").filter({ has: this.page.getByRole("rowheader") });
  }

  /** Opens a table with these servers. */
  async open(sections: readonly ServerSection[], view: TableView = { filter: "" }): Promise<void> {
    await this.load("/table");
    await this.page.waitForFunction(() => globalThis.toldByTable.length > 0);
    this.#model = new TableModel(view);
    this.#sections = sections;
    await this.#send(this.#model.begin(sections, Date.now()));
  }

  /** VS Code has discarded the page and rebuilds it. The host keeps its state. */
  async reopen(): Promise<void> {
    await this.page.reload();
    await this.page.waitForFunction(() => globalThis.toldByTable.length > 0);
    await this.#send(this.#model.begin(this.#sections, Date.now()));
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

  /** Sends a message that the model doesn't create. */
  async send(...messages: readonly ToTable[]): Promise<void> {
    await this.#send(messages);
  }

  /** The text of the active cell. */
  async active(): Promise<string> {
    await this.frames();
    return await this.page.evaluate(() => {
      const id = document.querySelector("[role=grid]")?.getAttribute("aria-activedescendant") ?? "";
      return document.getElementById(id)?.textContent ?? "";
    });
  }

  /** The names in the existing rows, in their order. */
  async names(): Promise<readonly string[]> {
    await this.frames();
    return await this.grid.getByRole("rowheader").allTextContents();
  }

  protected override async replaceHost(page: Page): Promise<void> {
    await page.addInitScript(() => {
      globalThis.toldByTable = [];
      globalThis.acquireVsCodeApi = () => ({
        postMessage: (message: unknown) => void globalThis.toldByTable.push(message),
        getState: () => undefined,
        setState: (state: unknown) => void (globalThis.keptByTable = state),
      });
    });
  }

  async #answerOne(message: FromTable): Promise<void> {
    if (message.type === "sort") this.#model.sort(message.sort);
    else if (message.type === "filter") this.#model.filter(message.text);
    else if (message.type === "scrolled") return this.#model.scrolled(message.handle);
    else if (message.type === "select") return this.#send(this.#model.select(message.handle));
    else return;
    await this.update(this.#sections);
  }

  async #send(messages: readonly ToTable[]): Promise<void> {
    await this.post(messages);
    await this.frames();
  }
}
