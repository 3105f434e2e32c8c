import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { format } from "node:util";
import type { BrowserContext, FrameLocator, Locator, Page } from "playwright-core";
import type { VscodeServer } from "./vscodeServer.ts";

const extensionId = "inference-gateway.inference-gateway";

export interface WorkbenchOptions {
  readonly folder: string;
  /** Loaded as an extension under development; leave out for an installed one. */
  readonly extension?: string;
  /** A script with `run()`, executed in the extension host. */
  readonly tests?: string;
  readonly onOutput?: (line: string) => void;
}

/** A VS Code window in a browser, driven as a person would. */
export class Workbench {
  readonly page: Page;
  /** Resolves with the exit code of the tests. */
  readonly exit: Promise<number>;
  readonly #url: string;

  private constructor(page: Page, url: string, exit: Promise<number>) {
    this.page = page;
    this.#url = url;
    this.exit = exit;
  }

  static async open(
    context: BrowserContext,
    server: VscodeServer,
    options: WorkbenchOptions,
  ): Promise<Workbench> {
    const page = await context.newPage();
    const exit = new Promise<number>((resolve) => {
      void page.exposeFunction("codeAutomationExit", resolve);
      page.once("crash", () => resolve(70));
    });
    await page.exposeFunction("codeAutomationLog", (_type: string, args: readonly unknown[]) => {
      for (const line of format(...args).split("\n")) options.onOutput?.(line);
    });
    // The bare server has no half of the key that secrets are encrypted with; without it they would die with a reload.
    if (server.kind === "bare") {
      await page.route("**/mint-key", (route) => route.fulfill({ body: Buffer.alloc(32, 7) }));
    }
    const url = workbenchUrl(server, options);
    await page.goto(url);
    const workbench = new Workbench(page, url, exit);
    if (options.tests === undefined) await workbench.waitUntilReady();
    return workbench;
  }

  async waitUntilReady(): Promise<void> {
    await this.page.locator(".monaco-workbench .part.statusbar").waitFor({ timeout: 60_000 });
  }

  /** As the user's Reload Window: the page is built anew, what VS Code has stored comes back. */
  async reload(): Promise<void> {
    await this.page.goto("about:blank");
    await this.page.goto(this.#url);
    await this.waitUntilReady();
  }

  /** Runs a command of the palette by its title. */
  async runCommand(title: string): Promise<void> {
    const input = this.quickInput();
    await this.#openPalette(input);
    await input.fill(`>${title}`);
    const row = this.quickRow(title);
    await row.first().waitFor({ timeout: 20_000 });
    await row.first().click();
  }

  /** Titles that the palette offers for this text. */
  async offeredCommands(text: string): Promise<readonly string[]> {
    const input = this.quickInput();
    await this.#openPalette(input);
    await input.fill(`>${text}`);
    await this.page.locator(".quick-input-list .monaco-list-row").first().waitFor();
    const labels = await this.page
      .locator(".quick-input-list .monaco-list-row .quick-input-list-row:first-child .label-name")
      .allTextContents();
    await this.page.keyboard.press("Escape");
    return labels;
  }

  quickInput(): Locator {
    return this.page.locator(".quick-input-widget input:visible").first();
  }

  /** A row of the quick input by its label. */
  quickRow(label: string): Locator {
    return this.page
      .locator(".quick-input-list .monaco-list-row")
      .filter({ has: this.page.locator(".label-name", { hasText: label }) });
  }

  /** Types into the quick input and accepts. */
  async answerQuickInput(text: string): Promise<void> {
    await this.quickInput().waitFor();
    await this.quickInput().fill(text);
    await this.page.keyboard.press("Enter");
  }

  /** The chat page whose text matches, or the only one. */
  chat(): FrameLocator {
    return this.page
      .frameLocator(`iframe.webview.ready[src*="extensionId=${extensionId}"]`)
      .first()
      .frameLocator("iframe#active-frame");
  }

  /** Rows of a tree view, as they are on screen. */
  treeRows(view: string): Locator {
    return this.page
      .locator(".pane")
      .filter({ has: this.page.locator(".pane-header", { hasText: view }) })
      .locator(".monaco-list-row");
  }

  notifications(): Locator {
    return this.page.locator(".notifications-toasts .notification-list-item");
  }

  async screenshot(file: string): Promise<void> {
    mkdirSync(join(file, ".."), { recursive: true });
    await this.page.screenshot({ path: file });
  }

  async #openPalette(input: Locator): Promise<void> {
    for (let attempt = 0; attempt < 5; attempt++) {
      await this.page.keyboard.press("F1");
      const isOpen = await input.waitFor({ timeout: 3_000 }).then(
        () => true,
        () => false,
      );
      if (isOpen) return;
      // A webview may hold the focus and keep the key for itself.
      await this.page.locator(".part.titlebar").click({ position: { x: 150, y: 8 } });
    }
    throw new Error("The command palette did not open.");
  }
}

function workbenchUrl(server: VscodeServer, options: WorkbenchOptions): string {
  const remote = (path: string): string => `vscode-remote://${server.authority}${path}`;
  const payload = [
    ...(options.extension === undefined ? [] : [["extensionDevelopmentPath", remote(options.extension)]]),
    ...(options.tests === undefined ? [] : [["extensionTestsPath", remote(options.tests)]]),
    ["skipWelcome", "true"],
  ];
  const query = new URLSearchParams({ folder: options.folder, payload: JSON.stringify(payload) });
  return `${server.baseUrl}/?${query.toString()}`;
}
