import "../kit/translations.ts";
import { isRecord } from "../../core/kernel/json.ts";
import type { ToWebview } from "../../core/panel/protocol.ts";
import { ChatPage } from "./chatPage.ts";
import { HostWatchdog } from "../kit/hostWatchdog.ts";
import { acquireHost } from "../kit/host.ts";

/** UTF-16 units of a failure that are told to the host. */
const maxErrorLength = 4000;

const host = acquireHost();

function reportError(error: unknown): void {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  host.post({ type: "pageError", message: words.slice(0, maxErrorLength) });
}

/** The host is ours; what else reaches the window (browser extensions, tools) has no `type`. */
function isFromHost(value: unknown): value is ToWebview {
  return isRecord(value) && typeof value["type"] === "string";
}

window.addEventListener("error", (event) => reportError(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => reportError(event.reason));
window.addEventListener("focus", () => host.post({ type: "focused" }));

const root = document.getElementById("app");
if (root !== null) {
  const hostWatchdog = new HostWatchdog(host);
  const page = new ChatPage(root, hostWatchdog.host);
  window.addEventListener("message", (event: MessageEvent<unknown>) => {
    if (!isFromHost(event.data)) return;
    hostWatchdog.messageReceived(event.data);
    page.receive(event.data);
  });
  root.querySelector(".bottom-column")?.prepend(hostWatchdog.element);
  hostWatchdog.host.post({ type: "ready" });
}
