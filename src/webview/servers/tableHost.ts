import type { FromWebview } from "../../core/panel/protocol.ts";
import type { FromTable } from "../../core/servers/table/tableProtocol.ts";
import type { TableView } from "../../core/servers/table/tableView.ts";
import type { PageState } from "../kit/host.ts";

/** The extension host as the table sees it. */
export interface TableHost {
  post(message: FromTable): void;
  /** What VS Code keeps of the page over a reload of the window. */
  saveState(state: TableView): void;
}

/** VS Code's half of any page of ours. */
interface VsCodeApi {
  postMessage(message: FromTable | FromWebview): void;
  setState(state: TableView | PageState): void;
}

/** May be called once in the life of a page. */
export function acquireTableHost(): TableHost {
  const api: VsCodeApi = acquireVsCodeApi();
  return {
    post: (message) => api.postMessage(message),
    saveState: (state) => api.setState(state),
  };
}
