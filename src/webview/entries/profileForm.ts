import "../kit/translations.ts";
import type { ToProfilePage } from "../../core/account/profileFormProtocol.ts";
import { isRecord } from "../../core/kernel/json.ts";
import type { FromWebview } from "../../core/panel/protocol.ts";
import type { PageState } from "../kit/host.ts";
import { ProfilePage } from "../settings/profilePage.ts";
import type { ProfileHost, ProfilePageState } from "../settings/profilePage.ts";

/** The VS Code API that is available to every page of ours. */
interface VsCodeApi {
  postMessage(message: Parameters<ProfileHost["post"]>[0] | FromWebview): void;
  setState(state: ProfilePageState | PageState): void;
}

const api: VsCodeApi = acquireVsCodeApi();
const host: ProfileHost = {
  post: (message) => api.postMessage(message),
  saveState: (state) => api.setState(state),
};

/** UTF-16 code units of an error message that are sent to the host. */
const maxErrorLength = 4000;

function reportError(error: unknown): void {
  const words = error instanceof Error ? (error.stack ?? error.message) : String(error);
  host.post({ type: "pageError", message: words.slice(0, maxErrorLength) });
}

/**
 * The host's messages have a `type`; anything else that reaches the window (from browser extensions or tools) doesn't.
 */
function isFromHost(value: unknown): value is ToProfilePage {
  return isRecord(value) && typeof value["type"] === "string";
}

window.addEventListener("error", (event) => reportError(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => reportError(event.reason));

const root = document.getElementById("app");
if (root !== null) {
  const page = new ProfilePage(root, host);
  window.addEventListener("message", (event: MessageEvent<unknown>) => {
    if (isFromHost(event.data)) page.receive(event.data);
  });
  host.post({ type: "ready" });
}
