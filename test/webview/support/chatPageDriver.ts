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
  /** Whether the page's pings stay unanswered, as if the host were gone. */
  var isHostDead: boolean;
  var __pwned: unknown;
}

/** The chat page in a real browser, with the test in place of the extension host. */
export class ChatPageDriver {
  readonly page: Page;
  /** All URLs that the page requested besides its own files. */
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

  /** @param isClockStopped Whether the page uses a clock that the test advances, in which case it is never idle. */
  async open(theme?: Theme, isClockStopped = false): Promise<void> {
    await this.page.goto(`${this.#server.origin}/`);
    if (theme !== undefined) await this.setTheme(theme);
    await this.page.waitForFunction(() => globalThis.posted.some((message) => message.type === "ready"));
    if (isClockStopped) return;
    // Messages that arrive before the renderer is loaded are shown later; those of the tests are shown immediately.
    await this.page.waitForFunction(() => performance.getEntriesByName("messages-loaded").length > 0);
  }

  async setTheme(theme: Theme): Promise<void> {
    await this.page.evaluate(({ bodyClass, variables }) => {
      document.body.className = bodyClass;
      const { style } = document.documentElement;
      for (const name of [...style]) style.removeProperty(name);
      for (const [name, value] of Object.entries(variables)) style.setProperty(`--vscode-${name}`, value);
    }, theme);
  }

  /** Sends messages from the host. */
  async send(...messages: readonly ToWebview[]): Promise<void> {
    // As JSON, because the protocol's types are too deep for the browser driver's types.
    await this.page.evaluate((json) => {
      const list: readonly unknown[] = JSON.parse(json);
      for (const data of list) window.dispatchEvent(new MessageEvent("message", { data }));
    }, JSON.stringify(messages));
  }

  /** The page's messages since the last call. */
  async takePosted(): Promise<readonly FromWebview[]> {
    return await this.page.evaluate(() => globalThis.posted.splice(0));
  }

  /** The user's requests to the host since the last call. */
  async takeActions(): Promise<readonly FromWebview[]> {
    const incidental = new Set<string>(["ready", "draft", "frames"]);
    return (await this.takePosted()).filter(({ type }) => !incidental.has(type));
  }

  /** Waits for two frames, so that everything pending is shown. */
  async frames(): Promise<void> {
    await this.page.evaluate(
      () =>
        new Promise<void>((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
    );
  }

  /** Loads only the renderer, for comparisons inside the browser. */
  async loadRenderer(): Promise<void> {
    const response = await fetch(`${this.#server.origin}/markdown-bench.js`);
    // The page's policy doesn't allow test scripts, so the driver evaluates it bypassing the policy.
    await this.page.evaluate(await response.text());
  }

  async close(): Promise<void> {
    await this.#own.close();
    await this.#server.close();
  }
}

/** An empty snapshot, overridden by the given parts. */
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

/** An empty finished response, overridden by the given parts. */
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
