import { t } from "@vscode/l10n";
import type { FromWebview, ToWebview } from "../../core/panel/protocol.ts";
import { create, icon } from "./dom.ts";
import type { Host } from "./host.ts";

/** Milliseconds without a word of the host after which it is asked whether it is there. */
const patienceMs = 2_500;
/** Milliseconds that it has for its response. */
const replyTimeoutMs = 2_500;

/** What the page says by itself: no response follows from it. */
const unasked: ReadonlySet<FromWebview["type"]> = new Set(["pong", "pageError", "focused"]);

/**
 * Notices an extension host that is gone. VS Code shows the page on, and nothing in it would ever answer; so whatever
 * the user asks for, and a response that should be coming, is a reason to ask whether anybody is there.
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

  /** To be called with everything that comes from the host. */
  messageReceived(message: ToWebview): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.element.hidden = true;
    this.element.replaceChildren();
    if (message.type === "snapshot") this.#isStreaming = message.snapshot.isStreaming;
    if (message.type === "streaming") this.#isStreaming = message.isStreaming;
    if (this.#isStreaming) this.#expect();
  }

  #expect(): void {
    this.#timer ??= setTimeout(() => this.#ask(), patienceMs);
  }

  #ask(): void {
    this.#inner.post({ type: "ping" });
    this.#timer = setTimeout(() => this.#say(), replyTimeoutMs);
  }

  #say(): void {
    // Keeps asking: a host that was only busy removes the notice with its reply.
    this.#timer = setTimeout(() => this.#ask(), patienceMs);
    if (!this.element.hidden) return;
    const words = t(
      "The extension isn't responding. Everything received so far is saved. Reload the window to continue.",
    );
    this.element.replaceChildren(create("p", {}, icon("warning"), create("span", {}, words)));
    this.element.hidden = false;
  }
}
