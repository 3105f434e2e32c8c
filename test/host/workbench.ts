import assert from "node:assert/strict";
import { mkdirSync } from "node:fs";
import { dirname } from "node:path";
import { format } from "node:util";
import type { BrowserContext, Locator, Page } from "playwright-core";
import { slowDown } from "../support/chromium.ts";
import { eventually } from "../support/eventually.ts";
import { ChatView } from "./chatView.ts";
import { isolatePages } from "./isolatedPages.ts";
import { QuickInput, exactly } from "./quickInput.ts";
import type { VscodeServer } from "./vscodeServer.ts";
import { answerMintKey, ignoreLateFocus, recordStatuses } from "./windowScripts.ts";

export interface WorkbenchOptions {
  /** A path on the server, or the address of a folder in another file system. */
  readonly folder: string;
  /** Loaded as an extension under development. Omit it for an installed one. */
  readonly extension?: string;
  /** A script with `run()`, executed in the extension host. */
  readonly tests?: string;
  /** Environment variables of the extension host alone. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly onOutput?: (line: string) => void;
  /** Whether extension pages run in a process of their own, as on the desktop. */
  readonly hasIsolatedPages?: boolean;
  /** The display language, such as "zh-cn". VS Code's own texts stay English because its language pack isn't installed. */
  readonly language?: string;
}

/** How long to wait for a command to be offered, in milliseconds. */
const patienceMs = 120_000;

/** A VS Code window in a browser, controlled as by a user. */
export class Workbench {
  readonly page: Page;
  readonly quickInput: QuickInput;
  /** Resolves with the exit code of the tests. */
  readonly exit: Promise<number>;
  readonly #url: string;
  readonly #console: string[] = [];
  #hasLocalGateway = false;

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
    await slowDown(page);
    const exit = new Promise<number>((resolve) => {
      void page.exposeFunction("codeAutomationExit", resolve);
      page.once("crash", () => resolve(70));
    });
    await page.exposeFunction("codeAutomationLog", (_type: string, args: readonly unknown[]) => {
      for (const line of format(...args).split("\n")) options.onOutput?.(line);
    });
    // The bare server doesn't provide its half of the key that encrypts secrets. Without it, they would be lost at a
    // reload.
    if (server.kind === "bare") await page.addInitScript(answerMintKey);
    await page.addInitScript(recordStatuses);
    await page.addInitScript(ignoreLateFocus);
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

  /** The window's console output. */
  get consoleText(): string {
    return this.#console.join("\n");
  }

  async waitUntilReady(): Promise<void> {
    await this.page.locator(".monaco-workbench .part.statusbar").waitFor();
  }

  /** Like the user's Reload Window: the page is rebuilt, and VS Code's stored state is restored. */
  async reload(): Promise<void> {
    // The new page may already be there before the test has noticed that the old one is gone.
    await this.page.locator("html").evaluate((old) => old.classList.add("old-page"));
    await this.runCommand("Developer: Reload Window");
    this.#hasLocalGateway = false;
    await this.page.locator("html:not(.old-page)").waitFor();
    await this.waitUntilReady();
  }

  /** Runs a palette command by its complete title. Waits for extensions that are still loading. */
  async runCommand(title: string, limitMs = patienceMs): Promise<void> {
    for (const deadline = Date.now() + limitMs; Date.now() < deadline;) {
      await this.#openPalette();
      // The palette doesn't notice commands that are added while it is open, so it is opened again.
      if (await this.quickInput.pickCommand(title, { timeout: 3_000 })) return;
      await this.quickInput.input.fill(">", { timeout: 3_000 }).catch(() => undefined);
    }
    throw new Error(`The palette does not offer “${title}”.`);
  }

  /**
   * Makes VS Code's own chat work without an account: its models were shown, this one among them. Until all extensions
   * are active, it would ask its users to sign in.
   */
  async prepareOwnChat(model: string): Promise<void> {
    await this.runCommand("Chat: Manage Language Models");
    await this.page.locator(".ai-models-management-editor", { hasText: model }).waitFor();
    await this.page.keyboard.press("Escape");
    await this.page.waitForTimeout(2_000);
    await this.page
      .locator(".statusbar-item", { hasText: "Activating Extensions" })
      .waitFor({ state: "detached" });
  }

  /** Runs a command that the palette offers only through a picker, such as "Set Credential…". */
  async runFromPicker(picker: string, entry: string): Promise<void> {
    await this.runCommand(`Inference Gateway: ${picker}`);
    // A long list only contains the rows that fit.
    await this.quickInput.input.fill(entry);
    await this.quickInput.pick(entry);
  }

  /** Titles that the palette offers for this text. */
  async offeredCommands(text: string): Promise<readonly string[]> {
    await this.#openPalette();
    await this.quickInput.input.fill(`>${text}`);
    // Previous rows have no part of the text highlighted.
    await this.quickInput.rows.locator(".label-name .highlight").first().waitFor();
    const labels = await this.quickInput.labels();
    await this.quickInput.dismiss();
    return labels;
  }

  /** A chat page, counted in order of creation. */
  chatView(index = 0): ChatView {
    return new ChatView(this.page, index);
  }

  /** Does nothing if it was started here before and the window wasn't reloaded since then. */
  async startLocalGateway(): Promise<void> {
    if (!this.#hasLocalGateway) await this.runCommand("Inference Gateway: Start Local Gateway");
    this.#hasLocalGateway = true;
  }

  /** Starts the local gateway and opens a chat with its echo model, ready for typing. */
  async startChat(): Promise<ChatView> {
    await this.startLocalGateway();
    await this.newChat();
    await this.selectModel("demo-lab/echo-omni");
    return this.chatView();
  }

  /**
   * Opens a new chat and returns once its page is there. Until then, `chatView` is the page of the chat that is visible
   * before, in which a test could find what it expects of the new one.
   */
  async newChat(): Promise<ChatView> {
    const pages = this.page.locator("iframe.webview.ready");
    const names = (): Promise<readonly (string | null)[]> =>
      pages.evaluateAll((frames) => frames.map((frame) => frame.getAttribute("name")));
    const before = await names();
    await this.runCommand("Inference Gateway: New Chat");
    await eventually(async () => assert.ok((await names()).some((name) => !before.includes(name))));
    return this.chatView();
  }

  /** Selects the chat's model with its button. */
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
      // Anything that the window restores at that moment is closed by the click.
    }
    throw new Error(`“${title}” did not open.`);
  }

  /** The visible rows of a tree view. */
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
    const pressed = this.dialog.locator(".monaco-button", { hasText: exactly(button) });
    await pressed.click();
    // Another question may follow at once.
    await pressed.waitFor({ state: "hidden" });
  }

  /** A tab in the editor area. */
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

  /** Does nothing if it is already open. */
  async #openPalette(): Promise<void> {
    // A picker of an extension, which may have just replaced the palette, has a title.
    const isOpen = `[...document.querySelectorAll(".quick-input-widget")].some(
      (widget) =>
        ![...widget.querySelectorAll(".quick-input-title")].some((title) => title.checkVisibility()) &&
        [...widget.querySelectorAll("input")].some(
          (input) => input.checkVisibility() && input.value.startsWith(">"),
        ),
    )`;
    for (let attempt = 0; attempt < 10; attempt++) {
      if (await this.page.evaluate(isOpen)) return;
      await this.page.keyboard.press("F1");
      const hasOpened = await this.page
        .waitForFunction(isOpen, undefined, { polling: 50, timeout: 3_000 })
        .then(
          () => true,
          () => false,
        );
      if (hasOpened) return;
      // A page may have the focus and handle the key itself.
      await this.page
        .locator(".part.statusbar")
        .click({ position: { x: 400, y: 8 }, timeout: 3_000 })
        .catch(() => undefined);
    }
    throw new Error("The command palette did not open.");
  }
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
