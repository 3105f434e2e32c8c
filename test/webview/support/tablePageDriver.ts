import type { Locator, Page } from "playwright-core";
import { TableModel } from "../../../src/core/servers/table/tableModel.ts";
import { parseFromTable } from "../../../src/core/servers/table/tableProtocol.ts";
import type { FromTable, ToTable } from "../../../src/core/servers/table/tableProtocol.ts";
import type { TableView } from "../../../src/core/servers/table/tableView.ts";
import type { ServerSection } from "../../../src/core/servers/tree/rows.ts";
import { openOwnPage } from "./browser.ts";
import type { OwnPage } from "./browser.ts";
import { startPageServer } from "./pageServer.ts";
import type { PageServer } from "./pageServer.ts";
import type { Theme } from "./themes.ts";

declare global {
  var toldByTable: unknown[];
  var keptByTable: unknown;
}

/** The table's page in a real browser, with the test in place of the extension host. The model is the real one. */
export class TablePageDriver {
  readonly page: Page;
  /** All URLs that the page requested besides its own files. */
  readonly foreignRequests: string[] = [];
  readonly #own: OwnPage;
  readonly #server: PageServer;
  #model = new TableModel({ filter: "" });
  #sections: readonly ServerSection[] = [];

  private constructor(own: OwnPage, server: PageServer) {
    this.#own = own;
    this.#server = server;
    this.page = own.page;
  }

  static async start(viewport = { width: 900, height: 600 }, language = "en"): Promise<TablePageDriver> {
    const server = await startPageServer(language);
    const own = await openOwnPage(viewport);
    const { page } = own;
    const driver = new TablePageDriver(own, server);
    page.on("request", (request) => {
      if (!request.url().startsWith(`${server.origin}/`)) driver.foreignRequests.push(request.url());
    });
    await page.addInitScript(() => {
      globalThis.toldByTable = [];
      globalThis.acquireVsCodeApi = () => ({
        postMessage: (message: unknown) => void globalThis.toldByTable.push(message),
        setState: (state: unknown) => void (globalThis.keptByTable = state),
      });
    });
    return driver;
  }

  async setTheme({ bodyClass, variables }: Theme): Promise<void> {
    await this.page.evaluate(
      ([name, values]) => {
        document.body.className = name;
        const { style } = document.documentElement;
        for (const key of [...style]) style.removeProperty(key);
        for (const [key, value] of Object.entries(values)) style.setProperty(`--vscode-${key}`, value);
      },
      [bodyClass, variables] as const,
    );
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
    await this.page.goto(`${this.#server.origin}/table`);
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
    const messages = told.flatMap((message) => parseFromTable(message) ?? []);
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

  /** Waits for two frames, so that everything pending is shown. */
  async frames(): Promise<void> {
    await this.page.evaluate(
      () =>
        new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
    );
  }

  async close(): Promise<void> {
    await this.#own.close();
    await this.#server.close();
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
    await this.page.evaluate((json) => {
      const list: readonly unknown[] = JSON.parse(json);
      for (const data of list) window.dispatchEvent(new MessageEvent("message", { data }));
    }, JSON.stringify(messages));
    await this.frames();
  }
}
