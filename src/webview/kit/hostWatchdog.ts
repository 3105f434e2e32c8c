import { t } from "@vscode/l10n";
import type { FromWebview, ToWebview } from "../../core/panel/protocol.ts";
import { create, icon } from "./dom.ts";
import type { Host } from "./host.ts";

/** Milliseconds without a message from the host before the host is pinged, and those that it has to respond. */
const patienceMs = 2_500;

/** Messages that the page sends unprompted and that don't get a response. */
const unasked: ReadonlySet<FromWebview["type"]> = new Set(["pong", "pageError", "focused"]);

/**
 * Notices that the extension host is gone. VS Code keeps showing the page, but nothing in it would ever respond.
 * Therefore, the host is pinged if there is no message after a user's request or during a response.
 */
export class HostWatchdog {
  readonly element = create("div", { class: "notice dead-host", role: "alert" });
  /** Wraps the host and watches outgoing messages. */
  readonly host: Host;
  readonly #inner: Host;
  #isStreaming = false;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(inner: Host) {
    this.#inner = inner;
    this.host = {
      ...inner,
      post: (message) => {
        inner.post(message);
        if (!unasked.has(message.type)) this.#expect();
      },
    };
    this.element.hidden = true;
  }

  /** Call this for every message from the host. */
  messageReceived(message: ToWebview): void {
    if (!this.element.hidden) {
      this.element.hidden = true;
      this.element.replaceChildren();
    }
    if (message.type === "snapshot") this.#isStreaming = message.snapshot.isStreaming;
    if (message.type === "streaming") this.#isStreaming = message.isStreaming;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#isStreaming) this.#expect();
  }

  #expect(): void {
    this.#timer ??= setTimeout(() => this.#ask(), patienceMs);
  }

  #ask(): void {
    this.#inner.post({ type: "ping" });
    this.#timer = setTimeout(() => this.#say(), patienceMs);
  }

  #say(): void {
    // Keeps pinging: a host that was only busy removes the notice with its response.
    this.#timer = setTimeout(() => this.#ask(), patienceMs);
    if (!this.element.hidden) return;
    const words = t(
      "The extension isn't responding. Everything received so far is saved. Reload the window to continue.",
    );
    this.element.replaceChildren(create("p", {}, icon("warning"), create("span", {}, words)));
    this.element.hidden = false;
  }
}
