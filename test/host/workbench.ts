import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { format } from "node:util";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { ChatView } from "./chatView.ts";
import { isolatePages } from "./isolatedPages.ts";
import { QuickInput, exactly } from "./quickInput.ts";
import type { VscodeServer } from "./vscodeServer.ts";

export interface WorkbenchOptions {
  readonly folder: string;
  /** Loaded as an extension under development; leave out for an installed one. */
  readonly extension?: string;
  /** A script with `run()`, executed in the extension host. */
  readonly tests?: string;
  /** Environment variables of the extension host alone. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly onOutput?: (line: string) => void;
  /** Pages of extensions run in a process of their own, as on the desktop. */
  readonly hasIsolatedPages?: boolean;
  /** The display language, such as "de"; only VS Code's own words stay English, for want of its language pack. */
  readonly language?: string;
}

/** How long someone waits for a command to be offered, in milliseconds. */
const patienceMs = 60_000;

/** A VS Code window in a browser, driven as a person would. */
export class Workbench {
  readonly page: Page;
  readonly quickInput: QuickInput;
  /** Resolves with the exit code of the tests. */
  readonly exit: Promise<number>;
  readonly #url: string;
  readonly #console: string[] = [];

  private constructor(page: Page, url: string, exit: Promise<number>) {
    this.page = page;
    this.quickInput = new QuickInput(page);
    this.#url = url;
    this.exit = exit;
    page.on("console", (message) => this.#console.push(`[${message.type()}] ${message.text()}`));
    page.on("pageerror", (error) => this.#console.push(`[page error] ${error.message}`));
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
    if (server.kind === "bare") await page.addInitScript(answerMintKey);
    if (options.hasIsolatedPages === true) await isolatePages(page);
    if (options.language !== undefined) {
      await page.addInitScript((language) => {
        Object.assign(globalThis, { _VSCODE_NLS_LANGUAGE: language });
      }, options.language);
    }
    const workbench = new Workbench(page, workbenchUrl(server, options), exit);
    await page.goto(workbench.#url);
    if (options.tests === undefined) await workbench.waitUntilReady();
    return workbench;
  }

  /** What the window has written to its console. */
  get consoleText(): string {
    return this.#console.join("\n");
  }

  async waitUntilReady(): Promise<void> {
    await this.page.locator(".monaco-workbench .part.statusbar").waitFor();
  }

  /** As the user's Reload Window: the page is built again, what VS Code has stored comes back. */
  async reload(): Promise<void> {
    // The new page may be there before anybody has seen that the old one was gone.
    await this.page.locator("html").evaluate((old) => old.classList.add("old-page"));
    await this.runCommand("Developer: Reload Window");
    await this.page.locator("html:not(.old-page)").waitFor();
    await this.waitUntilReady();
  }

  /** Runs a command of the palette by its whole title; waits for extensions that are still being loaded. */
  async runCommand(title: string): Promise<void> {
    for (const deadline = Date.now() + patienceMs; Date.now() < deadline;) {
      await this.#openPalette();
      // The palette doesn't notice commands that come while it is open: it is asked again.
      if (await this.quickInput.pickCommand(title, { timeout: 3_000 })) return;
      await this.quickInput.input.fill(">", { timeout: 3_000 }).catch(() => undefined);
    }
    throw new Error(`The palette does not offer “${title}”.`);
  }

  /** Runs a command that a picker of the palette offers in its place, such as "Set Credential…". */
  async runFromPicker(picker: string, entry: string): Promise<void> {
    await this.runCommand(`Inference Gateway: ${picker}`);
    await this.quickInput.pick(entry);
  }

  /** Titles that the palette offers for this text. */
  async offeredCommands(text: string): Promise<readonly string[]> {
    await this.#openPalette();
    await this.quickInput.input.fill(`>${text}`);
    // Rows that were there before have nothing of the text set off.
    await this.quickInput.rows.locator(".label-name .highlight").first().waitFor();
    const labels = await this.quickInput.labels();
    await this.quickInput.dismiss();
    return labels;
  }

  /** A chat page, counted in the order of their creation. */
  chatView(index = 0): ChatView {
    return new ChatView(this.page, index);
  }

  /** Starts the local gateway and opens a chat with its echo, ready to be written in. */
  async startChat(): Promise<ChatView> {
    await this.runCommand("Inference Gateway: Start Local Gateway");
    await this.runCommand("Inference Gateway: New Chat");
    await this.selectModel("demo-lab/echo-omni");
    return this.chatView();
  }

  /** Selects the model of the chat by its button. */
  async selectModel(id: string): Promise<void> {
    const { frame } = this.chatView();
    await frame.getByRole("button", { name: /^Model: .*\// }).click();
    await this.quickInput.pick(id);
    await frame.getByRole("button", { name: `Model: ${id}`, exact: true }).waitFor();
  }

  /** Opens a view container of the activity bar. */
  async openContainer(title: string): Promise<void> {
    const label = this.page.locator(`[aria-label^="${title}"]`);
    const tab = this.page.locator(".part.activitybar .action-item", { has: label }).first();
    const open = tab.and(this.page.locator(".checked"));
    for (let attempt = 0; attempt < 10; attempt++) {
      await tab.waitFor();
      if ((await open.count()) === 0) await tab.click();
      const isOpen = await open.waitFor({ timeout: 5_000 }).then(
        () => true,
        () => false,
      );
      if (isOpen) return;
      // What a window brings back by itself just then is closed by the click.
    }
    throw new Error(`“${title}” did not open.`);
  }

  /** Rows of a tree view, as they are on screen. */
  treeRows(view: string): Locator {
    return this.page.locator(".pane", { has: this.#paneHeader(view) }).locator(".monaco-list-row");
  }

  #paneHeader(view: string): Locator {
    return this.page.locator(".pane-header").filter({ hasText: view });
  }

  /** The modal dialog, if any. */
  get dialog(): Locator {
    return this.page.locator(".monaco-dialog-box");
  }

  async answerDialog(button: string): Promise<void> {
    await this.dialog.locator(".monaco-button", { hasText: exactly(button) }).click();
    await this.dialog.waitFor({ state: "hidden" });
  }

  /** Tabs of the editor area. */
  editorTab(title: string): Locator {
    return this.page.locator(".tabs-container .tab").filter({ hasText: title });
  }

  async closeTab(title: string): Promise<void> {
    const tab = this.editorTab(title);
    await tab.click({ button: "middle" });
    await tab.waitFor({ state: "detached" });
  }

  async screenshot(file: string): Promise<void> {
    mkdirSync(dirname(file), { recursive: true });
    await this.page.screenshot({ path: file });
  }

  /** Leaves one alone that is open. */
  async #openPalette(): Promise<void> {
    const isOpen = `[...document.querySelectorAll(".quick-input-widget input")].some(
      (input) => input.checkVisibility() && input.value.startsWith(">"),
    )`;
    for (let attempt = 0; attempt < 10; attempt++) {
      if ((await this.quickInput.text())?.startsWith(">") === true) return;
      await this.page.keyboard.press("F1");
      const hasOpened = await this.page.waitForFunction(isOpen, undefined, { timeout: 3_000 }).then(
        () => true,
        () => false,
      );
      if (hasOpened) return;
      // A page may hold the focus and keep the key for itself.
      await this.page
        .locator(".part.statusbar")
        .click({ position: { x: 400, y: 8 }, timeout: 3_000 })
        .catch(() => undefined);
    }
    throw new Error("The command palette did not open.");
  }
}

/** In the page, if nothing of ours is known. A route of Playwright's would turn the browser's cache off. */
function answerMintKey(): void {
  const send = globalThis.fetch;
  globalThis.fetch = (input, init) => {
    const url = input instanceof Request ? input.url : String(input);
    return url.endsWith("/mint-key")
      ? Promise.resolve(new Response(new Uint8Array(32).fill(7)))
      : send(input, init);
  };
}

function workbenchUrl(server: VscodeServer, options: WorkbenchOptions): string {
  const remote = (path: string): string => `vscode-remote://${server.authority}${path.replace(/\/$/, "")}`;
  const { extension, tests, environment } = options;
  const payload = [
    ...(extension === undefined ? [] : [["extensionDevelopmentPath", remote(extension)]]),
    ...(tests === undefined ? [] : [["extensionTestsPath", remote(tests)]]),
    ...(environment === undefined ? [] : [["extensionEnvironment", JSON.stringify(environment)]]),
    ["skipWelcome", "true"],
  ];
  const query = new URLSearchParams({ folder: options.folder, payload: JSON.stringify(payload) });
  return `${server.baseUrl}/?${query.toString()}`;
}
