import "../kit/translations.ts";
import { isRecord } from "../../core/kernel/json.ts";
import type { ToWebview } from "../../core/panel/protocol.ts";
import { isMarkdownLoaded, loadMarkdown } from "../transcript/streamingText.ts";
import { ChatPage } from "./chatPage.ts";
import { HostWatchdog } from "../kit/hostWatchdog.ts";
import { acquireHost } from "../kit/host.ts";

/** UTF-16 code units of an error message that are sent to the host. */
const maxErrorLength = 4000;

const host = acquireHost();

function reportError(error: unknown): void {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  host.post({ type: "pageError", message: words.slice(0, maxErrorLength) });
}

/**
 * The host's messages have a `type`; anything else that reaches the window (from browser extensions or tools) doesn't.
 */
function isFromHost(value: unknown): value is ToWebview {
  return isRecord(value) && typeof value["type"] === "string";
}

window.addEventListener("error", (event) => reportError(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => reportError(event.reason));
window.addEventListener("focus", () => host.post({ type: "focused" }));

/**
 * Passes the host's messages to the page in order. From the first message with Markdown, they wait until the renderer
 * is loaded.
 */
class ReceiveQueue {
  readonly #receive: (message: ToWebview) => void;
  #waiting: ToWebview[] = [];
  #isLoading = false;

  constructor(receive: (message: ToWebview) => void) {
    this.#receive = receive;
  }

  add(message: ToWebview): void {
    if (this.#waiting.length === 0 && (isMarkdownLoaded() || !showsMessages(message)))
      return this.#receive(message);
    this.#waiting.push(message);
    if (!this.#isLoading) void this.#load();
  }

  /** If loading fails, the error is reported and the next message tries again. */
  async #load(): Promise<void> {
    this.#isLoading = true;
    try {
      await loadMarkdown();
    } finally {
      this.#isLoading = false;
    }
    for (const message of this.#waiting.splice(0)) this.#receive(message);
  }
}

function showsMessages(message: ToWebview): boolean {
  switch (message.type) {
    case "snapshot":
      return message.snapshot.messages.length > 0;
    case "messageAdded":
    case "messageChanged":
    case "path":
    case "earlier":
    case "delta":
      return true;
    default:
      return false;
  }
}

const root = document.getElementById("app");
if (root !== null) {
  const hostWatchdog = new HostWatchdog(host);
  const page = new ChatPage(root, hostWatchdog.host);
  const queue = new ReceiveQueue((message) => page.receive(message));
  window.addEventListener("message", (event: MessageEvent<unknown>) => {
    if (!isFromHost(event.data)) return;
    hostWatchdog.messageReceived(event.data);
    queue.add(event.data);
  });
  root.querySelector(".bottom-column")?.prepend(hostWatchdog.element);
  hostWatchdog.host.post({ type: "ready" });
  // Loaded early, so that the first response doesn't have to wait.
  requestIdleCallback(() => void loadMarkdown(), { timeout: 2000 });
}
