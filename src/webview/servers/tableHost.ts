import { isRecord } from "../../core/kernel/json.ts";
import type { FromWebview } from "../../core/panel/protocol.ts";
import type { FromTable } from "../../core/servers/table/tableProtocol.ts";
import type { PageState } from "../kit/host.ts";

/** How the page was filtered and sorted: what VS Code keeps when it discards the page. */
type KeptView = Pick<Extract<FromTable, { type: "ready" }>, "filter" | "sort">;

/** The extension host as seen by the table. */
export interface TableHost {
  post(message: FromTable): void;
  loadState(): KeptView;
  saveState(state: KeptView): void;
}

/** The VS Code API that is available to every page of ours. */
interface VsCodeApi {
  postMessage(message: FromTable | FromWebview): void;
  getState(): unknown;
  setState(state: KeptView | PageState): void;
}

/** May be called only once in the lifetime of a page. */
export function acquireTableHost(): TableHost {
  const api: VsCodeApi = acquireVsCodeApi();
  return {
    post: (message) => api.postMessage(message),
    // The host parses what the page sends to it.
    loadState() {
      const state = api.getState();
      return isRecord(state) ? state : {};
    },
    saveState: (state) => api.setState(state),
  };
}
