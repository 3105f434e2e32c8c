import type { FromWebview } from "../../core/panel/protocol.ts";
import type { FromTable } from "../../core/servers/table/tableProtocol.ts";
import type { TableView } from "../../core/servers/table/tableView.ts";
import type { PageState } from "../kit/host.ts";

/** The extension host as seen by the table. */
export interface TableHost {
  post(message: FromTable): void;
  /** What VS Code keeps for the page when the window is reloaded. */
  saveState(state: TableView): void;
}

/** The VS Code API that is available to every page of ours. */
interface VsCodeApi {
  postMessage(message: FromTable | FromWebview): void;
  setState(state: TableView | PageState): void;
}

/** May be called only once in the lifetime of a page. */
export function acquireTableHost(): TableHost {
  const api: VsCodeApi = acquireVsCodeApi();
  return {
    post: (message) => api.postMessage(message),
    saveState: (state) => api.setState(state),
  };
}
