import "../kit/translations.ts";
import { isRecord } from "../../core/kernel/json.ts";
import type { ToTable } from "../../core/servers/table/tableProtocol.ts";
import { acquireTableHost } from "../servers/tableHost.ts";
import { TablePage } from "../servers/tablePage.ts";

const host = acquireTableHost();

/** UTF-16 code units of an error message that are sent to the host. */
const maxErrorLength = 4000;

function reportError(error: unknown): void {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  host.post({ type: "pageError", message: words.slice(0, maxErrorLength) });
}

/**
 * The host's messages have a `type`; anything else that reaches the window (from browser extensions or tools) doesn't.
 */
function isFromHost(value: unknown): value is ToTable {
  return isRecord(value) && typeof value["type"] === "string";
}

window.addEventListener("error", (event) => reportError(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => reportError(event.reason));

const root = document.getElementById("app");
if (root !== null) {
  const page = new TablePage(root, host);
  window.addEventListener("message", (event: MessageEvent<unknown>) => {
    if (isFromHost(event.data)) page.receive(event.data);
  });
  window.addEventListener("focus", () => page.focus());
  host.post({ type: "ready" });
}
