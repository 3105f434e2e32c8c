import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { openOwnPage } from "./browser.ts";
import type { OwnPage, Viewport } from "./browser.ts";
import { startPageServer } from "./pageServer.ts";
import type { PageServer } from "./pageServer.ts";
import type { Theme } from "./themes.ts";

/** One of the built pages in a real browser, with the test in place of the extension host. */
export abstract class PageDriver {
  /** The names of the files that the page requested since it was last loaded. */
  readonly requestedFiles: string[] = [];
  /** All URLs that the page requested besides its own files. */
  readonly foreignRequests: string[] = [];
  /** Uncaught exceptions, violations of the policy, dialogs and popups: what must not happen in a page. */
  readonly errors: string[] = [];
  readonly #viewport: Viewport;
  readonly #language: string;
  #own: OwnPage | undefined;
  #server: PageServer | undefined;

  constructor(viewport: Viewport, language: string) {
    this.#viewport = viewport;
    this.#language = language;
  }

  get page(): Page {
    return (this.#own ?? assert.fail("The page was not started.")).page;
  }

  async start(): Promise<void> {
    this.#server = await startPageServer(this.#language);
    await this.renew();
  }

  /** Replaces the page with a new one, which nothing is left in of what was done to the last one. */
  async renew(): Promise<void> {
    await this.#own?.close();
    this.#own = await openOwnPage(this.#viewport);
    await this.#watch(this.page);
    await this.replaceHost(this.page);
  }

  /** Undoes what loading the page again doesn't: a changed size, held back files and the pointer over an element. */
  async reset(): Promise<void> {
    await this.page.unrouteAll({ behavior: "ignoreErrors" });
    await this.page.mouse.move(0, 0);
    const { width, height } = this.page.viewportSize() ?? this.#viewport;
    if (width !== this.#viewport.width || height !== this.#viewport.height)
      await this.page.setViewportSize(this.#viewport);
  }

  /** Errors and foreign requests since the last call, once the browser has reported all that have happened so far. */
  async takeProblems(): Promise<readonly string[]> {
    if (this.#own !== undefined) await this.page.evaluate(() => undefined);
    return [...this.errors.splice(0), ...this.foreignRequests.splice(0).map((url) => `Request to ${url}`)];
  }

  async setTheme(theme: Theme): Promise<void> {
    await this.page.evaluate(({ bodyClass, variables }) => {
      document.body.className = bodyClass;
      const { style } = document.documentElement;
      for (const name of [...style]) style.removeProperty(name);
      for (const [name, value] of Object.entries(variables)) style.setProperty(`--vscode-${name}`, value);
    }, theme);
  }

  /** Waits for two frames, so that everything pending is shown. */
  async frames(): Promise<void> {
    await this.page.evaluate(
      () =>
        new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
    );
  }

  async close(): Promise<void> {
    await this.#own?.close();
    await this.#server?.close();
    this.#own = undefined;
  }

  /** Defines what VS Code provides in a webview. */
  protected abstract replaceHost(page: Page): Promise<void>;

  /** The server's address, without a slash at its end. */
  protected get origin(): string {
    return (this.#server ?? assert.fail("The page was not started.")).origin;
  }

  /** Loads the page at a path of the server: `/` is the chat page. */
  protected async load(path: string): Promise<void> {
    this.requestedFiles.splice(0);
    await this.page.goto(`${this.origin}${path}`);
  }

  /** Sends messages from the host. */
  protected async post(messages: readonly unknown[]): Promise<void> {
    // As JSON, because the protocol's types are too deep for the browser driver's types.
    await this.page.evaluate((json) => {
      const list: readonly unknown[] = JSON.parse(json);
      for (const data of list) window.dispatchEvent(new MessageEvent("message", { data }));
    }, JSON.stringify(messages));
  }

  async #watch(page: Page): Promise<void> {
    // Diagrams are drawn in a frame whose policy blocks much of what they try by design, so only the page itself counts.
    await page.addInitScript(() => {
      if (window !== window.top) return;
      document.addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
        throw new Error(`The policy's ${violatedDirective} was violated: ${blockedURI} ${sample}`);
      });
    });
    page.on("request", (request) => {
      const url = request.url();
      this.requestedFiles.push(url.split("/").at(-1) ?? "");
      // The other two are parts of the page itself.
      if (!url.startsWith(`${this.origin}/`) && !/^(?:data|blob):/.test(url)) this.foreignRequests.push(url);
    });
    page.on("pageerror", (error) => this.errors.push(error.stack ?? error.message));
    page.on("console", (message) => {
      const isFromPolicy = /Content Security Policy/.test(message.text());
      if (message.type() === "error" && !isFromPolicy)
        this.errors.push(`${message.text()} ${message.location().url}`);
    });
    page.on("dialog", (dialog) => {
      this.errors.push(`A dialog: ${dialog.message()}`);
      void dialog.dismiss();
    });
    page.on("popup", (popup) => this.errors.push(`A popup: ${popup.url()}`));
    page.on("crash", () => this.errors.push("The page crashed."));
  }
}
