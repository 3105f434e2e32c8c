import "../kit/translations.ts";
import { isRecord } from "../../core/kernel/json.ts";
import type { FromWebview } from "../../core/panel/protocol.ts";
import type { FromCosts, ToCosts } from "../../core/servers/cost/costsProtocol.ts";
import type { PageState } from "../kit/host.ts";
import { onHostMessage, reportErrors } from "../kit/hostMessages.ts";
import { keepPageKeys } from "../kit/keyboard/fieldKeys.ts";
import { CostsPage } from "../servers/costsPage.ts";
import type { CostsHost } from "../servers/costsPage.ts";

/** The VS Code API that is available to every page of ours. */
interface VsCodeApi {
  postMessage(message: FromCosts | FromWebview): void;
  getState(): unknown;
  setState(state: Parameters<CostsHost["saveState"]>[0] | PageState): void;
}

const api: VsCodeApi = acquireVsCodeApi();
const host: CostsHost = {
  post: (message) => api.postMessage(message),
  saveState: (state) => api.setState(state),
};

reportErrors(host);

const root = document.getElementById("app");
if (root !== null) {
  const page = new CostsPage(root, host);
  onHostMessage<ToCosts>((message) => page.receive(message));
  keepPageKeys();
  const state = api.getState();
  // The host parses what the page sends to it.
  api.postMessage({ type: "ready", ...(isRecord(state) ? state : {}) });
}
