import type { Page } from "playwright-core";
import type { Message } from "../../../src/core/conversation/conversation.ts";
import type { FromWebview, PanelSnapshot, ToWebview } from "../../../src/core/panel/protocol.ts";
import type {} from "../../../src/webview/kit/host.ts";
import type { Viewport } from "./browser.ts";
import { PageDriver } from "./pageDriver.ts";
import type { Theme } from "./themes.ts";

declare global {
  var posted: FromWebview[];
  /** Whether the page's pings stay unanswered, as if the host were gone. */
  var isHostDead: boolean;
  /** What VS Code keeps for the page, from before it was opened and since then. */
  var keptState: unknown;
  /** What the page has last sent of its state. It isn't among the posted messages, because it is sent at any time. */
  var pageState: string | undefined;
  var __pwned: unknown;
}

/** The chat page in a real browser, with the test in place of the extension host. */
export class ChatPageDriver extends PageDriver {
  constructor(viewport: Viewport = { width: 800, height: 700 }, language = "en") {
    super(viewport, language);
  }

  /** Starts a page outside the tests, for measurements. The caller closes it. */
  static async start(viewport: Viewport): Promise<ChatPageDriver> {
    const driver = new ChatPageDriver(viewport);
    await driver.start();
    return driver;
  }

  /** @param isClockStopped Whether the page uses a clock that the test advances, in which case it is never idle. */
  async open(theme?: Theme, isClockStopped = false): Promise<void> {
    await this.load("/");
    if (theme !== undefined) await this.setTheme(theme);
    await this.page.waitForFunction(() => globalThis.posted.some((message) => message.type === "ready"));
    if (isClockStopped) return;
    // Messages that arrive before the renderer is loaded are shown later; those of the tests are shown immediately.
    await this.page.waitForFunction(() => performance.getEntriesByName("messages-loaded").length > 0);
  }

  /** Sends messages from the host. */
  async send(...messages: readonly ToWebview[]): Promise<void> {
    await this.post(messages);
  }

  /** The page's messages since the last call. */
  async takePosted(): Promise<readonly FromWebview[]> {
    return await this.page.evaluate(() => globalThis.posted.splice(0));
  }

  /** The user's requests to the host since the last call. */
  async takeActions(): Promise<readonly FromWebview[]> {
    const incidental = new Set<string>(["ready", "draft"]);
    return (await this.takePosted()).filter(({ type }) => !incidental.has(type));
  }

  /** Loads only the renderer, for comparisons inside the browser. */
  async loadRenderer(): Promise<void> {
    const response = await fetch(`${this.origin}/markdown-bench.js`);
    // The page's policy doesn't allow test scripts, so the driver evaluates it bypassing the policy.
    await this.page.evaluate(await response.text());
  }

  protected override async replaceHost(page: Page): Promise<void> {
    await page.addInitScript(() => {
      globalThis.posted = [];
      globalThis.acquireVsCodeApi = () => ({
        postMessage(message: FromWebview) {
          if (message.type === "pageState") globalThis.pageState = message.state;
          else if (message.type !== "ping") globalThis.posted.push(message);
          else if (!globalThis.isHostDead) window.postMessage({ type: "pong" });
        },
        getState: () => globalThis.keptState,
        setState: (state) => (globalThis.keptState = state),
      });
    });
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
