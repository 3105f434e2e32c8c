import type { Page } from "playwright-core";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import type { FromWebview, PanelSnapshot, ToWebview } from "../../../src/core/panel/protocol.ts";
import type {} from "../../../src/webview/kit/host.ts";
import { openOwnPage } from "./browser.ts";
import type { OwnPage } from "./browser.ts";
import { startPageServer } from "./pageServer.ts";
import type { PageServer } from "./pageServer.ts";
import type { Theme } from "./themes.ts";

declare global {
  var posted: FromWebview[];
  /** Whether no one answers the page's own question for the host. */
  var isHostDead: boolean;
  var __pwned: unknown;
}

/** The chat page in a real browser, with us in the place of the extension host. */
export class ChatPageDriver {
  readonly page: Page;
  /** Every address that the page asked for besides its own files. */
  readonly foreignRequests: string[] = [];
  readonly #own: OwnPage;
  readonly #server: PageServer;

  private constructor(own: OwnPage, server: PageServer) {
    this.#own = own;
    this.#server = server;
    this.page = own.page;
  }

  static async start(viewport = { width: 800, height: 700 }, language = "en"): Promise<ChatPageDriver> {
    const server = await startPageServer(language);
    const own = await openOwnPage(viewport);
    const { page } = own;
    const driver = new ChatPageDriver(own, server);
    page.on("request", (request) => {
      if (!request.url().startsWith(`${server.origin}/`)) driver.foreignRequests.push(request.url());
    });
    await page.addInitScript(() => {
      globalThis.posted = [];
      globalThis.acquireVsCodeApi = () => ({
        postMessage(message) {
          if (message.type !== "ping") globalThis.posted.push(message);
          else if (!globalThis.isHostDead) window.postMessage({ type: "pong" });
        },
        setState: () => undefined,
      });
    });
    return driver;
  }

  /** @param isClockStopped Whether the page waits for a clock that the test moves: it is never idle then. */
  async open(theme?: Theme, isClockStopped = false): Promise<void> {
    await this.page.goto(`${this.#server.origin}/`);
    if (theme !== undefined) await this.setTheme(theme);
    await this.page.waitForFunction(() => globalThis.posted.some((message) => message.type === "ready"));
    if (isClockStopped) return;
    // Messages that come before are shown when it is there; those of the tests are shown at once.
    await this.page.waitForFunction(() => performance.getEntriesByName("markdown-loaded").length > 0);
  }

  async setTheme(theme: Theme): Promise<void> {
    await this.page.evaluate(({ bodyClass, variables }) => {
      document.body.className = bodyClass;
      const { style } = document.documentElement;
      for (const name of [...style]) style.removeProperty(name);
      for (const [name, value] of Object.entries(variables)) style.setProperty(`--vscode-${name}`, value);
    }, theme);
  }

  /** What the host says. */
  async send(...messages: readonly ToWebview[]): Promise<void> {
    // As JSON: the types of the protocol are too deep for the browser driver's.
    await this.page.evaluate((json) => {
      const list: readonly unknown[] = JSON.parse(json);
      for (const data of list) window.dispatchEvent(new MessageEvent("message", { data }));
    }, JSON.stringify(messages));
  }

  /** What the page said, since the last time. */
  async takePosted(): Promise<readonly FromWebview[]> {
    return await this.page.evaluate(() => globalThis.posted.splice(0));
  }

  /** What the user asked of the host, since the last time. */
  async takeActions(): Promise<readonly FromWebview[]> {
    const incidental = new Set<string>(["ready", "draft"]);
    return (await this.takePosted()).filter(({ type }) => !incidental.has(type));
  }

  /** Two frames: everything that was waiting for one is shown. */
  async frames(): Promise<void> {
    await this.page.evaluate(
      () =>
        new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
    );
  }

  /** Loads the renderer alone, for comparisons inside the browser. */
  async loadRenderer(): Promise<void> {
    const response = await fetch(`${this.#server.origin}/markdown-bench.js`);
    // The page's policy allows no script of ours; the driver evaluates it past the policy.
    await this.page.evaluate(await response.text());
  }

  async close(): Promise<void> {
    await this.#own.close();
    await this.#server.close();
  }
}

/** A snapshot with nothing in it but what is given. */
export function createSnapshot(parts: Partial<PanelSnapshot> = {}): PanelSnapshot {
  return {
    conversationId: "conversation-1",
    title: "New chat",
    settings: {},
    messages: [],
    versions: {},
    comparison: [],
    draft: { text: "", attachments: [] },
    picker: { state: "ready", models: [{ id: "openlab/echo" }], selected: "openlab/echo" },
    isStreaming: false,
    unsent: [],
    ...parts,
  };
}

/** A finished response with nothing in it but what is given. */
export function createMessage(parts: Partial<Message> = {}): Message {
  return {
    id: "message-1",
    role: "assistant",
    status: "complete",
    createdAt: 0,
    text: "",
    attachments: [],
    reasoning: "",
    toolCalls: [],
    model: "openlab/echo",
    ...parts,
  };
}
